/**
 * Ledger objects as JSON; each field list is also the schema of its result.
 * Source: rpc-semantics 3.2, 6; interface 2
 */
import { isAllZero } from "../bytes/bytes.ts";
import { toHex, toPrefixedHex } from "../bytes/hex.ts";
import { ZERO_ADDRESS, type Address } from "../bytes/ids.ts";
import { quantity } from "../bytes/quantity.ts";
import type { StoredPart } from "../bytes/stored-bytes.ts";
import { StoreFault } from "../fault/store-fault.ts";
import { transactionStatusName } from "../fault/transaction-status.ts";
import type { Block } from "../model/block.ts";
import type { Header, Seal } from "../model/header.ts";
import { isOpenReceipt, type LogEntry, readLogs, type Receipt } from "../model/receipt.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import type {
  LedgerApi,
  LocatedReceipt,
  LocatedTransaction,
  SealedHeader,
} from "../ports/ledger.ts";
import type { ProofLevel } from "../crypto/merkle.ts";
import { farBytes, farList, partOf } from "./far-values.ts";
import type { Json, JsonObject } from "./json.ts";
import { MAX_LIST_BYTES } from "./long-answer.ts";
import {
  ADDRESS,
  anyOf,
  BARE_HEX,
  BLOOM,
  BYTES,
  HASH,
  INTEGER,
  listOf,
  NODE_ID,
  objectOf,
  orNull,
  QUANTITY,
  reference,
  type Schema,
  type Shown,
  TEXT,
} from "./schema.ts";

const SEAL = { index: QUANTITY, signature: BYTES };

const SIGNATURE = { r: HASH, s: HASH, signature: BYTES, v: anyOf(QUANTITY, BYTES) };

const PENDING = {
  blockLimit: QUANTITY,
  chainId: QUANTITY,
  extraData: BYTES,
  from: ADDRESS,
  gas: QUANTITY,
  gasPrice: QUANTITY,
  groupId: QUANTITY,
  hash: HASH,
  input: BYTES,
  nonce: QUANTITY,
  signature: objectOf(SIGNATURE),
  to: orNull(ADDRESS),
  value: QUANTITY,
};

const LOCATED = {
  ...PENDING,
  blockHash: HASH,
  blockNumber: QUANTITY,
  transactionIndex: QUANTITY,
};

const LOG = { address: ADDRESS, data: BYTES, topics: listOf(HASH) };

/** What a receipt has everywhere. Source: interface 2.5 */
const PROVED_RECEIPT = {
  blockHash: HASH,
  blockNumber: QUANTITY,
  contractAddress: ADDRESS,
  from: ADDRESS,
  gasUsed: QUANTITY,
  input: BYTES,
  logs: listOf(objectOf(LOG)),
  logsBloom: BLOOM,
  output: BYTES,
  root: HASH,
  status: QUANTITY,
  to: orNull(ADDRESS),
  transactionHash: HASH,
  transactionIndex: QUANTITY,
};

const RECEIPT = { ...PROVED_RECEIPT, remainGas: QUANTITY, statusMsg: TEXT };

const HEADER = {
  dbHash: HASH,
  extraData: listOf(BYTES),
  gasLimit: QUANTITY,
  gasUsed: QUANTITY,
  hash: HASH,
  logsBloom: BLOOM,
  number: INTEGER,
  parentHash: HASH,
  receiptsRoot: HASH,
  sealer: QUANTITY,
  sealerList: listOf(NODE_ID),
  signatureList: listOf(objectOf(SEAL)),
  stateRoot: HASH,
  timestamp: QUANTITY,
  transactionsRoot: HASH,
};

const BLOCK = {
  ...HEADER,
  number: QUANTITY,
  transactions: listOf(anyOf(HASH, reference("Transaction"))),
};

const PROOF_LEVEL = { left: listOf(BARE_HEX), right: listOf(BARE_HEX) };

const BATCH_RECEIPT = {
  contractAddress: ADDRESS,
  from: ADDRESS,
  gasUsed: QUANTITY,
  logs: listOf(objectOf(LOG)),
  output: BYTES,
  status: QUANTITY,
  to: orNull(ADDRESS),
  transactionHash: HASH,
  transactionIndex: QUANTITY,
};

const BATCH_BLOCK = {
  blockHash: HASH,
  blockNumber: QUANTITY,
  receiptRoot: HASH,
  receiptsCount: QUANTITY,
};

/** Named objects of the self-description. */
export const LEDGER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Block: objectOf(BLOCK, ["signatureList"]),
  BlockHeader: objectOf(HEADER, ["signatureList"]),
  Transaction: objectOf(LOCATED),
  PendingTransaction: objectOf(PENDING),
  Receipt: objectOf(RECEIPT),
  ProvedReceipt: objectOf(PROVED_RECEIPT),
  Proof: listOf(objectOf(PROOF_LEVEL)),
  BatchReceipts: objectOf(
    { blockInfo: objectOf(BATCH_BLOCK), transactionReceipts: listOf(objectOf(BATCH_RECEIPT)) },
    ["transactionReceipts"],
  ),
};

/** How byte strings and logs are shown. */
interface Form {
  readonly bytes: (bytes: Uint8Array) => Json;
  readonly logs: (receipt: Receipt) => Json;
}

/** As texts, for a caller that holds the whole result anyway. */
const NEAR: Form = { bytes: toPrefixedHex, logs: ({ logs }) => logs.map((log) => presentLog(log)) };

/** Made when they are sent, where they are long. */
const FAR: Form = { bytes: farBytes, logs: farLogs };

/** Logs that are decoded and shown at a time, in bytes. */
const LOGS_AT_ONCE = 32 * 1024;

function farLogs(receipt: Receipt): Json {
  if (!isOpenReceipt(receipt)) return receipt.logs.map((log) => presentLog(log, FAR));
  const part = partOf(receipt.logBytes);
  return farList(() => logsOf(part));
}

async function* logsOf(part: StoredPart): AsyncGenerator<readonly Json[]> {
  for (let from = 0; from < part.length; ) {
    const { shown, next } = await someLogs(part, from);
    yield shown;
    from = next;
  }
}

/** Its frame ends before anybody waits: one that waits keeps whatever was in it, the record too. */
async function someLogs(part: StoredPart, from: number) {
  const some = readLogs(await part.read(), { from, most: LOGS_AT_ONCE });
  if (some === undefined) throw new StoreFault("corrupt", "the logs of a receipt do not decode");
  return { shown: some.logs.map((log) => presentLog(log, FAR)), next: some.next };
}

function presentSignature(signature: Uint8Array): Shown<typeof SIGNATURE> {
  const isRecoverable = signature.length === 65;
  return {
    r: `0x${toHex(signature, 0, 32)}`,
    s: `0x${toHex(signature, 32, 64)}`,
    signature: toPrefixedHex(signature),
    v: isRecoverable ? quantity(signature[64] ?? 0) : `0x${toHex(signature, 64)}`,
  };
}

/** Transactions of a block that are shown at a time. */
const TRANSACTIONS_AT_ONCE = 16;

/**
 * A block of the ledger as {@link presentBlock} shows it; its transactions are read when it is
 * sent. Source: rpc-semantics 6.1; decision 28
 */
export async function presentFarBlock(
  ledger: LedgerApi,
  sealed: SealedHeader,
  includeTransactions: boolean,
): Promise<Json> {
  // What reads on while a client does keeps no header.
  const { hash } = sealed;
  const some = async (from: number): Promise<Json[]> => {
    const shown: Json[] = [];
    for (let index = from; index < from + TRANSACTIONS_AT_ONCE; index++) {
      const located = await ledger.transactionAt(hash, index);
      if (located === undefined) break;
      const { transaction } = located;
      shown.push(
        includeTransactions ? presentLocated(located, transaction.to, FAR) : transaction.hash,
      );
    }
    return shown;
  };
  const first = await some(0);
  const all = async function* () {
    let shown = await some(0);
    for (let from = 0; shown.length > 0; shown = await some(from)) {
      yield shown;
      from += TRANSACTIONS_AT_ONCE;
    }
  };
  const transactions = first.length < TRANSACTIONS_AT_ONCE ? first : farList(all);
  return blockOf(sealed, includeTransactions, transactions);
}

/** A transaction that is in no block; `to` of a creation is null. Source: rpc-semantics 6.3 */
export function presentPending(
  transaction: SignedTransaction,
  form: Form = NEAR,
): Shown<typeof PENDING> {
  return {
    blockLimit: quantity(transaction.blockLimit),
    chainId: quantity(transaction.chainId),
    extraData: form.bytes(transaction.extraData),
    from: transaction.from,
    gas: quantity(transaction.gas),
    gasPrice: quantity(transaction.gasPrice),
    groupId: quantity(transaction.groupId),
    hash: transaction.hash,
    input: form.bytes(transaction.input),
    nonce: quantity(transaction.nonce),
    signature: presentSignature(transaction.signature),
    to: transaction.to,
    value: quantity(transaction.value),
  };
}

/** A list of them, as it is now. Source: decision 28 */
export function presentAllPending(transactions: readonly SignedTransaction[]): Json {
  return farList(async function* () {
    for (let at = 0; at < transactions.length; at += TRANSACTIONS_AT_ONCE) {
      const some = transactions.slice(at, at + TRANSACTIONS_AT_ONCE);
      yield some.map((transaction) => presentPending(transaction, FAR));
    }
  }, MAX_LIST_BYTES);
}

function presentLocated(
  located: LocatedTransaction,
  to: Address | null,
  form: Form,
): Shown<typeof LOCATED> {
  const { blockLimit, ...rest } = presentPending(located.transaction, form);
  return {
    blockHash: located.blockHash,
    blockLimit,
    blockNumber: quantity(located.blockNumber),
    ...rest,
    to,
    transactionIndex: quantity(located.index),
    value: rest.value,
  };
}

/** A transaction of the ledger; `to` of a creation is the zero address. Source: decision 8 */
export function presentTransaction(located: LocatedTransaction): Shown<typeof LOCATED> {
  return presentLocated(located, located.transaction.to ?? ZERO_ADDRESS, FAR);
}

function presentSeal(seal: Seal): Shown<typeof SEAL> {
  return { index: quantity(seal.index), signature: toPrefixedHex(seal.signature) };
}

/** A bloom filter of nothing. */
export const ZERO_BLOOM = `0x${"0".repeat(512)}`;

/** Blooms are nearly always empty, and long. */
function presentBloom(bloom: Uint8Array): string {
  return isAllZero(bloom) ? ZERO_BLOOM : toPrefixedHex(bloom);
}

type HeaderBody = Shown<Omit<typeof HEADER, "signatureList" | "number">>;

function presentHeaderBody(header: Header, hash: string): HeaderBody {
  return {
    dbHash: header.dbHash,
    extraData: header.extraData.map(toPrefixedHex),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    hash,
    logsBloom: presentBloom(header.logsBloom),
    parentHash: header.parentHash,
    receiptsRoot: header.receiptsRoot,
    sealer: quantity(header.sealer),
    sealerList: header.sealerList,
    stateRoot: header.stateRoot,
    timestamp: quantity(header.timestamp),
    transactionsRoot: header.transactionsRoot,
  };
}

/** A header; `number` is an integer. Source: rpc-semantics 6.2; decision 9 */
export function presentHeader(sealed: SealedHeader, includeSignatures: boolean): Json {
  const { header, hash, seals } = sealed;
  const body = { ...presentHeaderBody(header, hash), number: header.number };
  return includeSignatures ? { ...body, signatureList: seals.map(presentSeal) } : body;
}

/**
 * A block with transaction hashes, or with transactions and signatures. Source: rpc-semantics 6.1
 */
export function presentBlock(block: Block, includeTransactions: boolean): Json {
  const place = { blockHash: block.hash, blockNumber: block.header.number };
  const transactions = block.transactions.map((transaction, index) =>
    includeTransactions
      ? presentLocated({ transaction, ...place, index }, transaction.to, NEAR)
      : transaction.hash,
  );
  return blockOf(block, includeTransactions, transactions);
}

/** Signatures stand next to whole transactions. */
function blockOf(
  { header, hash, seals }: SealedHeader,
  isWhole: boolean,
  transactions: Json,
): Json {
  const body = { ...presentHeaderBody(header, hash), number: quantity(header.number) };
  if (!isWhole) return { ...body, transactions };
  return { ...body, signatureList: seals.map(presentSeal), transactions };
}

function presentLog(log: LogEntry, form: Form = NEAR): Shown<typeof LOG> {
  return { address: log.address, data: form.bytes(log.data), topics: log.topics };
}

/** A receipt; `to` of a creation is null. Source: rpc-semantics 6.4; decision 8 */
export function presentReceipt(located: LocatedReceipt, form: Form = NEAR): Shown<typeof RECEIPT> {
  const { receipt, transaction } = located;
  return {
    blockHash: located.blockHash,
    blockNumber: quantity(located.blockNumber),
    contractAddress: receipt.contractAddress,
    from: transaction.from,
    gasUsed: quantity(receipt.gasUsed),
    input: form.bytes(transaction.input),
    logs: form.logs(receipt),
    logsBloom: presentBloom(receipt.logsBloom),
    output: form.bytes(receipt.output),
    remainGas: quantity(receipt.remainGas),
    root: receipt.root,
    status: quantity(receipt.status),
    statusMsg: transactionStatusName(receipt.status),
    to: transaction.to,
    transactionHash: transaction.hash,
    transactionIndex: quantity(located.index),
  };
}

/** As {@link presentReceipt}; what is long is made when it is sent. Source: decision 28 */
export function presentFarReceipt(located: LocatedReceipt): Shown<typeof RECEIPT> {
  return presentReceipt(located, FAR);
}

/**
 * A receipt as it stands next to its proof: without the fields that were added to it.
 * Source: decision 32; interface 2.5
 */
export function presentProvedReceipt(located: LocatedReceipt): Shown<typeof PROVED_RECEIPT> {
  const { remainGas: _, statusMsg: __, ...receipt } = presentFarReceipt(located);
  return receipt;
}

/** A Merkle proof, leaf to root. Source: rpc-semantics 6.5 */
export function presentProof(proof: readonly ProofLevel[]): Json {
  return proof.map(
    (level): Shown<typeof PROOF_LEVEL> => ({
      left: level.left.map((item) => toHex(item)),
      right: level.right.map((item) => toHex(item)),
    }),
  );
}

/** A stretch of a block's receipts. */
export interface ReceiptRange {
  readonly block: Block;
  readonly from: number;
  readonly count: number;
}

/**
 * The receipts of a range in their short form; no list when none was asked for.
 * Source: rpc-semantics 13
 */
export function presentBatchReceipts({ block, from, count }: ReceiptRange): JsonObject {
  const blockInfo: Shown<typeof BATCH_BLOCK> = {
    blockHash: block.hash,
    blockNumber: quantity(block.header.number),
    receiptRoot: block.header.receiptsRoot,
    receiptsCount: quantity(block.receipts.length),
  };
  if (count === 0) return { blockInfo };
  const transactionReceipts = farList(async function* () {
    for (let index = from; index < from + count; index++) {
      const receipt = block.receipts[index];
      const transaction = block.transactions[index];
      if (receipt && transaction) yield [presentBatchReceipt(receipt, transaction, index)];
    }
  }, MAX_LIST_BYTES);
  return { blockInfo, transactionReceipts };
}

function presentBatchReceipt(
  receipt: Receipt,
  transaction: SignedTransaction,
  index: number,
): Shown<typeof BATCH_RECEIPT> {
  return {
    contractAddress: receipt.contractAddress,
    from: transaction.from,
    gasUsed: quantity(receipt.gasUsed),
    logs: FAR.logs(receipt),
    output: FAR.bytes(receipt.output),
    status: quantity(receipt.status),
    to: transaction.to,
    transactionHash: transaction.hash,
    transactionIndex: quantity(index),
  };
}
