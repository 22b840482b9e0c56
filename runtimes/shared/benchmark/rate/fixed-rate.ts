/** The same time between all submissions. Source: benchmark 6 (fixed-rate) */
import {
  intervalMs,
  type MakeRate,
  nothingToEnd,
  numberOption,
  sleepForBurst,
} from "./rate-controller.ts";

const TPS = 10;

/** Makes the controller; a worker that is late sends all that is due at one time. */
export const makeFixedRate: MakeRate = async (spec, context) => {
  const interval = intervalMs(numberOption(spec, "tps", TPS), context.share);
  const { progress } = context;
  return {
    applyRateControl() {
      if (interval === 0) return undefined;
      return sleepForBurst(progress.startMs + progress.planned * interval, context);
    },
    end: nothingToEnd,
  };
};
