/**
 * One subscription to logs over the channel port: what is asked of the node, and which logs are
 * new. After a lost connection the node is asked again from the last log on, so that none is lost
 * and none comes twice. Source: channel-protocol 7.3
 */
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { withTopic } from "../../../core/channel/frame.ts";
import { type SubscriptionListener, tell, tellEnd } from "../../../core/client/transport.ts";

/** What is subscribed to. */
export interface LogSubscription {
  readonly groupId: number;
  /** `addresses`, `topics`, `fromBlock`, `toBlock`; all may be absent. */
  readonly filter: Readonly<Record<string, unknown>>;
  readonly listener: SubscriptionListener;
}

/** A log as the port pushes it; heights are decimal there. */
interface PushedLog {
  readonly blockNumber?: unknown;
  readonly transactionIndex?: unknown;
  readonly logIndex?: unknown;
}

/** Block, transaction and log, in this order. */
type Position = readonly [number, number, number];

/** Decimal digits or a quantity, also as a number; undefined for anything else. */
export function countOf(told: unknown): number | undefined {
  const isText = typeof told === "string" && /^(\d{1,16}|0x[0-9a-f]{1,14})$/i.test(told);
  const count = isText || typeof told === "number" ? Number(told) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Undefined when it is no log. */
function positionOf(log: PushedLog | null | undefined): Position | undefined {
  const block = countOf(log?.blockNumber);
  const transaction = countOf(log?.transactionIndex);
  const index = countOf(log?.logIndex);
  if (block === undefined || transaction === undefined || index === undefined) return undefined;
  return [block, transaction, index];
}

function isBehind(position: Position, last: Position): boolean {
  for (const [i, part] of position.entries()) {
    if (part !== last[i]) return part > (last[i] ?? 0);
  }
  return false;
}

/** A subscription to logs. */
export class LogFeed {
  readonly id: string;
  readonly #subscription: LogSubscription;
  /** Where the first registration began. */
  readonly #from: string;
  #last: Position | undefined;

  /** @param head height at this moment, at which a feed without `fromBlock` begins */
  constructor(id: string, subscription: LogSubscription, head: string) {
    this.id = id;
    this.#subscription = subscription;
    const { fromBlock = "latest" } = subscription.filter;
    this.#from = fromBlock === "latest" ? BigInt(head).toString() : String(fromBlock);
  }

  /** Data of the frames that register and unregister it. */
  data(): Uint8Array {
    const { groupId, filter } = this.#subscription;
    const { addresses = [], topics = [], toBlock = "latest" } = filter;
    const text = {
      addresses,
      filterID: this.id,
      fromBlock: this.#last === undefined ? this.#from : String(this.#last[0]),
      groupID: groupId,
      toBlock: String(toBlock),
      topics,
    };
    return withTopic("", utf8Bytes(JSON.stringify(text)));
  }

  /**
   * Tells the logs that are new; heights as quantities, as everywhere else. What is no log is
   * dropped: its place would hide those that follow.
   */
  take(logs: unknown): void {
    for (const log of Array.isArray(logs) ? (logs as readonly PushedLog[]) : []) {
      const position = positionOf(log);
      if (position === undefined) continue;
      if (this.#last !== undefined && !isBehind(position, this.#last)) continue;
      this.#last = position;
      tell(this.#subscription.listener, { ...log, blockNumber: `0x${position[0].toString(16)}` });
    }
  }

  /** Nothing more comes. */
  end(cause: Error): void {
    tellEnd(this.#subscription.listener, cause);
  }
}
