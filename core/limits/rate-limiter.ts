/** This many a second and no more, for each peer on its own. */
import type { Clock } from "../ports/clock.ts";

const WINDOW_MS = 1_000;

/** Lets through what comes at an ordinary pace. A peer that comes back begins where it left. */
export class RateLimiter<Key> {
  readonly #clock: Pick<Clock, "steady">;
  readonly #most: number;
  /** When each of them was let through within the last second, oldest first. */
  readonly #passed = new Map<Key, number[]>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** @param most how many are let through in any second */
  constructor(clock: Pick<Clock, "steady">, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Whether one more is let through now. */
  allows(key: Key): boolean {
    const now = this.#clock.steady();
    this.#sweep(now);
    const passed = (this.#passed.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
    if (passed.length >= this.#most) return false;
    passed.push(now);
    this.#passed.set(key, passed);
    return true;
  }

  /** Forgets those of whom nothing came for a while. */
  #sweep(now: number): void {
    if (now < this.#sweptAt + WINDOW_MS) return;
    this.#sweptAt = now;
    for (const [key, passed] of this.#passed)
      if ((passed.at(-1) ?? now) <= now - WINDOW_MS) this.#passed.delete(key);
  }
}
