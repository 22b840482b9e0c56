/** What the connections of an endpoint hold in memory, bounded for all of them together. */

/** A connection that holds something. */
export interface Holder {
  heldBytes: number;
  /** Holds nothing from then on. */
  cut(): void;
}

/** Above the bound whoever holds most is cut. A class because it keeps the sum. */
export class SocketMemory {
  readonly #bound: number;
  readonly #holders = new Set<Holder>();
  #held = 0;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** Of all connections. */
  get heldBytes(): number {
    return this.#held;
  }

  add(holder: Holder): void {
    this.#holders.add(holder);
  }

  /** It holds more, or less; nothing happens to one that was removed. */
  change(holder: Holder, bytes: number): void {
    if (!this.#holders.has(holder)) return;
    const change = Math.max(bytes, -holder.heldBytes);
    holder.heldBytes += change;
    this.#held += change;
    while (bytes > 0 && this.#held > this.#bound) {
      let largest = holder;
      for (const other of this.#holders) if (other.heldBytes > largest.heldBytes) largest = other;
      this.remove(largest);
      largest.cut();
    }
  }

  remove(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    this.#held -= holder.heldBytes;
    holder.heldBytes = 0;
  }
}
