/** Lets the rest of a node run between pieces of work that would follow each other at once. */
import type { Clock } from "../ports/clock.ts";

/** Work goes on at a stretch for so long: a vote that waits meanwhile is not late. */
const STRETCH_MS = 10;
/** A caller that comes after such a rest begins a new stretch. */
const REST_MS = 1_000;

/** Resolves after so long. */
export function sleep(clock: Pick<Clock, "after">, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** One for all who do such work. A class because it knows when the stretch began. */
export class YieldTimer {
  readonly #clock: Clock;
  #begun = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at once, or in a later turn when the stretch is over. */
  async pause(): Promise<void> {
    const now = this.#clock.steady();
    const worked = now - this.#begun;
    if (worked < STRETCH_MS) return;
    if (worked >= REST_MS) {
      this.#begun = now;
      return;
    }
    await sleep(this.#clock, 0);
    this.#begun = this.#clock.steady();
  }
}
