/** Keeps this many transactions unfinished, as the first generation did. Source: benchmark 6 */
import { nothingToEnd, type ReadRate } from "./rate-controller.ts";

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
