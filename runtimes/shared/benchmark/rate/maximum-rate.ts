/** Looks for the highest rate that the system keeps up with. Source: benchmark 6 */
import {
  type MakeRate,
  nothingToEnd,
  numberOption,
  rateFault,
  sleepUntil,
} from "./rate-controller.ts";

const TPS = 5;
const STEP = 5;
const SAMPLE_INTERVAL_S = 10;
const LEAST_STEP = 0.2;
/** Share of a step that what is observed must grow by: the rest is chance. */
const LEAST_GROWTH = 0.25;
/** A system that ends this share of what is sent keeps up. */
const KEPT_UP = 0.98;
const MS_PER_SECOND = 1_000;

/** Makes the controller: raises the rate while what is observed grows. */
export const makeMaximumRate: MakeRate = async (spec, context) => {
  const { progress, share, clock } = context;
  let tps = numberOption(spec, "tps", TPS, Number.MIN_VALUE) / share.workers;
  let step = numberOption(spec, "step", STEP, Number.MIN_VALUE) / share.workers;
  const sampleMs =
    numberOption(spec, "sampleInterval", SAMPLE_INTERVAL_S, Number.MIN_VALUE) * 1_000;
  const includeFailed = spec.opts?.["includeFailed"] ?? true;
  if (typeof includeFailed !== "boolean")
    throw rateFault(spec, "opts.includeFailed: true or false");
  const least = LEAST_STEP / share.workers;
  const ended = () => (includeFailed ? progress.finished : progress.succeeded);
  let sample = { at: progress.startMs, ended: 0 };
  let best = 0;
  let due = progress.startMs;
  const look = (now: number): void => {
    if (now - sample.at < sampleMs) return;
    const observed = ((ended() - sample.ended) * MS_PER_SECOND) / (now - sample.at);
    // What is observed grows with the rate, or all that is sent ends as fast: there is room.
    const grows = observed > best + step * LEAST_GROWTH || observed >= tps * KEPT_UP;
    // Nothing has ended yet: there is nothing to decide by.
    if (ended() > 0 && grows) tps += step;
    else if (ended() > 0) {
      tps = Math.max(least, tps - step);
      step = Math.max(least, step / 2);
    }
    best = observed;
    sample = { at: now, ended: ended() };
    // What the old rate left behind is not made up for at the new one.
    due = Math.max(due, now);
  };
  return {
    applyRateControl() {
      look(clock.now());
      const at = due;
      due += MS_PER_SECOND / tps;
      return sleepUntil(at, context);
    },
    end: nothingToEnd,
  };
};
