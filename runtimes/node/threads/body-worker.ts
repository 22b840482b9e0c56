/**
 * Worker thread: reads long bodies, one at a time. The main thread gets their requests one by one,
 * with the long texts of transactions as bytes whose hashes are known.
 */
import { isUtf8 } from "node:buffer";
import { parentPort, workerData } from "node:worker_threads";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { decodeTransaction, signingDigest } from "../../../core/model/transaction.ts";
import type { Envelope } from "../../../core/rpc/envelope.ts";
import { LONG_PARAM_CHARS, shortened } from "../../../core/rpc/long-params.ts";
import { type ReadRequest, readRequests, type Requests } from "../../../core/rpc/requests.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { giveWay } from "../machine/thread-priority.ts";
import type { BodyMessage, BodyReply, BodyRequest, BodyWorkerData } from "./body-frame.ts";

const port = parentPort;
invariant(port, "body-worker runs as a worker thread");
const { suite, givesWay } = workerData as BodyWorkerData;
const suiteMade = createChainSuite(suite);
if (givesWay) giveWay();
/** So much of a batch is handed over at a time: each time may wait until another body is read. */
const SOME_BYTES = 256 * 1024;
const MOST_AT_A_TIME = 250;

type Batch = Extract<Requests, { readonly kind: "batch" }>;

/** Batches whose requests are asked for, and how many are handed over at a time. */
const batches = new Map<number, { readonly batch: Batch; readonly some: number }>();

async function someOf(body: number, from: number, suite: CryptoSuite): Promise<BodyRequest[]> {
  const kept = batches.get(body);
  invariant(kept, "a batch is asked for until it is dropped");
  const { batch, some } = kept;
  const requests: BodyRequest[] = [];
  for (let index = from; index < Math.min(batch.count, from + some); index++)
    requests.push(packed(await batch.at(index), suite));
  return requests;
}

function wholeOf(pieces: readonly SharedArrayBuffer[], bytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const piece of pieces) {
    const part = new Uint8Array(piece, 0, Math.min(piece.byteLength, bytes - at));
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes are garbage then. @returns undefined for what is to be UTF-8 and is not */
function textOf(whole: Buffer, isStrict: boolean): string | undefined {
  if (isStrict && !isUtf8(whole)) return undefined;
  // A byte order mark is kept, so that it is refused as JSON refuses it.
  return whole.toString("utf8");
}

function packed({ envelope: read }: ReadRequest, suite: CryptoSuite): BodyRequest {
  const { id } = read;
  const isLong = typeof id === "string" && id.length > LONG_PARAM_CHARS;
  const longId = isLong ? exact(new TextEncoder().encode(id)) : undefined;
  const envelope: Envelope = isLong ? { ...read, id: "null" } : read;
  if (!envelope.valid) return { envelope, longId, bytes: undefined, hashes: undefined };
  const { params, bytes } = shortened(envelope.method, envelope.params);
  const short = { envelope: { ...envelope, params }, longId };
  if (bytes && envelope.method !== "call") return { ...short, ...examined(bytes, suite) };
  return { ...short, bytes: exact(bytes), hashes: undefined };
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

async function read(
  message: Extract<BodyMessage, { readonly type: "read" }>,
  suite: CryptoSuite,
): Promise<void> {
  const { id, body, pieces, bytes, strict } = message;
  const text = textOf(wholeOf(pieces, bytes), strict);
  if (text === undefined) return reply({ type: "notUtf8", id });
  const requests = readRequests(text);
  if (requests.kind === "one")
    return reply({ type: "request", id, request: packed(requests.request, suite) });
  if (requests.kind === "malformed") return reply({ type: "malformed", id });
  if (requests.kind === "tooMany") return reply({ type: "tooMany", id, most: requests.most });
  const { count } = requests;
  const some = Math.min(MOST_AT_A_TIME, Math.ceil((count * SOME_BYTES) / bytes));
  batches.set(body, { batch: requests, some });
  reply({ type: "batch", id, count, requests: await someOf(body, 0, suite) });
}

async function take(message: BodyMessage): Promise<void> {
  const suite = await suiteMade;
  if (message.type === "drop") return void batches.delete(message.body);
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
