/** What the connections of an endpoint hold in memory, bounded for all of them together. */

/** A connection that holds something. */
export interface Holder {
  heldBytes: number;
  /** Whose it is; each connection for itself when absent. */
  readonly address?: string | undefined;
  /** Its connection is gone, and what runs for it still holds this: there is nothing to cut. */
  readonly isGone?: boolean;
  /** Holds nothing from then on. */
  cut(): void;
}

/**
 * Who holds less than this part of the bound is not cut for what others hold: those who have gone
 * may still hold all there is.
 */
const SMALL_PART = 2_048;

/**
 * Above the bound whoever holds most is cut: of the address that holds most, its connection that
 * does. A class because it keeps the sum.
 */
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
      const largest = this.#largest();
      if (!largest) return;
      this.remove(largest);
      largest.cut();
    }
  }

  #largest(): Holder | undefined {
    const sums = new Map<string, number>();
    let found: Holder | undefined;
    let most = this.#bound / SMALL_PART;
    for (const { address, heldBytes } of this.#holders)
      if (address !== undefined) sums.set(address, (sums.get(address) ?? 0) + heldBytes);
    const sumOf = ({ address, heldBytes }: Holder): number =>
      (address === undefined ? undefined : sums.get(address)) ?? heldBytes;
    for (const holder of this.#holders) {
      if (holder.isGone || holder.heldBytes === 0) continue;
      const sum = sumOf(holder);
      const isLarger = sum > most || (sum === most && holder.heldBytes > (found?.heldBytes ?? 0));
      if (isLarger) [most, found] = [sum, holder];
    }
    return found;
  }

  remove(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    this.#held -= holder.heldBytes;
    holder.heldBytes = 0;
  }
}
