/** A clock that stands still until a test moves it. */
import type { Clock } from "../../../core/ports/clock.ts";

/** A clock with hands. */
export interface HandClock extends Clock {
  /** Moves the time; timers that are due fire in order. */
  move(ms: number): void;
  /** Timers that wait. */
  readonly waiting: number;
}

/** A clock at a moment. */
export function createHandClock(start = 0): HandClock {
  let now = start;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    steady: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    move(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        now = next.at;
        next.run();
      }
      now = end;
    },
    get waiting() {
      return timers.length;
    },
  };
}
