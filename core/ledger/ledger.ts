/** Committed data of a group, read from its store. Source: storage 2; interface 2 */
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { hashOf, idBytes } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import { type MerkleTree, merkleTree, proofIn, type ProofLevel } from "../crypto/merkle.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { StoreFault } from "../fault/store-fault.ts";
import {
  decodeTransaction,
  LONG_TRANSACTION_BYTES,
  type SignedTransaction,
  withSender,
} from "../model/transaction.ts";
import { MERKLE_FROM } from "../model/roots.ts";
import type { Version } from "../model/version.ts";
import type { Store } from "../ports/store.ts";
import { CODE_KEY, rowToBytes } from "../storage/account-rows.ts";
import { storedRows } from "../storage/row-cache.ts";
import { accountTable } from "../storage/system-tables.ts";
import { ROW_NORMAL, type RowSource } from "../storage/table.ts";
import { createBoundedCache } from "../limits/bounded-cache.ts";
import { readOnce, readReceipt } from "./far-records.ts";
import { bodyKey, headerKey, noncesKey, numberKey, receiptsKey, transactionKey } from "./keys.ts";
import type { BlockNonces, Ledger, RawBody } from "./ledger-view.ts";
import {
  type Body,
  corrupt,
  decodeBody,
  decodeHeaderRecord,
  decodeNonces,
  decodePlace,
  decodeReceiptTable,
  type HeaderRecord,
  type TransactionPlace,
} from "./records.ts";
import {
  configValue,
  currentNumber,
  groupConfig,
  nodesOf,
  sealersOf,
  stateCounter,
  STATE_KEY,
  type Unrecorded,
} from "./state-rows.ts";

interface LedgerOptions {
  /** Holds at least the genesis block. */
  readonly store: Store;
  readonly suite: CryptoSuite;
  readonly version: Version;
  /** The genesis file, for what no row holds. Absent: the defaults of such values. */
  readonly genesis?: Unrecorded | undefined;
  /** The suite's hash of very long bytes, computed elsewhere; here when absent. */
  readonly hashLong?: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined;
}

/** Headers kept in parsed form. */
const CACHED_HEADERS = 1_024;
/** Bytes of bodies and of receipts kept, each. */
const CACHED_BYTES = 4 * 1024 * 1024;
/** Blocks whose nonces are read with one range. */
const NONCE_RANGE = 256;
/** What a cached item costs besides its bytes. */
const ITEM_BYTES = 200;

/**
 * Opens the ledger of a store that holds at least block 0.
 *
 * @throws StoreFault when the store is empty; reading throws it for records that do not decode
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { store, version } = options;
  const rows: RowSource = { rows: (table, key) => storedRows(store, table, key) };
  const records = openRecords(options);
  let head = readHead(store, rows);
  const genesis = readHash(store, 0);
  /** Rows are those of a new block before the head follows: what it changed is in force with it. */
  const stored = () => Math.max(head.number, currentNumber(rows) ?? 0);

  return {
    head: () => head,
    genesisHash: () => genesis,
    setHead(next) {
      head = next;
    },
    refresh() {
      head = readHead(store, rows);
      return head;
    },
    async hashOf(number) {
      const isWritten = Number.isSafeInteger(number) && number >= 0 && number <= head.number;
      return isWritten ? readHash(store, number) : undefined;
    },
    async header(hash) {
      const record = await records.header(hash);
      return record && { header: record.header, hash, seals: record.seals };
    },
    ...blockReaders(options, records, () => head.number),
    ...proofReaders(options, records),
    async totals() {
      const transactions = stateCounter(rows, STATE_KEY.transactions) ?? 0n;
      const failed = stateCounter(rows, STATE_KEY.failed) ?? 0n;
      return { number: currentNumber(rows) ?? 0, transactions, failed };
    },
    systemConfig: async (key) => configValue(rows, key, stored()),
    async code(address) {
      const found = rows.rows(accountTable(address, version), CODE_KEY);
      const row = found.find(({ status }) => status === ROW_NORMAL);
      return row === undefined ? EMPTY_BYTES : rowToBytes(row.columns.get("value") ?? "", version);
    },
    sealers: async () => sealersOf(rows, stored()),
    observers: async () => nodesOf(rows, stored(), "observer"),
    groupConfig: () => groupConfig(rows, head.number, options.genesis),
    nonces: (from, to) => readNonces(store, from, to),
    rawReceipts: records.receipts,
    rawBody: (hash) => readRawBody(records, hash, options),
  };
}

/** Parsed records of blocks, cached. */
interface Records {
  header(hash: Hash): Promise<HeaderRecord | undefined>;
  body(hash: Hash): Promise<CachedBody | undefined>;
  receipts(hash: Hash): Promise<readonly Uint8Array[] | undefined>;
  place(transaction: Hash): Promise<TransactionPlace | undefined>;
  hashAt(number: number): Hash;
}

/** A body and the transactions of it that were decoded so far. */
interface CachedBody extends Body {
  readonly bytes: Uint8Array;
  readonly decoded: (SignedTransaction | undefined)[];
}

const EMPTY_BODY: CachedBody = { bytes: EMPTY_BYTES, transactions: [], senders: [], decoded: [] };

function openRecords(options: LedgerOptions): Records {
  const { store } = options;
  const headers = createBoundedCache<Hash, HeaderRecord>(CACHED_HEADERS, () => 1);
  const bodies = createBoundedCache<Hash, CachedBody>(CACHED_BYTES, (body) =>
    bytesOfAll(body.transactions),
  );
  const receipts = createBoundedCache<Hash, readonly Uint8Array[]>(CACHED_BYTES, bytesOfAll);
  const readBody = readOnce(async (key: string): Promise<CachedBody | undefined> => {
    const bytes = await store.load(key);
    return bytes && { bytes, ...decodeBody(bytes), decoded: [] };
  });
  const readReceipts = readOnce(async (key: string) => {
    const bytes = await store.load(key);
    return bytes && { bytes, table: decodeReceiptTable(bytes) };
  });

  const header = async (hash: Hash): Promise<HeaderRecord | undefined> => {
    const cached = headers.get(hash);
    if (cached !== undefined) return cached;
    const bytes = await store.load(headerKey(hash));
    if (bytes === undefined) return undefined;
    const record = decodeHeaderRecord(bytes);
    headers.set(hash, record);
    return record;
  };
  return {
    header,
    async body(hash) {
      const cached = bodies.get(hash);
      if (cached !== undefined) return cached;
      const record = await header(hash);
      if (record === undefined) return undefined;
      if (record.transactionCount === 0) return EMPTY_BODY;
      const body = await readBody(bodyKey(record.unexecuted));
      if (body === undefined) throw corrupt("block body");
      bodies.set(hash, body);
      return body;
    },
    async receipts(hash) {
      const cached = receipts.get(hash);
      if (cached !== undefined) return cached;
      const record = await header(hash);
      if (record === undefined) return undefined;
      if (record.transactionCount === 0) return [];
      const read = await readReceipts(receiptsKey(hash));
      if (read === undefined) throw corrupt("receipt table");
      receipts.set(hash, read.table);
      return read.table;
    },
    async place(transaction) {
      const bytes = await store.load(transactionKey(transaction));
      return bytes && decodePlace(bytes);
    },
    hashAt: (number) => readHash(store, number),
  };
}

type BlockReaders = Pick<Ledger, "block" | "transactionAt" | "transaction" | "receipt">;

/** @param height of the head: a transaction of a block above it is not on the chain yet */
function blockReaders(
  options: LedgerOptions,
  records: Records,
  height: () => number,
): BlockReaders {
  const { suite, version } = options;
  // A caller that is given a receipt asks for its block next, which is found from the head on.
  const placeOf = async (transaction: Hash) => {
    const place = await records.place(transaction);
    return place !== undefined && place.number <= height() ? place : undefined;
  };
  const transactionAt = async (
    blockHash: Hash,
    index: number,
    known?: Hash,
  ): ReturnType<Ledger["transactionAt"]> => {
    const record = await records.header(blockHash);
    const body = await records.body(blockHash);
    const hash = known ?? (body && (await longHash(body, index, options)));
    const transaction = body && decodedAt(body, index, suite, hash);
    if (record === undefined || transaction === undefined) return undefined;
    return { transaction, blockHash, blockNumber: record.header.number, index };
  };
  return {
    transactionAt: (blockHash, index) => transactionAt(blockHash, index),
    async transaction(hash) {
      const place = await placeOf(hash);
      return place && transactionAt(records.hashAt(place.number), place.index, hash);
    },
    async receipt(hash) {
      const place = await placeOf(hash);
      if (place === undefined) return undefined;
      const blockHash = records.hashAt(place.number);
      const placed = await transactionAt(blockHash, place.index, hash);
      const raw = (await records.receipts(blockHash))?.[place.index];
      if (placed === undefined || raw === undefined) throw corrupt("transaction place");
      return { ...placed, receipt: readReceipt(raw, version) };
    },
    async block(hash) {
      const record = await records.header(hash);
      const body = await records.body(hash);
      const receipts = await records.receipts(hash);
      if (record === undefined || body === undefined || receipts === undefined) return undefined;
      return {
        header: record.header,
        hash,
        seals: record.seals,
        transactions: await allDecoded(body, options),
        receipts: receipts.map((raw) => readReceipt(raw, version)),
      };
    },
  };
}

type ProofReaders = Pick<Ledger, "transactionProof" | "receiptProof">;

function proofReaders(options: LedgerOptions, records: Records): ProofReaders {
  const { suite, hashLong } = options;
  return {
    transactionProof: proofReader(options, async (block) => {
      const body = await records.body(block);
      return body && (await allDecoded(body, options)).map(({ hash }) => hash);
    }),
    receiptProof: proofReader(options, async (block) => {
      const receipts = await records.receipts(block);
      const hashes: Hash[] = [];
      for (const raw of receipts ?? []) {
        const isLong = raw.length >= LONG_TRANSACTION_BYTES;
        hashes.push(hashOf(isLong && hashLong ? await hashLong(raw) : suite.hash(raw)));
      }
      return receipts && hashes;
    }),
  };
}

/**
 * A caller that wants proofs mostly wants those of one block, one after the other: its tree is
 * kept. There are no proofs below 2.2.0, and none for an index outside of the block.
 * Source: tx-block-codec 8.4
 */
function proofReader(
  { suite, version }: LedgerOptions,
  hashesOf: (block: Hash) => Promise<readonly Hash[] | undefined>,
): (block: Hash, index: number) => Promise<readonly ProofLevel[]> {
  let kept: { readonly block: Hash; readonly tree: MerkleTree } | undefined;
  return async (block, index) => {
    if (kept?.block !== block) {
      const hashes = await hashesOf(block);
      if (hashes === undefined || version < MERKLE_FROM) return [];
      kept = { block, tree: merkleTree(hashes.map(idBytes), suite.hash) };
    }
    const count = kept.tree[0]?.length ?? 0;
    const isInside = Number.isInteger(index) && index >= 0 && index < count;
    return isInside ? proofIn(kept.tree, index) : [];
  };
}

async function readRawBody(
  records: Records,
  hash: Hash,
  options: LedgerOptions,
): Promise<RawBody | undefined> {
  const body = await records.body(hash);
  if (body === undefined) return undefined;
  const { transactions, senders } = body;
  const hashes = (await allDecoded(body, options)).map(({ hash: own }) => own);
  return { transactions, senders, hashes };
}

/** The hash of a very long transaction that is not decoded yet, computed elsewhere. */
async function longHash(
  { transactions, decoded }: CachedBody,
  index: number,
  { hashLong }: LedgerOptions,
): Promise<Hash | undefined> {
  const raw = transactions[index];
  if (!hashLong || raw === undefined || decoded[index] !== undefined) return undefined;
  return raw.length < LONG_TRANSACTION_BYTES ? undefined : hashOf(await hashLong(raw));
}

async function allDecoded(body: CachedBody, options: LedgerOptions): Promise<SignedTransaction[]> {
  const long = new Map<number, Hash>();
  for (const [index, raw] of body.transactions.entries()) {
    if (raw.length < LONG_TRANSACTION_BYTES) continue;
    const hash = await longHash(body, index, options);
    if (hash) long.set(index, hash);
  }
  return body.transactions.map((_, index) => {
    const transaction = decodedAt(body, index, options.suite, long.get(index));
    if (transaction === undefined) throw corrupt("block body");
    return transaction;
  });
}

function decodedAt(
  body: CachedBody,
  index: number,
  suite: CryptoSuite,
  hash: Hash | undefined,
): SignedTransaction | undefined {
  const known = body.decoded[index];
  if (known !== undefined) return known;
  const raw = body.transactions[index];
  const from = body.senders[index];
  if (raw === undefined || from === undefined) return undefined;
  const decoding = decodeTransaction(raw, suite, hash);
  if (!decoding.ok) throw corrupt("transaction");
  const transaction = withSender(decoding.transaction, from);
  body.decoded[index] = transaction;
  return transaction;
}

async function readNonces(store: Store, from: number, to: number): Promise<BlockNonces[]> {
  const found: BlockNonces[] = [];
  for (let start = from; start <= to; start += NONCE_RANGE) {
    const end = Math.min(to, start + NONCE_RANGE - 1);
    const part = await store.range(noncesKey(start), noncesKey(end + 1), NONCE_RANGE);
    // Every block has its record: one that is missing would let a transaction in twice.
    for (let number = start; number <= end; number++) {
      const record = part[number - start];
      if (record?.key !== noncesKey(number))
        throw new StoreFault("corrupt", `the nonces of block ${number} are gone`);
      found.push({ number, nonces: decodeNonces(record.value) });
    }
  }
  return found;
}

function readHead(store: Store, rows: RowSource): ReturnType<Ledger["head"]> {
  const number = currentNumber(rows);
  if (number === undefined) throw new StoreFault("corrupt", "the store holds no block");
  return { number, hash: readHash(store, number) };
}

function readHash(store: Store, number: number): Hash {
  const bytes = store.get(numberKey(number));
  if (bytes?.length !== 32) throw new StoreFault("corrupt", `block ${number} has no hash`);
  return hashOf(bytes);
}

function bytesOfAll(items: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const item of items) bytes += item.length + ITEM_BYTES;
  return bytes;
}
