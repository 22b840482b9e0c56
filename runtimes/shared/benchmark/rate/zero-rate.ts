/** A pause for the whole round, or its share of one. Source: benchmark 6 (zero-rate) */
import { nothingToEnd, type ReadRate } from "./rate-controller.ts";

/** Sends nothing; only rounds by duration end with it. */
export const zeroRate: ReadRate = () => (context) => ({
  applyRateControl() {
    const { share, progress, clock, sleep } = context;
    return sleep(progress.startMs + (share.durationMs ?? 0) - clock.now()).then(() => undefined);
  },
  end: nothingToEnd,
});
