/** Complaints that may come as often as a peer likes, each told once in a while. */
import type { Clock } from "../ports/clock.ts";

/** A complaint is told again after this. */
const COMPLAINT_MS = 60_000;

/** Members that are reported one by one; of those beyond nothing is reported. */
const MAX_TOLD = 1_024;

/** Opens once for each key: for what does not change as long as the process runs. */
export class LogOnce<Key> {
  readonly #told = new Set<Key>();

  /** Whether this one is told. */
  allows(key: Key): boolean {
    if (this.#told.has(key) || this.#told.size >= MAX_TOLD) return false;
    this.#told.add(key);
    return true;
  }
}

/** Says which complaints are worth a line; one per place that complains. */
export class LogThrottle<Key> {
  readonly #clock: Pick<Clock, "steady">;
  readonly #quietUntil = new Map<Key, number>();

  constructor(clock: Pick<Clock, "steady">) {
    this.#clock = clock;
  }

  /** Whether this one is told; it is quiet for a while afterwards. */
  allows(key: Key): boolean {
    const now = this.#clock.steady();
    if (now < (this.#quietUntil.get(key) ?? 0)) return false;
    this.#quietUntil.set(key, now + COMPLAINT_MS);
    return true;
  }

  /** The next one about it is told. */
  forget(key: Key): void {
    this.#quietUntil.delete(key);
  }
}
