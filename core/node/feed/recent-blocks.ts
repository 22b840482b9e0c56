/** Committed blocks for followers: near the head read once for all. Source: channel-protocol 7.3 */
import type { GroupId } from "../../bytes/ids.ts";
import { StoreFault } from "../../fault/store-fault.ts";
import type { Block } from "../../model/block.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Json } from "../../rpc/json.ts";
import { type LocatedLog, type LogFilter, logsOfBlock, matchesLog } from "../../rpc/log-filter.ts";
import { chargePermits, createBucket, type TokenBucket } from "../../limits/token-bucket.ts";
import { FairSemaphore } from "../../limits/fair-semaphore.ts";
import type { NodeApi } from "../../api/node-api.ts";

/** A block and what is derived from it once. */
export interface ReadBlock {
  readonly groupId: GroupId;
  /** About what it takes in memory. */
  readonly bytes: number;
  readonly block: Block;
  readonly logs: readonly LocatedLog[];
  /** The log entries by address, once somebody asks for one; see {@link matchingLogs}. */
  readonly addresses: Map<string, LocatedLog[]>;
  /** Parts of it as JSON text, by who wants them; see {@link textIn}. */
  readonly texts: Map<string, string>;
}

/** The log entries of a block that a filter admits, in their order. */
export function matchingLogs(read: ReadBlock, filter: LogFilter): LocatedLog[] {
  const [address, ...others] = filter.addresses;
  const among =
    address === undefined || others.length > 0 ? read.logs : (byAddress(read).get(address) ?? []);
  return among.filter(({ log }) => matchesLog(filter, log));
}

/** Most filters name one contract: they need not look at what others have written. */
function byAddress(read: ReadBlock): ReadonlyMap<string, readonly LocatedLog[]> {
  if (read.addresses.size > 0) return read.addresses;
  for (const located of read.logs) {
    const { address } = located.log;
    const known = read.addresses.get(address);
    if (known) known.push(located);
    else read.addresses.set(address, [located]);
  }
  return read.addresses;
}

/** A part of a block as JSON text, made once for all who follow it. */
export function textIn({ texts }: ReadBlock, name: string, present: () => Json): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(present());
  if (text.length <= MOST_KEPT_CHARS) texts.set(name, text);
  return text;
}

/** A longer text is made for each who wants it. */
const MOST_KEPT_CHARS = 64 * 1024;
/** Blocks of a group that are kept: those that many follow. */
const KEPT_BLOCKS = 8;
/** Older ones of them go when they have more bytes together. */
const KEPT_BYTES = 32 * 1024 * 1024;
/**
 * Older blocks are read one after the other, for this much of each second and so long at a stretch:
 * a node that begins at block 0 must not hold up consensus.
 */
const HISTORY_MS_PER_SECOND = 250;
const HISTORY_STRETCH_MS = 25;
const SECOND_MS = 1_000;

/** Reads blocks. A class because it keeps the last ones. */
export class RecentBlocks {
  readonly #node: Pick<NodeApi, "group">;
  readonly #clock: Clock;
  readonly #kept = new Map<GroupId, Map<number, Promise<ReadBlock>>>();
  readonly #turns = new FairSemaphore(1);
  readonly #time: TokenBucket;

  constructor(node: Pick<NodeApi, "group">, clock: Clock) {
    this.#node = node;
    this.#clock = clock;
    this.#time = createBucket(HISTORY_MS_PER_SECOND, clock.steady(), HISTORY_STRETCH_MS);
  }

  /**
   * A committed block.
   * @param reader a session, a connection: for old blocks readers have their turns in turn
   * @throws StoreFault when it is not there, its group does not run, or the reader is gone
   */
  async get(groupId: GroupId, number: number, reader: unknown): Promise<ReadBlock> {
    const head = this.#node.group(groupId)?.ledger.head().number ?? 0;
    if (head - number >= KEPT_BLOCKS) return this.#readInTurn(groupId, number, reader);
    const kept = this.#kept.get(groupId) ?? new Map<number, Promise<ReadBlock>>();
    this.#kept.set(groupId, kept);
    for (const old of kept.keys()) if (head - old >= KEPT_BLOCKS) kept.delete(old);
    const reading = kept.get(number) ?? this.#read(groupId, number);
    if (!kept.has(number)) void this.#keepFew(kept.set(number, reading));
    try {
      return await reading;
    } catch (cause) {
      kept.delete(number);
      throw cause;
    }
  }

  /** The newest is kept, and of those before it as many as do not take too much. */
  async #keepFew(kept: Map<number, Promise<ReadBlock>>): Promise<void> {
    let room = KEPT_BYTES;
    for (const number of [...kept.keys()].sort((a, b) => b - a)) {
      if (room <= 0) kept.delete(number);
      else room -= (await kept.get(number)?.catch(() => undefined))?.bytes ?? 0;
    }
  }

  async #readInTurn(groupId: GroupId, number: number, reader: unknown): Promise<ReadBlock> {
    if (!(await this.#turns.take(reader)))
      throw new StoreFault("io", "no caller waits for it any more");
    const begun = this.#clock.steady();
    try {
      return await this.#read(groupId, number);
    } finally {
      const now = this.#clock.steady();
      chargePermits(this.#time, now - begun, now);
      const owed = Math.max(0, -this.#time.stored);
      const rest = Math.ceil((owed / HISTORY_MS_PER_SECOND) * SECOND_MS);
      if (rest === 0) this.#turns.give(reader);
      else this.#clock.after(rest, () => this.#turns.give(reader));
    }
  }

  /** The reader is gone: what it waits for is not read. */
  forget(reader: unknown): void {
    this.#turns.forget(reader);
  }

  async #read(groupId: GroupId, number: number): Promise<ReadBlock> {
    const ledger = this.#node.group(groupId)?.ledger;
    const hash = await ledger?.hashOf(number);
    const block = hash === undefined ? undefined : await ledger?.block(hash);
    if (!block) throw new StoreFault("io", `block ${number} of group ${groupId} is not there`);
    const logs = logsOfBlock(block);
    let bytes = 0;
    for (const { raw } of block.transactions) bytes += raw.length;
    for (const { output } of block.receipts) bytes += output.length;
    for (const { log } of logs) bytes += log.data.length;
    return { groupId, bytes, block, logs, addresses: new Map(), texts: new Map() };
  }
}
