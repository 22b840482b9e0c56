/**
 * A store that forgets what was not synced: batches apply in order and whole, and a crash keeps the
 * synced ones and a prefix of the others.
 */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { CopyGuard } from "../../../core/ports/copy-guard.ts";
import type { Store, StoreWrite } from "../../../core/ports/store.ts";
import { type MemoryStore, openMemoryStore } from "../../../core/storage/memory-store.ts";
import type { Random } from "../../simulation/random.ts";

/** Moments of a commit that a test may want to crash at. */
export type CommitMoment = "handed" | "applied" | "synced";

/** What watches and slows a store. */
export interface FaultyStoreOptions {
  /** Waits before a batch is applied, and again before it is synced. */
  readonly delay: () => Promise<void>;
  /** Called at each moment of each commit, before anything that waits for it goes on. */
  readonly onMoment: (
    moment: CommitMoment,
    writes: readonly StoreWrite[],
    durable: boolean,
  ) => void;
  /** Says that a batch is on disk when it is not: what the checkers must notice. */
  readonly lies?: boolean;
}

/** What the disk holds; outlives the stores that are opened on it. */
export class FaultyDisk {
  #durable = openMemoryStore();
  #visible = openMemoryStore();
  readonly #unsynced: (readonly StoreWrite[])[] = [];
  #generation = 0;
  /** What the guard says of the store, once. */
  suspicion: string | undefined;
  /** The platform's look at the store: it knows what the test says. */
  readonly guard: CopyGuard = {
    suspicion: async () => this.suspicion,
    adopt: async () => {
      this.suspicion = undefined;
    },
  };

  /** Batches that a crash may lose now. */
  get atRisk(): number {
    return this.#unsynced.length;
  }

  /** What would be there after the worst crash now. */
  get durable(): Pick<Store, "get" | "range"> {
    return this.#durable;
  }

  /** A backup of what the disk holds. */
  backup(): MemoryStore {
    return this.#durable.copy();
  }

  /** Holds an older state from now on. */
  putBack(older: MemoryStore): void {
    this.#generation++;
    this.#unsynced.length = 0;
    this.#durable = older.copy();
    this.#visible = older.copy();
  }

  /** What a store finds in its log when it opens it writes into a table, and flushes. */
  replay(): void {
    for (const batch of this.#unsynced.splice(0)) applyTo(this.#durable, batch);
  }

  /** Opens the disk; a store that was opened before hears no more. */
  open(options: FaultyStoreOptions): Store {
    const generation = ++this.#generation;
    const isMine = () => generation === this.#generation;
    const never = () => new Promise<never>(() => undefined);
    const visible = this.#visible;
    let closed = false;
    const assertOpen = () => {
      if (closed) throw new StoreFault("io", "the store is closed");
    };
    let tail: Promise<void> = Promise.resolve();
    const tell = (moment: CommitMoment, writes: readonly StoreWrite[], durable: boolean) => {
      options.onMoment(moment, writes, durable);
      // A caller that waits for a commit of a machine that lost power waits for ever.
      return isMine() ? undefined : never();
    };
    const apply = async (writes: readonly StoreWrite[], durable: boolean): Promise<void> => {
      await options.delay();
      if (!isMine()) return never();
      applyTo(visible, writes);
      this.#unsynced.push(writes);
      await tell("applied", writes, durable);
      if (!durable || options.lies) return;
      await options.delay();
      if (!isMine()) return never();
      for (const batch of this.#unsynced.splice(0)) applyTo(this.#durable, batch);
      await tell("synced", writes, durable);
    };
    return {
      get: (key) => visible.get(key),
      load: (key) => visible.load(key),
      range: (from, to, limit) => visible.range(from, to, limit),
      commit(writes, { durable }) {
        assertOpen();
        if (!isMine()) return never();
        const gone = tell("handed", writes, durable);
        if (gone) return gone;
        const done = tail.then(() => apply(writes, durable));
        tail = done;
        return done;
      },
      close: async () => {
        closed = true;
      },
    };
  }

  /** The machine loses power: what was synced stays, and the first few of the other batches. */
  crash(random: Random): { readonly kept: number; readonly lost: number } {
    this.#generation++;
    const batches = this.#unsynced.splice(0);
    const kept = random.below(batches.length + 1);
    for (const writes of batches.slice(0, kept)) applyTo(this.#durable, writes);
    this.#visible = this.#durable.copy();
    return { kept, lost: batches.length - kept };
  }
}

/** A batch takes effect within the call: nothing can happen in its middle. */
function applyTo(store: Store, writes: readonly StoreWrite[]): void {
  void store.commit(writes, { durable: true });
}
