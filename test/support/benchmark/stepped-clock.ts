/** A clock that stands until the test moves it. */
import type { BenchClock } from "../../../runtimes/shared/benchmark/bench-clock.ts";

/** A clock with hands. */
export interface SteppedClock extends BenchClock {
  /** Moves on and lets everything that slept until then run to its next sleep. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

/** @param wallStart milliseconds since 1970 at its beginning */
export function steppedClock(wallStart = 1_700_000_000_000): SteppedClock {
  let nowMs = 0;
  let sleepers: Sleeper[] = [];
  let rested: (() => void) | undefined;
  return {
    now: () => nowMs,
    wallMs: () => wallStart + nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { untilMs: nowMs + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers = sleepers.filter((one) => one !== sleeper);
          resolve();
        });
        rested?.();
      }),
    advance: async (ms) => {
      nowMs += ms;
      const due = sleepers.filter(({ untilMs }) => untilMs <= nowMs);
      sleepers = sleepers.filter(({ untilMs }) => untilMs > nowMs);
      for (const { wake } of due) {
        const isAsleep = new Promise<void>((resolve) => {
          rested = resolve;
        });
        wake();
        await isAsleep;
      }
    },
  };
}
