/** A rate that grows or falls steadily over the round. Source: benchmark 6 (linear-rate) */
import { intervalMs, nothingToEnd, type ReadRate, sleepUntil } from "./rate-controller.ts";

/** Shorter waits are not slept: what is early by so little is sent at once. */
export const SHORTEST_SLEEP_MS = 5;

/** The time between submissions is interpolated. */
export const linearRate: ReadRate = (opts) => {
  const [startingTps, finishingTps] = [opts.positive("startingTps"), opts.positive("finishingTps")];
  return (context) => {
    const { progress, share, clock } = context;
    const first = intervalMs(startingTps, share);
    const last = intervalMs(finishingTps, share);
    const { number, durationMs } = share;
    let due = progress.startMs;
    const passed = (): number => {
      if (number !== undefined) return progress.planned / number;
      return durationMs === undefined ? 0 : (due - progress.startMs) / durationMs;
    };
    return {
      applyRateControl() {
        const at = due;
        due += first + (last - first) * Math.min(1, passed());
        return at - clock.now() > SHORTEST_SLEEP_MS ? sleepUntil(at, context) : at;
      },
      end: nothingToEnd,
    };
  };
};
