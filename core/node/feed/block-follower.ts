/** One subscription: goes from block to block, as fast as its client reads. */
import type { GroupId } from "../../bytes/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Breather } from "../../limits/breather.ts";
import type { NodeApi } from "../../api/node-api.ts";
import type { ReadBlock, RecentBlocks } from "./recent-blocks.ts";

/** What a follower goes through. */
export interface FollowerPorts {
  readonly node: Pick<NodeApi, "group">;
  readonly blocks: RecentBlocks;
  readonly breather: Breather;
  /** Whose turns it takes for old blocks. */
  readonly reader: unknown;
  readonly clock: Clock;
  /** Bytes that the client has not read. */
  unsentBytes(): number;
  /** Takes the notifications of a block. */
  take(block: ReadBlock): void;
  /** Every block up to the last one was taken. */
  completed(): void;
  /** A block could not be read; the next one written tries again. */
  failed(cause: unknown): void;
}

/** A stretch of a group's blocks. */
export interface FollowedBlocks {
  readonly groupId: GroupId;
  readonly from: number;
  /** Undefined for one without end. */
  readonly to: number | undefined;
}

/** History waits for a client that has so much unread; what is new does not. */
const HISTORY_UNSENT_BYTES = 1024 * 1024;
/** Blocks below the head that count as new. */
const NEW_BLOCKS = 8;
const PAUSE_MS = 100;

/** Follows a group. A class because it knows how far it is. */
export class BlockFollower {
  readonly #ports: FollowerPorts;
  readonly #blocks: FollowedBlocks;
  /** False until the client knows of it: nothing is taken before. */
  hasBegun = false;
  #next: number;
  #isRunning = false;
  #isClosed = false;

  constructor(ports: FollowerPorts, blocks: FollowedBlocks) {
    this.#ports = ports;
    this.#blocks = blocks;
    this.#next = blocks.from;
  }

  get groupId(): GroupId {
    return this.#blocks.groupId;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Takes what there is; called at the beginning and for each block that is written. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (!this.#isClosed && (await this.#takeNext()));
    } catch (cause) {
      if (!this.#isClosed) this.#ports.failed(cause);
    } finally {
      this.#isRunning = false;
    }
  }

  /** @returns false when there is nothing left for now */
  async #takeNext(): Promise<boolean> {
    const { node, blocks, reader, breather, clock, unsentBytes, take, completed } = this.#ports;
    const { groupId, to } = this.#blocks;
    if (to !== undefined && this.#next > to) {
      this.#isClosed = true;
      completed();
      return false;
    }
    const head = node.group(groupId)?.ledger.head().number ?? -1;
    if (this.#next > head) return false;
    if (head - this.#next >= NEW_BLOCKS && unsentBytes() > HISTORY_UNSENT_BYTES) {
      await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
      return true;
    }
    const block = await blocks.get(groupId, this.#next, reader);
    await breather.pause();
    if (this.#isClosed) return false;
    this.#next += 1;
    take(block);
    return true;
  }
}
