/** A clock of benchmarks that is moved by a caller that sleeps: a minute takes no time. */
import type { BenchClock } from "../../../runtimes/shared/benchmark/bench-clock.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** When nothing else is to be done, time moves on to the next who wakes. */
export function simulatedClock(startMs = 1_000): BenchClock {
  let now = startMs;
  let sleepers: Sleeper[] = [];
  let isMoving = false;
  const move = (): void => {
    isMoving = false;
    const next = sleepers.reduce<Sleeper | undefined>(
      (first, each) => (first === undefined || each.at < first.at ? each : first),
      undefined,
    );
    if (next === undefined) return;
    now = Math.max(now, next.at);
    sleepers = sleepers.filter((each) => each !== next);
    next.wake();
    plan();
  };
  const plan = (): void => {
    if (isMoving || sleepers.length === 0) return;
    isMoving = true;
    setImmediate(move);
  };
  return {
    now: () => now,
    wallMs: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = (): void => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { at: now + Math.max(0, ms), wake };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", wake);
        plan();
      }),
  };
}
