/** Time as the benchmark needs it: measured on a steady clock, and slept through. */

/** The part of an `AbortSignal` that ends a sleep. */
export interface SleepSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Ends sleeps, as `AbortController` does, for far less than that costs. */
export class SleepEnd implements SleepSignal {
  readonly #listeners = new Set<() => void>();
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Ends all sleeps now, and those that begin later at once. */
  abort(): void {
    this.#aborted = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** A steady clock, a wall clock and sleep; simulated in tests. */
export interface BenchClock {
  /** Milliseconds with fractions; never goes back, whatever happens to the wall clock. */
  now(): number;
  /** Milliseconds since 1970. */
  wallMs(): number;
  /**
   * Sleeps this many milliseconds, or until the signal; never rejects. Zero and less gives way once
   * to whatever waits, such as answers of nodes.
   */
  sleep(ms: number, signal?: SleepSignal): Promise<void>;
}

/** Gives way to the events that wait; `setTimeout` unless the runtime has something quicker. */
export type GiveWay = (run: () => void) => void;

/** The clock of a runtime with `performance` and timers. Its `now` begins at the wall time. */
export function realClock(giveWay: GiveWay = (run) => void setTimeout(run, 0)): BenchClock {
  const origin = performance.timeOrigin;
  return {
    now: () => origin + performance.now(),
    wallMs: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (!(ms > 0)) return giveWay(resolve);
        if (signal?.aborted) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal?.addEventListener("abort", end);
      }),
  };
}
