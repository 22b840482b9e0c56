/** Rates with a fixed interval, backlog or load, and the pause. Source: benchmark 6 */
import {
  intervalMs,
  nothingToEnd,
  type ReadRate,
  sleepForBurst,
  sleepUntil,
} from "./rate-controller.ts";

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

/** Sends nothing; only rounds by duration end with it. */
export const zeroRate: ReadRate = () => (context) => ({
  applyRateControl() {
    const { share, progress, clock, sleep } = context;
    return sleep(progress.startMs + (share.durationMs ?? 0) - clock.now()).then(() => undefined);
  },
  end: nothingToEnd,
});

const UNFINISHED_PER_CLIENT = 10;
const SLEEP_MS = 100;

/** What may be unfinished is that of each worker. */
export const fixedBacklog: ReadRate = (opts) => {
  const target = opts.numberOr("unfinished_per_client", UNFINISHED_PER_CLIENT, 1);
  const sleepMs = opts.numberOr("sleep_time", SLEEP_MS);
  return ({ progress, sleep }) => ({
    applyRateControl() {
      const { planned, finished, succeeded, successLatencyMs } = progress;
      if (succeeded === 0) return sleep(sleepMs).then(() => undefined);
      const excess = planned - finished - target;
      if (excess <= 0) return undefined;
      return sleep((excess * successLatencyMs) / succeeded).then(() => undefined);
    },
    end: nothingToEnd,
  });
};

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
