/**
 * Which transactions go to whom, in which batches, and the messages that carry them. The origin
 * pushes each transaction once to every connected sealer not known to have it; what came from a
 * peer is not pushed again. Source: sync 5; txpool 7
 */
import type { Hash, NodeId } from "../bytes/ids.ts";
import { ByteReader, ByteWriter } from "../bytes/cursor.ts";
import { hashOf, idBytes, nodeIdOf } from "../bytes/hex.ts";

/** Transactions, or hashes asked for, in one message. Source: txpool 1 (send batch) */
export const BATCH_COUNT_LIMIT = 1_000;

/** Raw bytes in one message, unless a single transaction is larger. */
export const BATCH_BYTES_LIMIT = 1024 * 1024;

/** Raw bytes that answer one request, unless the first transaction is larger. */
export const ANSWER_BYTES_LIMIT = 4 * 1024 * 1024;

/**
 * A larger message is refused unread. Leaves room for any transaction that fits into a request of
 * the RPC port. Source: rpc-semantics 1 (body limit)
 */
export const MESSAGE_BYTES_LIMIT = 32 * 1024 * 1024;

/** First byte of every message: another format is another number. */
const MESSAGE_VERSION = 1;
const HASH_BYTES = 32;
/** Version, type, count. */
const PREFIX_BYTES = 6;
const LENGTH_BYTES = 4;

/** Second byte of a message. */
const TYPES = { push: 0, request: 1, answer: 2, announce: 3, passOn: 4 } as const;
/** Sealers in the list of one message at most. */
const MAX_MISSING = 1_024;
const NODE_ID_BYTES = 64;

/** A message of class `transactions`. */
export type TransactionsMessage = Readonly<
  /** New transactions from their origin, or (`answer`) those a request named. */
  | { type: "push" | "answer"; transactions: readonly Uint8Array[] }
  /** New transactions, and the sealers that its senders have not reached. Source: pbft 11 */
  | { type: "passOn"; missing: readonly NodeId[]; transactions: readonly Uint8Array[] }
  /** Asks for transactions. Source: sync 5 (TxsRequest) */
  | { type: "request"; hashes: readonly Hash[] }
  /** Names transactions that the sender has. Source: sync 5 (TxsStatus) */
  | { type: "announce"; hashes: readonly Hash[] }
>;

/** Why a message is refused; the sender is at fault in every case. */
export type GossipDefect = "tooLong" | "unknownVersion" | "unknownType" | "malformed";

/** A decoded message, or what is wrong with it. */
export type DecodedGossip =
  | { readonly ok: true; readonly message: TransactionsMessage }
  | { readonly ok: false; readonly reason: GossipDefect };

/** Encodes at most {@link BATCH_COUNT_LIMIT} transactions: version, type, count, lengths, bytes. */
export function encodeTransactions(
  type: "push" | "answer",
  transactions: readonly Uint8Array[],
): Uint8Array {
  let size = PREFIX_BYTES + LENGTH_BYTES * transactions.length;
  for (const raw of transactions) size += raw.length;
  const writer = new ByteWriter(size);
  writer.u8(MESSAGE_VERSION).u8(TYPES[type]).u32(transactions.length);
  for (const raw of transactions) writer.u32(raw.length);
  for (const raw of transactions) writer.bytes(raw);
  return writer.finish();
}

/** Encodes what is passed on: version, type, sealers, then a push. Source: pbft 11 */
export function encodePassedOn(missing: readonly NodeId[], push: Uint8Array): Uint8Array {
  const named = missing.slice(0, MAX_MISSING);
  const writer = new ByteWriter(PREFIX_BYTES + NODE_ID_BYTES * named.length + push.length);
  writer.u8(MESSAGE_VERSION).u8(TYPES.passOn).u32(named.length);
  for (const sealer of named) writer.bytes(idBytes(sealer));
  return writer.bytes(push).finish();
}

/** Encodes names of transactions. At most {@link BATCH_COUNT_LIMIT} hashes. */
export function encodeHashes(type: "request" | "announce", hashes: readonly Hash[]): Uint8Array {
  const writer = new ByteWriter(PREFIX_BYTES + HASH_BYTES * hashes.length);
  writer.u8(MESSAGE_VERSION).u8(TYPES[type]).u32(hashes.length);
  for (const hash of hashes) writer.bytes(idBytes(hash));
  return writer.finish();
}

const MALFORMED: DecodedGossip = { ok: false, reason: "malformed" };

function decodeTransactions(
  type: "push" | "answer",
  reader: ByteReader,
  count: number,
): DecodedGossip {
  if (reader.remaining < LENGTH_BYTES * count) return MALFORMED;
  const lengths: number[] = [];
  let total = 0;
  for (let i = 0; i < count; i++) {
    const length = reader.u32();
    if (length === 0) return MALFORMED;
    total += length;
    lengths.push(length);
  }
  if (reader.failed || total !== reader.remaining) return MALFORMED;
  // Copies: one pending transaction must not keep the whole message in memory.
  const transactions = lengths.map((length) => reader.bytes(length).slice());
  return { ok: true, message: { type, transactions } };
}

function decodeHashes(
  type: "request" | "announce",
  reader: ByteReader,
  count: number,
): DecodedGossip {
  if (reader.remaining !== HASH_BYTES * count) return MALFORMED;
  const hashes = Array.from({ length: count }, () => hashOf(reader.bytes(HASH_BYTES)));
  return { ok: true, message: { type, hashes } };
}

function decodePassedOn(reader: ByteReader, count: number): DecodedGossip {
  if (count > MAX_MISSING || reader.remaining < NODE_ID_BYTES * count) return MALFORMED;
  const missing = Array.from({ length: count }, () => nodeIdOf(reader.bytes(NODE_ID_BYTES)));
  const isPush = reader.u8() === MESSAGE_VERSION && reader.u8() === TYPES.push;
  const transactions = reader.u32();
  if (!isPush || reader.failed || transactions > BATCH_COUNT_LIMIT) return MALFORMED;
  const inner = decodeTransactions("push", reader, transactions);
  if (!inner.ok || !("transactions" in inner.message)) return MALFORMED;
  return { ok: true, message: { ...inner.message, type: "passOn", missing } };
}

/** Decodes a message of class `transactions`. Total; sizes are checked before anything is made. */
export function decodeTransactionsMessage(bytes: Uint8Array): DecodedGossip {
  if (bytes.length > MESSAGE_BYTES_LIMIT) return { ok: false, reason: "tooLong" };
  const reader = new ByteReader(bytes);
  const version = reader.u8();
  const type = reader.u8();
  const count = reader.u32();
  if (reader.failed) return MALFORMED;
  if (version !== MESSAGE_VERSION) return { ok: false, reason: "unknownVersion" };
  if (count > BATCH_COUNT_LIMIT) return MALFORMED;
  if (type === TYPES.request) return decodeHashes("request", reader, count);
  if (type === TYPES.announce) return decodeHashes("announce", reader, count);
  if (type === TYPES.passOn) return decodePassedOn(reader, count);
  if (type === TYPES.push) return decodeTransactions("push", reader, count);
  if (type === TYPES.answer) return decodeTransactions("answer", reader, count);
  return { ok: false, reason: "unknownType" };
}

/** Splits items into batches within both bounds, in order; one larger than the bytes goes alone. */
export function batchesOf<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  limit: { readonly count: number; readonly bytes: number } = {
    count: BATCH_COUNT_LIMIT,
    bytes: BATCH_BYTES_LIMIT,
  },
): Item[][] {
  const batches: Item[][] = [];
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (batch.length > 0 && (batch.length >= limit.count || bytes + size > limit.bytes)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/**
 * The messages that answer a request, in the order asked: as many as one request is worth, at least
 * one transaction. A node that lacks more asks again.
 */
export function encodeAnswers(transactions: readonly Uint8Array[]): Uint8Array[] {
  let bytes = 0;
  const answered = transactions.filter((raw, index) => {
    bytes += raw.length;
    return index === 0 || bytes <= ANSWER_BYTES_LIMIT;
  });
  const batches = batchesOf(answered, (raw) => raw.length);
  return batches.map((batch) => encodeTransactions("answer", batch));
}

/** A pending transaction as far as spreading is concerned; a pool entry is one. */
export interface Spreadable {
  readonly transaction: { readonly raw: Uint8Array };
  /** Peers that have it. */
  readonly knownBy: readonly NodeId[];
}

/** One message and everybody who gets it. */
export interface Push<Entry> {
  readonly to: readonly NodeId[];
  readonly entries: readonly Entry[];
}

/** Whom to push to: connected sealers of the group without this node, in list order. */
export function pushTargets(
  sealers: readonly NodeId[],
  self: NodeId,
  isConnected: (peer: NodeId) => boolean,
): NodeId[] {
  return sealers.filter((sealer) => sealer !== self && isConnected(sealer));
}

/**
 * Plans who gets which of the entries: each goes once to every target not known to have it. Entries
 * with the same receivers share messages, so a fresh batch is encoded once for all. After sending,
 * the targets of each push are noted as knowing its entries. Source: txpool 7.2, 7.3
 */
export function planPushes<Entry extends Spreadable>(
  entries: readonly Entry[],
  targets: readonly NodeId[],
): Push<Entry>[] {
  const groups = new Map<string, { to: readonly NodeId[]; entries: Entry[] }>();
  for (const entry of entries) {
    const to = targets.filter((target) => !entry.knownBy.includes(target));
    if (to.length === 0) continue;
    const key = to.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { to, entries: [entry] });
    else group.entries.push(entry);
  }
  const pushes: Push<Entry>[] = [];
  for (const { to, entries: sameReceivers } of groups.values()) {
    for (const batch of batchesOf(sameReceivers, (entry) => entry.transaction.raw.length)) {
      pushes.push({ to, entries: batch });
    }
  }
  return pushes;
}
