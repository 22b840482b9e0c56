/** Subscriptions over WebSockets, and what each is told. Source: channel-protocol 7.3 */
import { describe } from "../../actors/supervise.ts";
import type { GroupId, Hash } from "../../bytes/ids.ts";
import { RpcFault } from "../../fault/rpc-fault.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Json } from "../../rpc/json.ts";
import { sizeOfFilter } from "../../rpc/log-filter.ts";
import type { Method } from "../../rpc/method.ts";
import { type Answer, answerOf, oneByOne } from "../../rpc/long-answer.ts";
import { presentFarReceipt, presentHeader, presentReceipt } from "../../rpc/present.ts";
import {
  notificationText,
  presentLocatedLog,
  type Subscription,
  subscriptionMethods,
} from "../../rpc/subscription.ts";
import { YieldTimer, sleep } from "../../limits/yield-timer.ts";
import { createPace, type Pace } from "../../limits/pace.ts";
import type { Receipt } from "../../model/receipt.ts";
import type { NodeApi } from "../../api/node-api.ts";
import {
  BlockCursor,
  type FollowedBlocks,
  followedBlocks,
  NEW_BLOCKS,
  PAUSE_MS,
  UNSENT_BYTES,
} from "./block-cursor.ts";
import { matchingLogs, type ReadBlock, RecentBlocks, textIn } from "./recent-blocks.ts";

/** What clients may have at most. */
export const SUBSCRIPTION_BOUNDS = {
  /** Of one connection; one more ends it. */
  perConnection: 1_000,
  /** Of one connection those that take every receipt or every log entry; more are refused. */
  unfilteredPerConnection: 32,
  /** Of all connections; one more is refused. */
  total: 100_000,
  /** Of the connections of one client; one more is refused. */
  perClient: 20_000,
  /** Addresses and topics of all filters of a connection; more are refused. */
  valuesPerConnection: 10_000,
} as const;

/** A longer receipt is not made into one text. */
const LONG_RECEIPT_BYTES = 64 * 1024;

/** What the transport gives for a connection. */
export interface SubscriberSocket {
  /** Whose it is. */
  readonly address: string;
  /** Queues a text for the client. */
  send(text: Answer): void;
  unsentBytes(): number;
  /** False once the connection ends: what is sent then reaches nobody. */
  isOpen(): boolean;
  /** Ends the connection; the client is informed why. */
  refuse(reason: string): void;
}

/** One body of requests of a connection. */
export interface SubscriberRequest {
  /** The operations that only this connection has. */
  readonly method: (name: string) => Method | undefined;
  /** The answers are sent: notifications may follow. */
  answered(): void;
}

/** A connection as the transport sees it. */
export interface SubscriberLine {
  request(): SubscriberRequest;
  close(): void;
}

interface Kept {
  readonly cursor: BlockCursor;
  readonly subscription: Subscription;
  readonly values: number;
  readonly isUnfiltered: boolean;
}

/** The connections of a node. A class because it owns them. */
export class SubscriptionService {
  readonly node: NodeApi;
  readonly blocks: RecentBlocks;
  readonly yieldTimer: YieldTimer;
  /** Of those who wake subscriptions: telling does not wait for it. */
  readonly #waking: YieldTimer;
  /** Between pieces of long receipts. */
  readonly pace: Pace;
  readonly clock: Clock;
  readonly log: Log;
  readonly #lines = new Set<Line>();
  /** Subscriptions of all connections, and of those of each client. */
  #count = 0;
  readonly #counts = new Map<string, number>();

  constructor(node: NodeApi, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.node = node;
    this.blocks = new RecentBlocks(node, clock);
    this.yieldTimer = new YieldTimer(clock);
    this.#waking = new YieldTimer(clock);
    this.pace = createPace(clock);
    this.clock = clock;
    this.log = log;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether one more of a client may be added. */
  hasRoom({ address }: SubscriberSocket): boolean {
    const { total, perClient } = SUBSCRIPTION_BOUNDS;
    return this.#count < total && (this.#counts.get(address) ?? 0) < perClient;
  }

  /** One of a client was added, or ended. */
  change({ address }: SubscriberSocket, by: 1 | -1): void {
    const own = (this.#counts.get(address) ?? 0) + by;
    this.#count += by;
    if (own === 0) this.#counts.delete(address);
    else this.#counts.set(address, own);
  }

  /** A connection. */
  open(socket: SubscriberSocket): SubscriberLine {
    const line = new Line(this, socket, () => this.#lines.delete(line));
    this.#lines.add(line);
    return line;
  }

  /** A group has one block more: its subscriptions go on, those of many in several turns. */
  async onBlock({ groupId }: { readonly groupId: GroupId }): Promise<void> {
    for (const line of [...this.#lines]) {
      line.onBlock(groupId);
      await this.#waking.pause();
    }
  }
}

/** The subscriptions of one connection. */
class Line implements SubscriberLine {
  readonly #service: SubscriptionService;
  readonly #socket: SubscriberSocket;
  readonly #onClosed: () => void;
  readonly #kept = new Map<string, Kept>();
  #lastId = 0;
  #values = 0;
  #unfiltered = 0;

  constructor(service: SubscriptionService, socket: SubscriberSocket, onClosed: () => void) {
    this.#service = service;
    this.#socket = socket;
    this.#onClosed = onClosed;
  }

  request(): SubscriberRequest {
    const made: string[] = [];
    const methods = subscriptionMethods({
      subscribe: (groupId, subscription) => {
        const id = this.#subscribe(groupId, subscription);
        made.push(id);
        return id;
      },
      unsubscribe: (id) => this.#end(id),
    });
    return {
      method: (name) => methods.find((method) => method.name === name),
      answered: () => {
        for (const id of made) this.#begin(id);
      },
    };
  }

  onBlock(groupId: GroupId): void {
    if (!this.#socket.isOpen()) return;
    for (const { cursor } of this.#kept.values()) if (cursor.groupId === groupId) void cursor.run();
  }

  close(): void {
    for (const id of [...this.#kept.keys()]) this.#end(id);
    this.#service.blocks.forget(this);
    this.#onClosed();
  }

  #subscribe(groupId: GroupId, subscription: Subscription): string {
    const {
      perConnection,
      valuesPerConnection,
      unfilteredPerConnection: most,
    } = SUBSCRIPTION_BOUNDS;
    const isLast = this.#kept.size >= perConnection;
    if (isLast) this.#socket.refuse(`more than ${perConnection} subscriptions`);
    const values = subscription.kind === "logs" ? sizeOfFilter(subscription.filter) : 0;
    const hasRoom = this.#service.hasRoom(this.#socket);
    if (isLast || !hasRoom || this.#values + values > valuesPerConnection)
      throw new RpcFault("internalError", "there are too many subscriptions");
    const isUnfiltered = takesAll(subscription);
    if (isUnfiltered && this.#unfiltered >= most) {
      const reason = `more than ${most} subscriptions to all receipts or all logs`;
      throw new RpcFault("internalError", reason);
    }
    const blocks = this.#blocksOf(groupId, subscription);
    this.#lastId += 1;
    const id = `0x${this.#lastId.toString(16)}`;
    const cursor = this.#follow(id, subscription, blocks);
    this.#kept.set(id, { cursor, subscription, values, isUnfiltered });
    this.#values += values;
    if (isUnfiltered) this.#unfiltered += 1;
    this.#service.change(this.#socket, 1);
    return id;
  }

  /** @throws RpcFault -32602 for a range that the group does not admit */
  #blocksOf(groupId: GroupId, subscription: Subscription): FollowedBlocks {
    const group = this.#service.node.group(groupId);
    const head = group?.ledger.head().number ?? 0;
    if (subscription.kind !== "logs" || !group) return { groupId, from: head + 1, to: undefined };
    const blocks = followedBlocks(group, subscription);
    if (blocks === "endsBefore")
      throw new RpcFault("invalidParams", "toBlock is below the latest block");
    if (blocks === "beginsTooEarly") {
      const limit = group.eventLimits?.maxBlockRange;
      throw new RpcFault("invalidParams", `fromBlock is more than ${limit} blocks back`);
    }
    return blocks;
  }

  #follow(id: string, subscription: Subscription, blocks: FollowedBlocks): BlockCursor {
    const { node, blocks: recent, yieldTimer, clock, log } = this.#service;
    const { groupId } = blocks;
    const cursor = new BlockCursor(
      {
        node,
        clock,
        // History waits for a client that has much unread; what is new does not.
        hold: (behind = 0) => {
          const mustRead = behind >= NEW_BLOCKS && this.#socket.unsentBytes() > UNSENT_BYTES;
          return mustRead ? sleep(clock, PAUSE_MS) : undefined;
        },
        advance: async (next) => {
          const block = await recent.get(groupId, next, this);
          await yieldTimer.pause();
          if (!cursor.isClosed) await this.#notify(id, subscription, block);
          return next + 1;
        },
        completed: () => {
          this.#socket.send(notificationText(id, "null"));
          this.#end(id);
        },
        failed: (cause) => {
          const fields = { group: groupId, cause: describe(cause) };
          log.write("warning", "a block of a subscription cannot be read", fields);
        },
      },
      blocks,
    );
    return cursor;
  }

  #begin(id: string): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    const { subscription, cursor } = kept;
    const hash = subscription.kind === "receipts" ? subscription.transactionHash : undefined;
    void cursor.begin();
    if (hash !== undefined) void this.#pushKnown(id, hash, cursor.groupId);
  }

  /** The transaction may be in a block already. */
  async #pushKnown(id: string, hash: Hash, groupId: GroupId): Promise<void> {
    const { log } = this.#service;
    try {
      if (await this.#pushReceipt(id, hash, groupId)) this.#end(id);
    } catch (cause) {
      log.write("warning", "a receipt cannot be read", { cause: describe(cause) });
    }
  }

  /** @returns false when there is none, or a block that came meanwhile had it told */
  async #pushReceipt(id: string, hash: Hash, groupId: GroupId): Promise<boolean> {
    const { node, pace } = this.#service;
    // Each may have tens of megabytes, and a client may ask for a thousand.
    const text = await oneByOne(node, this.#socket, async () => {
      if (!this.#kept.has(id)) return undefined;
      const located = await node.group(groupId)?.ledger.receipt(hash);
      return located && (await answerOf(presentFarReceipt(located), pace));
    });
    if (text === undefined || !this.#kept.has(id)) return false;
    this.#send(id, text);
    return true;
  }

  async #notify(id: string, subscription: Subscription, read: ReadBlock): Promise<void> {
    const { block } = read;
    switch (subscription.kind) {
      case "blocks":
        return this.#sendPart(id, read, "header", () => presentHeader(block, false));
      case "receipts":
        return await this.#pushReceipts(id, subscription, read);
      case "logs":
        for (const located of matchingLogs(read, subscription.filter)) {
          if (!this.#socket.isOpen()) return;
          const name = `log ${located.transactionIndex} ${located.logIndex}`;
          this.#sendPart(id, read, name, () => presentLocatedLog(located));
          await this.#service.yieldTimer.pause();
        }
    }
  }

  async #pushReceipts(
    id: string,
    wanted: Extract<Subscription, { kind: "receipts" }>,
    read: ReadBlock,
  ): Promise<void> {
    const { transactionHash, sender } = wanted;
    const { header, hash: blockHash, transactions, receipts } = read.block;
    for (const [index, transaction] of transactions.entries()) {
      if (!this.#socket.isOpen()) return;
      const receipt = receipts[index];
      if (receipt === undefined || (sender ?? transaction.from) !== transaction.from) continue;
      if ((transactionHash ?? transaction.hash) !== transaction.hash) continue;
      const place = { transaction, blockHash, blockNumber: header.number, index };
      const present = () => presentReceipt({ ...place, receipt });
      if (isLong(receipt)) await this.#pushReceipt(id, transaction.hash, read.groupId);
      else this.#sendPart(id, read, `receipt ${index}`, present);
      if (transactionHash !== undefined) this.#end(id);
      await this.#service.yieldTimer.pause();
    }
  }

  #sendPart(id: string, read: ReadBlock, name: string, present: () => Json): void {
    this.#send(id, textIn(read, name, present));
  }

  /** The result is JSON text. */
  #send(id: string, result: Answer): void {
    if (this.#kept.has(id)) this.#socket.send(notificationText(id, result));
  }

  #end(id: string): boolean {
    const kept = this.#kept.get(id);
    if (!kept) return false;
    kept.cursor.close();
    this.#kept.delete(id);
    this.#values -= kept.values;
    if (kept.isUnfiltered) this.#unfiltered -= 1;
    this.#service.change(this.#socket, -1);
    return true;
  }
}

/** Whether a receipt is read again, piece by piece while it is sent. */
function isLong({ output, logs }: Receipt): boolean {
  let bytes = output.length;
  for (const { data } of logs) bytes += data.length;
  return bytes > LONG_RECEIPT_BYTES;
}

/** Whether every receipt or log entry of the group is wanted. */
function takesAll(subscription: Subscription): boolean {
  if (subscription.kind === "logs") return sizeOfFilter(subscription.filter) === 0;
  if (subscription.kind === "blocks") return false;
  return subscription.transactionHash === undefined && subscription.sender === undefined;
}
