/** The Clock port over the system clock. */
import type { Clock } from "../../../core/ports/clock.ts";

/** The machine's wall clock and timers. */
export function createNodeClock(): Clock {
  return {
    now: () => Date.now(),
    steady: () => performance.now(),
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
