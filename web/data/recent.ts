/** A bounded memory of what never changes: blocks, receipts, code at a block. */
import { type BoundedCache, createBoundedCache } from "../../core/limits/bounded-cache.ts";

/** Values by key; the one that was not used for the longest time goes first. */
export class Recent<Key, Value extends object> {
  readonly #values: BoundedCache<Key, Value>;
  readonly #loading = new Map<Key, Promise<Value>>();

  constructor(most: number) {
    this.#values = createBoundedCache<Key, Value>(most, () => 1);
  }

  /** The value, which counts as used now. */
  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  /** Keeps a value. */
  set(key: Key, value: Value): void {
    this.#values.set(key, value);
  }

  /** The value, loaded once for all who ask meanwhile. Failures are not kept. */
  load(key: Key, loader: () => Promise<Value>): Promise<Value> {
    const known = this.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const already = this.#loading.get(key);
    if (already !== undefined) return already;
    const loading = loader()
      .then((value) => {
        this.set(key, value);
        return value;
      })
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }
}
