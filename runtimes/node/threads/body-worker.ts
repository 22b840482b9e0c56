/**
 * Worker thread: reads long bodies, one at a time. The main thread gets their requests one by one,
 * with the long texts of transactions as bytes whose hashes are known.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { decodeTransaction, signingDigest } from "../../../core/model/transaction.ts";
import type { Envelope } from "../../../core/rpc/envelope.ts";
import { MAX_JSON_VALUES } from "../../../core/rpc/json.ts";
import { type FarTexts, LONG_PARAM_CHARS, shortened } from "../../../core/rpc/long-params.ts";
import { type ReadRequest, readRequests, type Requests } from "../../../core/rpc/requests.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { giveWay } from "../machine/thread-priority.ts";
import type { BodyMessage, BodyReply, BodyRequest, BodyWorkerData } from "./body-frame.ts";
import { freePieces } from "./body-pieces.ts";
import { endWhenAsked } from "./thread-end.ts";
import { arePiecesUtf8, cutTexts, PieceBytes } from "./cut-texts.ts";

endWhenAsked();
const port = parentPort;
invariant(port, "body-worker runs as a worker thread");
const { suite, givesWay } = workerData as BodyWorkerData;
const suiteMade = createChainSuite(suite);
if (givesWay) giveWay();
/** This much of a batch is handed over at a time: each time may wait until another body is read. */
const SOME_BYTES = 256 * 1024;
const MOST_AT_A_TIME = 250;

type Batch = Extract<Requests, { readonly kind: "batch" }>;

/** Batches whose requests are asked for, and how many are handed over at a time. */
const batches = new Map<
  number,
  { batch: Batch; texts: FarTexts; some: number; pieces: readonly ArrayBuffer[] }
>();

async function someOf(body: number, from: number, suite: CryptoSuite): Promise<BodyRequest[]> {
  const kept = batches.get(body);
  // It was dropped meanwhile: nobody waits for the answer.
  if (!kept) return [];
  const { batch, texts, some } = kept;
  const requests: BodyRequest[] = [];
  for (let index = from; index < Math.min(batch.count, from + some); index++)
    requests.push(packed(await batch.at(index), texts, suite));
  return requests;
}

/** A request of a body without its long texts. */
function packed({ envelope: read }: ReadRequest, texts: FarTexts, suite: CryptoSuite): BodyRequest {
  const { id, longId } = idOf(read, texts);
  const envelope: Envelope = id === undefined ? read : { ...read, id };
  if (!envelope.valid) return { envelope, longId, bytes: undefined, hashes: undefined };
  const method = texts.of(envelope.method)?.text() ?? envelope.method;
  const { params, bytes } = shortened(method, envelope.params, texts);
  const short = { envelope: { ...envelope, method, params }, longId };
  if (bytes && method !== "call") return { ...short, ...examined(bytes, suite) };
  return { ...short, bytes: exact(bytes), hashes: undefined };
}

/** An id as it is, or a short one with the bytes of the long one. */
function idOf({ id }: Envelope, texts: FarTexts): Pick<BodyRequest, "longId"> & { id?: string } {
  if (typeof id !== "string") return {};
  const far = id.startsWith('"') ? texts.of(id.slice(1, -1)) : undefined;
  if (far && far.length <= LONG_PARAM_CHARS) return { id: JSON.stringify(far.text()) };
  if (!far && id.length <= LONG_PARAM_CHARS) return { id };
  return { id: "null", longId: exact(far?.json() ?? new TextEncoder().encode(id)) };
}

/** Canonical bytes of a transaction, and its hashes. */
function examined(bytes: Uint8Array, suite: CryptoSuite) {
  const decoded = decodeTransaction(bytes, suite);
  if (!decoded.ok) return { bytes: exact(bytes), hashes: undefined };
  const { raw, hash } = decoded.transaction;
  return { bytes: exact(raw), hashes: { hash, signing: signingDigest(raw, suite) } };
}

/** A buffer of its own: it is handed over whole. */
function exact<Bytes extends Uint8Array | undefined>(bytes: Bytes): Bytes | Uint8Array {
  return bytes && bytes.byteLength !== bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}

type Read = Extract<BodyMessage, { readonly type: "read" }>;

async function answerTo(message: Read, suite: CryptoSuite): Promise<BodyReply> {
  const { id, body, pieces, bytes: length, strict } = message;
  const bytes = new PieceBytes(pieces, length);
  if (strict && !arePiecesUtf8(bytes)) return { type: "notUtf8", id };
  const cut = cutTexts(bytes);
  if (!cut) return { type: "tooMany", id, most: MAX_JSON_VALUES };
  const { text, texts } = cut;
  const requests = readRequests(text);
  if (requests.kind === "one")
    return { type: "request", id, request: packed(requests.request, texts, suite) };
  if (requests.kind === "malformed") return { type: "malformed", id };
  if (requests.kind === "tooMany") return { type: "tooMany", id, most: requests.most };
  const { count } = requests;
  const some = Math.min(MOST_AT_A_TIME, Math.ceil((count * SOME_BYTES) / length));
  batches.set(body, { batch: requests, texts, some, pieces });
  return { type: "batch", id, count, requests: await someOf(body, 0, suite) };
}

async function read(message: Read, suite: CryptoSuite): Promise<void> {
  const answer = await answerTo(message, suite);
  // The requests of a batch are made of them as they are asked for.
  if (answer.type !== "batch") freePieces(message.pieces);
  reply(answer);
}

function drop(body: number): void {
  freePieces(batches.get(body)?.pieces ?? []);
  batches.delete(body);
}

async function take(message: BodyMessage): Promise<void> {
  const suite = await suiteMade;
  if (message.type === "drop") return drop(message.body);
  if (message.type === "read") return await read(message, suite);
  if (message.type === "hash")
    return reply({ type: "hash", id: message.id, digest: suite.hash(message.bytes) });
  if (message.type === "examine")
    return reply({ type: "examined", id: message.id, ...examined(message.bytes, suite) });
  const { id, body, from } = message;
  reply({ type: "more", id, requests: await someOf(body, from, suite) });
}

function reply(message: BodyReply): void {
  const handedOver: (Uint8Array | undefined)[] = [];
  const requests = message.type === "request" ? [message.request] : [];
  if (message.type === "examined") handedOver.push(message.bytes);
  if ("requests" in message) requests.push(...message.requests);
  for (const { bytes, longId } of requests) handedOver.push(bytes, longId);
  const buffers = handedOver.flatMap((bytes) => (bytes ? [bytes.buffer as ArrayBuffer] : []));
  port?.postMessage(message, buffers);
}

let last = Promise.resolve();
port.on("message", (message: BodyMessage) => {
  last = last.then(() => take(message));
});
