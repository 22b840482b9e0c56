/**
 * Worker thread: reads long bodies, one at a time. The main thread gets their requests one by one,
 * with the long texts of transactions as bytes whose hashes are known.
 */
import { isUtf8 } from "node:buffer";
import { parentPort, workerData } from "node:worker_threads";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { decodeTransaction, signingDigest } from "../../../core/model/transaction.ts";
import { shortened } from "../../../core/rpc/long-params.ts";
import { type ReadRequest, readRequests, type Requests } from "../../../core/rpc/requests.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { giveWay } from "../machine/thread-priority.ts";
import type { BodyMessage, BodyReply, BodyRequest, BodyWorkerData } from "./body-frame.ts";

const port = parentPort;
invariant(port, "body-worker runs as a worker thread");
const { suite, givesWay } = workerData as BodyWorkerData;
const suiteMade = createChainSuite(suite);
if (givesWay) giveWay();
/** Batches whose requests are asked for. */
const batches = new Map<number, Extract<Requests, { readonly kind: "batch" }>>();

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

function packed({ envelope }: ReadRequest, suite: CryptoSuite): BodyRequest {
  if (!envelope.valid) return { envelope, bytes: undefined, hashes: undefined };
  const { params, bytes } = shortened(envelope.method, envelope.params);
  const short = { envelope: { ...envelope, params } };
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

function read(message: Extract<BodyMessage, { readonly type: "read" }>, suite: CryptoSuite) {
  const { id, body, pieces, bytes, strict } = message;
  const whole = wholeOf(pieces, bytes);
  if (strict && !isUtf8(whole)) return reply({ type: "notUtf8", id });
  // A byte order mark is kept, so that it is refused as JSON refuses it.
  const requests = readRequests(whole.toString("utf8"));
  if (requests.kind === "one")
    return reply({ type: "request", id, request: packed(requests.request, suite) });
  if (requests.kind === "malformed") return reply({ type: "malformed", id });
  if (requests.kind === "tooMany") return reply({ type: "tooMany", id, most: requests.most });
  batches.set(body, requests);
  reply({ type: "batch", id, count: requests.count });
}

async function take(message: BodyMessage): Promise<void> {
  const suite = await suiteMade;
  if (message.type === "drop") return void batches.delete(message.body);
  if (message.type === "read") return read(message, suite);
  if (message.type === "hash")
    return reply({ type: "hash", id: message.id, digest: suite.hash(message.bytes) });
  if (message.type === "examine")
    return reply({ type: "examined", id: message.id, ...examined(message.bytes, suite) });
  const { id, body, index } = message;
  const request = await batches.get(body)?.at(index);
  invariant(request, "a batch is asked for until it is dropped");
  reply({ type: "request", id, request: packed(request, suite) });
}

function reply(message: BodyReply): void {
  let bytes: Uint8Array | undefined;
  if (message.type === "request") bytes = message.request.bytes;
  if (message.type === "examined") bytes = message.bytes;
  port?.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);
}

let last = Promise.resolve();
port.on("message", (message: BodyMessage) => {
  last = last.then(() => take(message));
});
