/** Times how long a disk takes until what the main thread writes for good is on it. */
import type { Store } from "../../../core/ports/store.ts";

/** Told of each such write. */
type OnSync = (groupId: number, ms: number) => void;

/** The watch of a node; costs two examines the clock for each write. */
export class DiskWatch {
  #onSync: OnSync | undefined;

  /** From now on each write is told. */
  onSync(listener: OnSync): void {
    this.#onSync = listener;
  }

  /** The same store, timed. */
  watch<Watched extends Store>(groupId: number, store: Watched): Watched {
    const commit: Store["commit"] = async (writes, options) => {
      const start = performance.now();
      await store.commit(writes, options);
      if (options.durable) this.#onSync?.(groupId, performance.now() - start);
    };
    // All else is the store's own.
    return Object.create(store, { commit: { value: commit } }) as Watched;
  }
}
