/**
 * A disk with torn writes: a crash keeps what was flushed, and the batch in flight wholly or not at
 * all.
 */
import type { Hash } from "../../core/bytes/ids.ts";
import type { Random } from "./random.ts";
import { GENESIS } from "./workload.ts";

/** A written block. */
export interface WrittenBlock {
  readonly proposal: Hash;
  readonly executed: Hash;
}

const FIRST = { proposal: GENESIS, executed: GENESIS };

/** What one node has on disk; blocks may have more than their hashes. */
export class Disk<Record, Extra extends object = object> {
  record: Record | undefined;
  readonly bodies = new Set<Hash>();
  readonly chain: (WrittenBlock & Extra)[];
  #inFlight: (() => void) | undefined;

  constructor(ofGenesis: Extra) {
    this.chain = [{ ...FIRST, ...ofGenesis }];
  }

  /** Height of the newest block. */
  get height(): number {
    return this.chain.length - 1;
  }

  /** Hash of the newest block. */
  get head(): Hash {
    return this.chain.at(-1)?.executed ?? GENESIS;
  }

  /** Begins a batch; it is durable once {@link flush} is called. */
  begin(apply: () => void): void {
    this.#inFlight = apply;
  }

  /** The batch in flight has reached the disk. */
  flush(): void {
    this.#inFlight?.();
    this.#inFlight = undefined;
  }

  /** The machine dies; gives whether a batch was in flight. */
  crash(random: Random): boolean {
    const torn = this.#inFlight !== undefined;
    if (torn && random.chance(0.5)) this.flush();
    this.#inFlight = undefined;
    return torn;
  }
}
