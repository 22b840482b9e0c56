/**
 * One subscription to logs over the channel port: what is asked of the node, and which logs are
 * new. After a lost connection the node is asked again from the last log on, so that none is lost
 * and none comes twice.
 *
 * Source: channel-protocol 7.3
 */
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { withTopic } from "../../../core/channel/frame.ts";
import type { SubscriptionListener } from "../../../core/client/transport.ts";

/** What is subscribed to. */
export interface LogWish {
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

function positionOf(log: PushedLog): Position {
  return [Number(log.blockNumber), Number(log.transactionIndex), Number(log.logIndex)];
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
  readonly #wish: LogWish;
  /** Where the first registration began. */
  readonly #from: string;
  #last: Position | undefined;

  /** @param head height at this moment, at which a feed without `fromBlock` begins */
  constructor(id: string, wish: LogWish, head: string) {
    this.id = id;
    this.#wish = wish;
    const { fromBlock = "latest" } = wish.filter;
    this.#from = fromBlock === "latest" ? BigInt(head).toString() : String(fromBlock);
  }

  /** Data of the frames that register and unregister it. */
  data(): Uint8Array {
    const { groupId, filter } = this.#wish;
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

  /** Tells the logs that are new; heights as quantities, as everywhere else. */
  take(logs: readonly unknown[]): void {
    for (const log of logs as readonly PushedLog[]) {
      const position = positionOf(log);
      if (this.#last !== undefined && !isBehind(position, this.#last)) continue;
      this.#last = position;
      this.#wish.listener.onResult({ ...log, blockNumber: `0x${position[0].toString(16)}` });
    }
  }

  /** Nothing more comes. */
  end(cause: Error): void {
    this.#wish.listener.onEnd?.(cause);
  }
}
