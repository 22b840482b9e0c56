/** The Clock port over the system clock. */
import type { Clock } from "../../../core/ports/clock.ts";
import { webClock } from "../../shared/platform/web-platform.ts";

/** The machine's wall clock and timers. */
export function createNodeClock(): Clock {
  return webClock;
}
