/** Keeps this many transactions on their way. Source: benchmark 6 (fixed-load) */
import { intervalMs, nothingToEnd, type ReadRate, sleepUntil } from "./rate-controller.ts";

const TRANSACTION_LOAD = 10;
const START_TPS = 5;

/** The load and the first rate are those of all workers together. */
export const fixedLoad: ReadRate = (opts) => {
  const load = opts.numberOr("transactionLoad", TRANSACTION_LOAD, 1);
  const startTps = opts.positive("startTps", START_TPS);
  return (context) => {
    const { progress, share, clock, sleep } = context;
    const target = load / share.workers;
    const first = intervalMs(startTps, share);
    return {
      applyRateControl() {
        const { startMs, planned, finished } = progress;
        if (finished === 0) return sleepUntil(startMs + planned * first, context);
        const excess = planned - finished - target;
        if (excess < 0) return undefined;
        const perMs = finished / Math.max(1, clock.now() - startMs);
        // At the target itself one has to end before the next may begin.
        return sleep(Math.max(1, excess) / perMs).then(() => undefined);
      },
      end: nothingToEnd,
    };
  };
};
