/**
 * A cache with a bound on the estimated memory of its values; the least recently used goes first.
 */

/** Values by key, bounded. */
export interface BoundedCache<Key, Value> {
  /** Sum of the weights of what is kept. */
  readonly total: number;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/**
 * Opens a cache. @param limit bound of the sum of what `weigh` gives; a heavier value is not kept
 */
export function createBoundedCache<Key, Value>(
  limit: number,
  weigh: (value: Value, key: Key) => number,
): BoundedCache<Key, Value> {
  const values = new Map<Key, Value>();
  let total = 0;
  const forget = (key: Key): void => {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    total -= weigh(value, key);
  };
  return {
    get total() {
      return total;
    },
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      forget(key);
      const weight = weigh(value, key);
      if (weight > limit) return;
      values.set(key, value);
      total += weight;
      for (const oldest of values.keys()) {
        if (total <= limit) return;
        forget(oldest);
      }
    },
  };
}
