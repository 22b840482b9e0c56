/** The store of one group on one machine: it outlives the node; what was not written is lost. */
import type { Store, StoreKey, StoreWrite } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";

interface DiskPower {
  /** Passes the time of a durable write; never returns when the power goes meanwhile. */
  write(): Promise<void>;
}

/** What is on disk, and how it is opened for one life of the node. */
export class Disk {
  readonly #content = openMemoryStore();
  /** As it was opened last. */
  store: Store | undefined;

  open(power: DiskPower): Store {
    const content = this.#content;
    // Batches reach the disk in their order, durable or not.
    let last: Promise<void> = Promise.resolve();
    let waiting = 0;
    const apply = async (writes: readonly StoreWrite[], durable: boolean): Promise<void> => {
      if (durable) await power.write();
      await content.commit(writes, { durable });
    };
    this.store = {
      get: (key: StoreKey) => content.get(key),
      load: (key) => content.load(key),
      range: (from, to, limit) => content.range(from, to, limit),
      commit: (writes, { durable }) => {
        if (waiting === 0 && !durable) return content.commit(writes, { durable });
        waiting++;
        const done = last.then(() => apply(writes, durable)).finally(() => waiting--);
        last = done.catch(() => undefined);
        return done;
      },
      close: () => last,
    };
    return this.store;
  }
}
