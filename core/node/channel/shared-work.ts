/** What the sessions of a port share: turns at long work, and how many requests run at a time. */
import { createPace, type Pace } from "../../limits/pace.ts";
import type { Clock } from "../../ports/clock.ts";

/** Requests that are worked on at once, but for a few of each session. */
const ALL_RUNNING = 1_024;

/** A session that waits: looks whether it may go on. */
type Waiting = { settle(): void };

/** A class because it owns those that wait. */
export class SharedWork {
  /** In which requests are worked on. */
  readonly pace: Pace;
  /** In which what sessions send is taken. */
  readonly turns: Pace;
  readonly #of = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #count = 0;

  constructor(clock: Clock) {
    this.pace = createPace(clock);
    this.turns = createPace(clock);
  }

  /** Requests that are worked on. */
  get count(): number {
    return this.#count;
  }

  /**
   * How many of a session may be worked on: the more are, the fewer of each. Those of its own
   * address count twice, so that half of all is left to others. May be below 0.
   */
  spareOf(address: string): number {
    return ALL_RUNNING - this.#count - (this.#of.get(address) ?? 0);
  }

  /** A request of a session of that address is worked on. */
  begin(address: string): void {
    this.#count += 1;
    this.#of.set(address, (this.#of.get(address) ?? 0) + 1);
  }

  /** One is over: one of those that wait looks whether it may go on, in turns. */
  end(address: string): void {
    this.#count -= 1;
    const left = (this.#of.get(address) ?? 0) - 1;
    if (left > 0) this.#of.set(address, left);
    else this.#of.delete(address);
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next.settle();
  }

  wait(session: Waiting): void {
    this.#waiting.add(session);
  }

  leave(session: Waiting): void {
    this.#waiting.delete(session);
  }
}
