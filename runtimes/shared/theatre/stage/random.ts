/** Chance from a seed: the same seed gives the same numbers everywhere. */

/** A 32-bit generator (mulberry32): small, fast, and good enough to choose delays. */
export class Random {
  #state: number;

  /** @param high what a seed of the simulators has beyond 32 bits */
  constructor(seed: number, high = 0) {
    // Neighbouring seeds must not give neighbouring sequences.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ high;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Uniform integer in [from, to]. */
  within(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** True with that probability; draws nothing for 0. */
  percent(percent: number): boolean {
    return percent > 0 && this.next() * 100 < percent;
  }
}
