/** Keeps so many transactions unfinished, as the first generation did. Source: benchmark 6 */
import { type MakeRate, nothingToEnd, numberOption } from "./rate-controller.ts";

const UNFINISHED_PER_CLIENT = 10;
const SLEEP_MS = 100;

/** Makes the controller. */
export const makeFixedBacklog: MakeRate = async (spec, { progress, sleep }) => {
  const target = numberOption(spec, "unfinished_per_client", UNFINISHED_PER_CLIENT, 1);
  const sleepMs = numberOption(spec, "sleep_time", SLEEP_MS);
  return {
    applyRateControl() {
      const { planned, finished, succeeded, successLatencyMs } = progress;
      if (succeeded === 0) return sleep(sleepMs).then(() => undefined);
      const excess = planned - finished - target;
      if (excess <= 0) return undefined;
      return sleep((excess * successLatencyMs) / succeeded).then(() => undefined);
    },
    end: nothingToEnd,
  };
};
