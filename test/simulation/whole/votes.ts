/**
 * What honest sealers have sent: every word is on the speaker's disk before it leaves, and
 * contradicts no earlier one, also over crashes. Source: pbft 16.2
 */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import { encodeRlp, openRlpList } from "../../../core/bytes/rlp.ts";
import { createCodec, type PbftCodec } from "../../../core/consensus/pbft/codec.ts";
import type { Message } from "../../../core/consensus/pbft/message.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { readConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import { Violation } from "../checkers.ts";
import type { Saying, Speaker, Words } from "./words.ts";
import { decodeRlp } from "../../support/codecs/rlp-tree.ts";

/** What is sent once in each view. */
type Vote = Exclude<Message, { readonly type: "status" | "viewCertificate" }>;

/** The key of the record in the store. */
const RECORD_KEY = "c";

/** Remembers every vote of every node in one group. */
export class Votes implements Words {
  readonly codec: PbftCodec;
  readonly #said = new Map<string, string>();
  readonly #checked = new WeakSet<Uint8Array>();

  readonly #durable: boolean;
  readonly #suite: CryptoSuite;

  /** @param durable false: votes need not be on disk (the disks lie, a mutation) */
  constructor(groupId: number, suite: CryptoSuite, durable: boolean) {
    this.#durable = durable;
    this.#suite = suite;
    this.codec = createCodec({ chainId: 1, groupId, suite });
  }

  check({ speaker, bytes }: Saying): void {
    if (this.#checked.has(bytes)) return;
    this.#checked.add(bytes);
    const { number } = speaker;
    const message = readConsensusMessage(bytes, this.codec)?.message;
    if (!message) throw new Violation(`node ${number} sends a malformed message`);
    if (message.type === "status" || message.type === "viewCertificate") return;
    if (!this.#isOwn(speaker, message)) return;
    const place = `node ${number} ${message.type} ${message.height}/${message.view}`;
    const words = wordsOf(message);
    const before = this.#said.get(place);
    if (before !== undefined && before !== words)
      throw new Violation(`${place} twice: ${before}, then ${words}`);
    this.#said.set(place, words);
    if (!this.#durable) return;
    if (!isRecorded(speaker, message)) throw new Violation(`${place} leaves before it is on disk`);
  }

  /** What others reported is passed on; who signed it is told by its signature. Source: pbft 11 */
  #isOwn({ nodeId }: Speaker, message: Vote): boolean {
    const signer = this.#suite.recover(this.codec.digestOf(message), message.signature);
    return signer !== undefined && nodeIdOf(signer) === nodeId;
  }
}

/**
 * Whether the record on disk holds a message by its signature (nothing else has these bytes), or
 * gives up its view. A vote for a view is covered by a record that gives up all below it.
 */
function isRecorded({ durable }: Speaker, message: Vote): boolean {
  const record = durable.get(RECORD_KEY);
  if (!record) return false;
  const { type, view } = message;
  if (type === "viewChange") return reservationOf(record, message.height + 1) >= view;
  const isHeld = bufferOf(record).includes(bufferOf(message.signature));
  return isHeld || (type === "prepare" && reservationOf(record, message.height) > view);
}

/** Format, height, view and w of a record; undefined when the bytes are none. */
function placeOf(record: Uint8Array) {
  const items = openRlpList(record);
  if (!items) return undefined;
  const [format, height, view, toView] = [items.safe(), items.safe(), items.safe(), items.safe()];
  return { format, height, view, toView };
}

/** What a record for a height reserves: no vote in any view below this one. */
function reservationOf(record: Uint8Array, height: number): number {
  const place = placeOf(record);
  return place?.height === height ? place.toView : -1;
}

/** A record without what it reserves behind the next view, as if it were lost (a mutation). */
export function forgetful(key: string, bytes: Uint8Array | undefined): Uint8Array | undefined {
  const items = bytes && key === RECORD_KEY ? decodeRlp(bytes) : undefined;
  const place = bytes && placeOf(bytes);
  if (!Array.isArray(items) || !place || place.toView <= place.view + 1) return bytes;
  const [format = [], height = [], view = [], , ...rest] = items;
  return encodeRlp([format, height, view, view, ...rest.slice(0, -1), []]);
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function wordsOf(message: Message): string {
  switch (message.type) {
    case "prepare":
      return message.proposal;
    case "sign":
    case "commit":
      return `${message.proposal}/${message.executed}`;
    case "viewChange": {
      const { lock } = message;
      return lock ? `${lock.view}/${lock.proposal}/${lock.executed}` : "none";
    }
    default:
      return "";
  }
}
