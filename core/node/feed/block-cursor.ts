/** Where somebody stands who follows a group: goes from block to block, as fast as it is let. */
import type { GroupId } from "../../bytes/ids.ts";
import type { GroupApi, NodeApi } from "../../api/node-api.ts";
import { sleep } from "../../limits/yield-timer.ts";
import type { Clock } from "../../ports/clock.ts";

/** Blocks below the head that count as new. */
export const NEW_BLOCKS = 8;
/** A client that has more unread waits before it is sent what need not be sent at once. */
export const UNSENT_BYTES = 1024 * 1024;
/** Between examines a client that has to read first. */
export const PAUSE_MS = 100;

/** What a cursor goes through, and whom it serves. */
export interface CursorPorts {
  readonly node: Pick<NodeApi, "group">;
  readonly clock: Clock;
  /**
   * Asked before each step.
   * @param behind blocks below the head; undefined when the group does not run
   * @returns what is waited for before it is asked again; undefined to go on, without a group with
   * its next block
   */
  hold(behind: number | undefined): Promise<void> | undefined;
  /**
   * Takes the block `next`, and maybe some that follow it.
   * @param last the last one that is wanted and there
   * @returns where to go on: `next` again when nothing could be taken
   */
  advance(next: number, last: number): Promise<number>;
  /** Every block up to the last one was taken. */
  completed(): void;
  /** A block could not be read: the next one that is written tries again. */
  failed(cause: unknown): void;
}

/** A stretch of a group's blocks. */
export interface FollowedBlocks {
  readonly groupId: GroupId;
  readonly from: number;
  /** Undefined for one without end. */
  readonly to: number | undefined;
}

/**
 * What is followed of a group when these blocks are asked for.
 * @returns what is wrong: the end is below the start, or the start is too far back
 */
export function followedBlocks(
  { groupId, ledger, eventLimits }: GroupApi,
  named: Readonly<Record<"from" | "to", number | "latest">>,
): FollowedBlocks | "endsBefore" | "beginsTooEarly" {
  const head = ledger.head().number;
  const from = named.from === "latest" ? head : named.from;
  const to = named.to === "latest" ? undefined : named.to;
  if (to !== undefined && to < from) return "endsBefore";
  const limit = eventLimits?.maxBlockRange;
  return limit && head - from + 1 > limit ? "beginsTooEarly" : { groupId, from, to };
}

/** Follows a group. A class because it knows how far it is. */
export class BlockCursor {
  readonly groupId: GroupId;
  readonly #ports: CursorPorts;
  readonly #to: number;
  #next: number;
  /** Nothing is taken before the client knows of it. */
  #hasBegun = false;
  #isRunning = false;
  #isClosed = false;

  constructor(ports: CursorPorts, { groupId, from, to }: FollowedBlocks) {
    this.groupId = groupId;
    this.#ports = ports;
    this.#to = to ?? Number.POSITIVE_INFINITY;
    this.#next = from;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The client knows of it. @param afterMs how long nothing is taken yet */
  async begin(afterMs = 0): Promise<void> {
    this.#hasBegun = false;
    if (afterMs > 0) await sleep(this.#ports.clock, afterMs);
    this.#hasBegun = true;
    await this.run();
  }

  /** Takes what there is; called for each block that is written. */
  async run(): Promise<void> {
    if (!this.#hasBegun || this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (!this.#isDone()) {
        const head = this.#ports.node.group(this.groupId)?.ledger.head().number;
        if (head !== undefined && this.#next > head) return;
        const pause = this.#ports.hold(head === undefined ? undefined : head - this.#next);
        if (pause) await pause;
        else if (head === undefined) return;
        else this.#next = await this.#ports.advance(this.#next, Math.min(head, this.#to));
      }
    } catch (cause) {
      if (!this.#isClosed) this.#ports.failed(cause);
    } finally {
      this.#isRunning = false;
    }
  }

  #isDone(): boolean {
    if (this.#isClosed || this.#next <= this.#to) return this.#isClosed;
    this.close();
    this.#ports.completed();
    return true;
  }
}
