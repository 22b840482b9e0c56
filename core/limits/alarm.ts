/** One timer for somebody who waits for one time after the other. */
import type { Clock } from "../ports/clock.ts";

/** Rings once for the time that was set last. */
export class Alarm {
  readonly #clock: Pick<Clock, "steady" | "after">;
  readonly #onDue: () => void;
  #cancel: () => void = () => {};

  constructor(clock: Pick<Clock, "steady" | "after">, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** @param at steady time; undefined: never */
  set(at: number | undefined): void {
    this.#cancel();
    this.#cancel = () => {};
    if (at === undefined) return;
    const delay = Math.max(0, Math.ceil(at - this.#clock.steady()));
    this.#cancel = this.#clock.after(delay, this.#onDue);
  }
}
