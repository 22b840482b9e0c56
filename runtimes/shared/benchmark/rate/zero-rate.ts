/** A pause for the whole round, or its share of one. Source: benchmark 6 (zero-rate) */
import { type MakeRate, nothingToEnd, rateFault } from "./rate-controller.ts";

/** Makes the controller. @throws BenchmarkFault in a round by number */
export const makeZeroRate: MakeRate = async (spec, { share, progress, clock, sleep }) => {
  const { durationMs } = share;
  if (durationMs === undefined) {
    throw rateFault(spec, "is for rounds by txDuration: a round by txNumber would never end");
  }
  return {
    applyRateControl: () =>
      sleep(progress.startMs + durationMs - clock.now()).then(() => undefined),
    end: nothingToEnd,
  };
};
