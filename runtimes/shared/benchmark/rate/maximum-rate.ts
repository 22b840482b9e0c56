/** Looks for the highest rate that the system keeps up with. Source: benchmark 6 */
import {
  nothingToEnd,
  type RateContext,
  type RateController,
  type ReadRate,
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

interface Options {
  readonly tps: number;
  readonly step: number;
  readonly sampleMs: number;
  readonly includeFailed: boolean;
}

/** Raises the rate while what is observed grows. */
export const maximumRate: ReadRate = (opts) => {
  const options = {
    tps: opts.positive("tps", TPS),
    step: opts.positive("step", STEP),
    sampleMs: opts.positive("sampleInterval", SAMPLE_INTERVAL_S) * MS_PER_SECOND,
    includeFailed: opts.has("includeFailed") ? opts.flag("includeFailed") : true,
  };
  return (context) => open(options, context);
};

function open(
  { sampleMs, includeFailed, ...given }: Options,
  context: RateContext,
): RateController {
  const { progress, share, clock } = context;
  let tps = given.tps / share.workers;
  let step = given.step / share.workers;
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
}
