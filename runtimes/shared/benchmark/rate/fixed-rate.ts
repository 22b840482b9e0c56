/** The same time between all submissions. Source: benchmark 6 (fixed-rate) */
import { intervalMs, nothingToEnd, type ReadRate, sleepForBurst } from "./rate-controller.ts";

/** What it is without the option `tps`. Source: benchmark 6 */
export const USUAL_TPS = 10;

/** A worker that is late sends all that is due at one time. */
export const fixedRate: ReadRate = (opts) => {
  const tps = opts.numberOr("tps", USUAL_TPS);
  return (context) => {
    const interval = intervalMs(tps, context.share);
    const { progress } = context;
    return {
      applyRateControl() {
        if (interval === 0) return undefined;
        return sleepForBurst(progress.startMs + progress.planned * interval, context);
      },
      end: nothingToEnd,
    };
  };
};
