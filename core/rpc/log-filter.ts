/**
 * Filters of log entries: which a client wants, by address and by topic at each position.
 * Source: channel-protocol 7.3
 */
import { isAddress } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import type { Block } from "../model/block.ts";
import type { LogEntry } from "../model/receipt.ts";
import type { Json } from "./json.ts";

/** Which log entries are wanted; texts are `0x` and lower-case digits. */
export interface LogFilter {
  /** Empty admits every address. */
  readonly addresses: ReadonlySet<string>;
  /** Alternatives by position; an empty set admits every topic, and none at all. */
  readonly topics: readonly ReadonlySet<string>[];
}

/** A log entry and where it is. */
export interface LocatedLog {
  readonly log: LogEntry;
  readonly blockHash: Hash;
  readonly blockNumber: number;
  readonly transactionHash: Hash;
  readonly transactionIndex: number;
  /** Position in the receipt. */
  readonly logIndex: number;
}

/** A log entry has no more topics. */
const MAX_TOPICS = 4;
/** Most addresses of a filter, and most alternatives of a position. */
export const MAX_ALTERNATIVES = 1_000;
/** A longer text is no address and no topic. */
const MAX_TEXT_CHARS = 66;

/**
 * Reads the two members of a filter. A text that is no topic matches nothing.
 *
 * @param addresses list of texts or one text
 * @param topics list of at most four entries: text, null for any, or list of alternatives; or one
 *   text, which stands at the first position
 * @returns undefined when a type does not fit, a list is too long, or a text is no address
 * Source: channel-protocol 7.3
 */
export function readLogFilter(
  addresses: Json | undefined,
  topics: Json | undefined,
): LogFilter | undefined {
  const wanted = readAlternatives(typeof addresses === "string" ? [addresses] : addresses);
  const positions = typeof topics === "string" ? [topics] : topics;
  if (wanted === undefined || !isList(positions) || positions.length > MAX_TOPICS) return undefined;
  if (![...wanted].every(isAddress)) return undefined;
  const read = positions.map((entry) => {
    if (entry === null) return new Set<string>();
    return readAlternatives(typeof entry === "string" ? [entry] : entry);
  });
  const complete = read.filter((it) => it !== undefined);
  return complete.length === read.length ? { addresses: wanted, topics: complete } : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A null among the alternatives adds nothing. */
function readAlternatives(value: Json | undefined): ReadonlySet<string> | undefined {
  if (!isList(value) || value.length > MAX_ALTERNATIVES) return undefined;
  const texts = value.filter((it) => it !== null);
  const isText = (it: Json): it is string => typeof it === "string";
  return texts.every(isText) ? new Set(texts.map(normalised)) : undefined;
}

function normalised(text: string): string {
  const cut = text.slice(0, MAX_TEXT_CHARS + 1).toLowerCase();
  return cut.startsWith("0x") ? cut : `0x${cut}`;
}

/** How much a filter holds: texts of all its lists. */
export function sizeOfFilter({ addresses, topics }: LogFilter): number {
  return topics.reduce((sum, alternatives) => sum + alternatives.size, addresses.size);
}

/** Whether a log entry is wanted. Source: channel-protocol 7.3 (matching) */
export function matchesLog(filter: LogFilter, log: LogEntry): boolean {
  if (filter.addresses.size > 0 && !filter.addresses.has(log.address)) return false;
  return filter.topics.every((alternatives, position) => {
    if (alternatives.size === 0) return true;
    const topic = log.topics[position];
    return topic !== undefined && alternatives.has(topic);
  });
}

/** The log entries of a block, in the order of transactions and of their receipts. */
export function logsOfBlock({ header, hash, transactions, receipts }: Block): LocatedLog[] {
  return receipts.flatMap(({ logs }, transactionIndex) => {
    const transaction = transactions[transactionIndex];
    if (transaction === undefined) return [];
    return logs.map((log, logIndex) => ({
      log,
      blockHash: hash,
      blockNumber: header.number,
      transactionHash: transaction.hash,
      transactionIndex,
      logIndex,
    }));
  });
}
