/** Receipts and log entries: fields, encoding, hash. Source: tx-block-codec 4, 5 */
import { addressOf, hashOf, idBytes } from "../bytes/hex.ts";
import { type Address, type Hash, ZERO_ADDRESS } from "../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpInput, RlpReader } from "../bytes/rlp.ts";
import { BLOOM_BYTES } from "../crypto/bloom.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { version, type Version } from "./version.ts";

/** One log entry. Source: tx-block-codec 4 */
export interface LogEntry {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Uint8Array;
}

/** A receipt as it is hashed. Source: tx-block-codec 5 */
export interface Receipt {
  /** State root of the block. */
  readonly root: Hash;
  /** Per transaction from version 2.9.0 on, cumulative before; unsigned 256-bit arithmetic. */
  readonly gasUsed: bigint;
  /** The zero address for calls and failed creations. */
  readonly contractAddress: Address;
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  /** Receipt status, interface 7.3. */
  readonly status: number;
  readonly output: Uint8Array;
  /** Encoded from compatibility version 2.9.0 on. */
  readonly remainGas: bigint;
  readonly logs: readonly LogEntry[];
}

/**
 * From here on receipts carry remainGas, and gasUsed is per transaction. Source: tx-block-codec 5
 */
const REMAIN_GAS_FROM = version(2, 9, 0);
const ADDRESS_BYTES = 20;

/** The RLP of a receipt: 7 items, 8 from 2.9.0 on. Source: tx-block-codec 5 */
export function encodeReceipt(receipt: Receipt, compatibility: Version): Uint8Array {
  const items: RlpInput[] = [
    idBytes(receipt.root),
    receipt.gasUsed,
    idBytes(receipt.contractAddress),
    receipt.logsBloom,
    receipt.status,
    receipt.output,
  ];
  if (compatibility >= REMAIN_GAS_FROM) items.push(receipt.remainGas);
  items.push(receipt.logs.map(logItems));
  return encodeRlp(items);
}

function logItems({ address, topics, data }: LogEntry): RlpInput {
  return [idBytes(address), topics.map(idBytes), data];
}

/**
 * The receipt whose encoding the bytes are, views of them; undefined when malformed.
 * Source: tx-block-codec 5
 */
export function decodeReceipt(bytes: Uint8Array, compatibility: Version): Receipt | undefined {
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const head = readHead(items, compatibility);
  const list = items.list();
  const logs = list.all(readLog);
  if (!list.complete()) items.fail();
  return items.complete() ? { ...head, logs } : undefined;
}

/** All in front of the logs. */
function readHead(items: RlpReader, compatibility: Version): Omit<Receipt, "logs"> {
  return {
    root: items.hash(),
    gasUsed: items.uint(),
    contractAddress: readAddress(items),
    logsBloom: items.fixed(BLOOM_BYTES),
    status: items.safe(),
    output: items.string(),
    remainGas: compatibility >= REMAIN_GAS_FROM ? items.uint() : 0n,
  };
}

/** A receipt of many bytes: its logs are decoded when they are asked for, all or some. */
interface OpenReceipt extends Receipt {
  /** The list of logs, without its prefix. */
  readonly logBytes: Uint8Array;
}

/** Whether the logs of a receipt can be decoded some at a time. */
export function isOpenReceipt(receipt: Receipt): receipt is OpenReceipt {
  return "logBytes" in receipt;
}

/** As {@link decodeReceipt}, but malformed logs show when asked for. Source: tx-block-codec 5 */
export function openReceipt(bytes: Uint8Array, compatibility: Version): OpenReceipt | undefined {
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const head = readHead(items, compatibility);
  if (!items.next() || !items.isList || !items.complete()) return undefined;
  const logBytes = bytes.subarray(items.payloadStart, items.payloadEnd);
  return {
    ...head,
    logBytes,
    get logs() {
      return new RlpReader(logBytes).all(readLog);
    },
  };
}

/**
 * The entries from a position on, until they have this many bytes, and where the next begins;
 * undefined when they are malformed.
 */
export function readLogs(
  logBytes: Uint8Array,
  { from, most }: { readonly from: number; readonly most: number },
): { readonly logs: readonly LogEntry[]; readonly next: number } | undefined {
  const reader = new RlpReader(logBytes, from);
  const logs: LogEntry[] = [];
  while (reader.hasNext() && (logs.length === 0 || reader.position < from + most))
    logs.push(readLog(reader));
  return reader.failed ? undefined : { logs, next: reader.position };
}

function readLog(list: RlpReader): LogEntry {
  const items = list.list();
  const address = readAddress(items);
  const topicList = items.list();
  const topics = topicList.all((topic) => topic.hash());
  const data = items.string();
  if (!topicList.complete() || !items.complete()) list.fail();
  return { address, topics, data };
}

function readAddress(items: RlpReader): Address {
  const bytes = items.fixed(ADDRESS_BYTES);
  return items.failed ? ZERO_ADDRESS : addressOf(bytes);
}

/** The receipt hash: what the receipts root is made of. Source: tx-block-codec 5 */
export function receiptHash(receipt: Receipt, compatibility: Version, suite: CryptoSuite): Hash {
  return hashOf(suite.hash(encodeReceipt(receipt, compatibility)));
}
