/** A store in memory: for tests, simulation and throw-away nodes. */
import type { Store, StoreKey, StoreWrite } from "../ports/store.ts";
import { StoreFault } from "../fault/store-fault.ts";

/** What became of a memory store that is opened again after a crash. */
export interface MemoryStore extends Store {
  /** Number of keys held. */
  readonly size: number;
  /** A new store with the content of this one, independent of it. */
  copy(): MemoryStore;
}

/** Opens an empty store. @param entries content to begin with; the values are not copied */
export function openMemoryStore(
  entries: Iterable<readonly [StoreKey, Uint8Array]> = [],
): MemoryStore {
  const content = new Map<StoreKey, Uint8Array>(entries);
  let open = true;
  // Sorted keys are made when a range asks for them and dropped when a key comes or goes.
  let ordered: StoreKey[] | undefined;

  const assertOpen = (): void => {
    if (!open) throw new StoreFault("io", "the store is closed");
  };
  const apply = ({ key, value }: StoreWrite): void => {
    if ((value !== undefined) !== content.has(key)) ordered = undefined;
    if (value === undefined) content.delete(key);
    else content.set(key, value);
  };

  return {
    get size() {
      return content.size;
    },
    copy: () => openMemoryStore(content),
    get(key) {
      assertOpen();
      return content.get(key);
    },
    async load(key) {
      assertOpen();
      return content.get(key);
    },
    async range(from, to, limit) {
      assertOpen();
      ordered ??= [...content.keys()].sort();
      const keys = ordered;
      const found: { key: StoreKey; value: Uint8Array }[] = [];
      for (let index = lowerBound(keys, from); index < keys.length; index++) {
        const key = keys[index];
        if (key === undefined || key >= to || found.length >= limit) break;
        const value = content.get(key);
        if (value !== undefined) found.push({ key, value });
      }
      return found;
    },
    async commit(writes) {
      assertOpen();
      for (const write of writes) apply(write);
    },
    async close() {
      open = false;
    },
  };
}

/** Index of the first key that is not below `key`. */
function lowerBound(keys: readonly StoreKey[], key: StoreKey): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
