/**
 * Answers of many megabytes: their length is known before they are sent, their text is made in
 * pieces while they are, between which others have a turn. Source: decision 28
 */
import type { NodeApi } from "../api/node-api.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { Pace } from "../limits/pace.ts";
import { FairSemaphore } from "../limits/fair-semaphore.ts";
import type { Asker } from "../ports/asker.ts";
import { isFarList, partsOf, type RawPart } from "./far-values.ts";
import type { Json } from "./json.ts";

/** A text in pieces. */
export interface LongText {
  /** Bytes of its UTF-8 form. */
  readonly bytes: number;
  /** Made anew each time; a piece has at most some dozens of thousands of characters. */
  pieces(): AsyncIterable<string>;
}

/** What a request is answered with. */
export type Answer = string | LongText;

/** Most bytes of a list, and of the answers of a batch together. Source: decision 28 */
export const MAX_LIST_BYTES: number = 32 * 1024 * 1024;

/** Turns at the long work of a node. */
const turnsOf = new WeakMap<NodeApi, FairSemaphore>();

/** Does work when no other of the node is done, in turns between the clients that ask for some. */
export async function oneByOne<Result>(
  node: NodeApi,
  asker: Pick<Asker, "address"> | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const turns = turnsOf.get(node) ?? new FairSemaphore(1);
  turnsOf.set(node, turns);
  const owner = asker?.address ?? work;
  await turns.take(owner);
  try {
    return await work();
  } finally {
    turns.give(owner);
  }
}

/** Shorter texts are kept while they are measured, and not made again. */
const KEPT_CHARS = 128 * 1024;

/**
 * Told by how many bytes what is held has changed; false ends the work, since no caller waits for
 * it any more.
 */
export type Hold = (bytes: number) => boolean;

/**
 * The text of a result; of lists the length is found out by making it once, in turns.
 *
 * @param hold told of the texts that are kept meanwhile; of what is returned it is told no more
 */
export function answerOf(
  value: Json,
  pace: Pace | undefined,
  hold?: Hold,
): Answer | Promise<Answer> {
  const raw = partsOf(value);
  const [only] = raw;
  return raw.length === 1 && typeof only === "string" ? only : measuredAnswer(raw, pace, hold);
}

async function measuredAnswer(
  raw: readonly RawPart[],
  pace: Pace | undefined,
  hold: Hold | undefined,
): Promise<Answer> {
  const parts: Answer[] = [];
  for (const part of raw) parts.push(await measured(part, pace, hold));
  return joined(parts);
}

/** Texts one after the other. */
export function joined(parts: readonly Answer[]): Answer {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  let bytes = 0;
  for (const part of parts) bytes += bytesOf(part);
  return {
    bytes,
    async *pieces() {
      for (const part of parts) {
        if (typeof part === "string") yield part;
        else yield* part.pieces();
      }
    },
  };
}

/** Bytes of the UTF-8 form of a text. */
export function bytesOf(text: Answer): number {
  if (typeof text !== "string") return text.bytes;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // The two halves of a pair have four bytes together.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1;
  }
  return bytes;
}

/** The whole text. */
export async function wholeText(text: Answer, pace?: Pace): Promise<string> {
  if (typeof text === "string") return text;
  const pieces: string[] = [];
  for await (const piece of text.pieces()) {
    pieces.push(piece);
    await pace?.();
  }
  return pieces.join("");
}

async function measured(part: RawPart, pace: Pace | undefined, hold?: Hold): Promise<Answer> {
  if (typeof part === "string") return part;
  if (!isFarList(part)) return { bytes: part.length, pieces: () => part.pieces() };
  const pieces = () => listPieces(part.items(), pace);
  let kept: string[] | undefined = [];
  let bytes = 0;
  let held = 0;
  try {
    for await (const piece of pieces()) {
      // Digits and names: no character has two bytes.
      bytes += piece.length;
      if (bytes > part.most) throw listTooLong(bytes, part.most);
      if (bytes > KEPT_CHARS) kept = undefined;
      kept?.push(piece);
      const more = (kept ? bytes : 0) - held;
      held += more;
      if (hold?.(more) === false) throw new RpcFault("internalError", "The caller has gone");
      await pace?.();
    }
  } finally {
    hold?.(-held);
  }
  return kept ? kept.join("") : { bytes, pieces };
}

/** Short texts are gathered up to this many characters: each piece that is sent has its cost. */
const GATHERED_CHARS = 32 * 1024;

async function* listPieces(
  items: AsyncIterable<readonly Json[]>,
  pace: Pace | undefined,
): AsyncGenerator<string> {
  let isFirst = true;
  let gathered = "[";
  for await (const some of items) {
    for (const item of some) {
      if (!isFirst) gathered += ",";
      isFirst = false;
      for (const raw of partsOf(item)) {
        const part = typeof raw === "string" ? raw : await measured(raw, pace);
        if (typeof part === "string") gathered += part;
        if (typeof part === "string" && gathered.length < GATHERED_CHARS) continue;
        if (gathered !== "") yield gathered;
        gathered = "";
        if (typeof part !== "string") yield* part.pieces();
      }
      const turn = pace?.();
      if (turn) await turn;
    }
  }
  yield `${gathered}]`;
}

function listTooLong(bytes: number, most: number): RpcFault {
  const said = `The list has ${bytes} bytes and more; lists and batches have at most ${most}`;
  return new RpcFault("internalError", said);
}

/** What `JSON.stringify` gives, in turns. */
export async function jsonText(value: Json, pace: Pace): Promise<string> {
  return wholeText(await answerOf(value, pace), pace);
}
