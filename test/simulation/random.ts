/** Seeded randomness of the simulator: the same seed gives the same numbers everywhere. */

/** A 32-bit generator (mulberry32): small, fast, and good enough to choose schedules. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring sequences.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32);
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Uniform integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Uniform in [from, to). */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** True with that probability; draws nothing for 0. */
  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** One of the items, which must not be empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}
