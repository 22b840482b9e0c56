/** A bounded memory of what never changes: blocks, receipts, code at a block. */

/** Values by key; the one that was not used for the longest time goes first. */
export class Recent<Key, Value extends object> {
  readonly #most: number;
  readonly #values = new Map<Key, Value>();
  readonly #loading = new Map<Key, Promise<Value>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value, which counts as used now. */
  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Keeps a value. */
  set(key: Key, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#most) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
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
