/** Keeps so many transactions on their way. Source: benchmark 6 (fixed-load) */
import {
  intervalMs,
  type MakeRate,
  nothingToEnd,
  numberOption,
  sleepUntil,
} from "./rate-controller.ts";

const TRANSACTION_LOAD = 10;
const START_TPS = 5;

/** Makes the controller. */
export const makeFixedLoad: MakeRate = async (spec, context) => {
  const { progress, share, clock, sleep } = context;
  const target = numberOption(spec, "transactionLoad", TRANSACTION_LOAD, 1) / share.workers;
  const first = intervalMs(numberOption(spec, "startTps", START_TPS, Number.MIN_VALUE), share);
  return {
    applyRateControl() {
      const { startMs, planned, finished } = progress;
      if (finished === 0) {
        return sleepUntil(startMs + planned * first, context);
      }
      const excess = planned - finished - target;
      if (excess < 0) return undefined;
      const perMs = finished / Math.max(1, clock.now() - startMs);
      // At the target itself one has to end before the next may begin.
      return sleep(Math.max(1, excess) / perMs).then(() => undefined);
    },
    end: nothingToEnd,
  };
};
