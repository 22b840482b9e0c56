/** A fixed rate that waits while too much is unfinished. Source: benchmark 6 */
import { USUAL_TPS } from "./fixed-rate.ts";
import {
  intervalMs,
  nothingToEnd,
  type RateContext,
  type RateController,
  type ReadRate,
  sleepForBurst,
} from "./rate-controller.ts";

const TRANSACTION_LOAD = 10;
const SLEEP_MS = 100;
/** The most steps of the limit that lengthen a sleep. */
const MOST_STEPS = 10;
/** Sleeps in a row while nothing has succeeded yet. */
const MOST_FIRST_SLEEPS = 30;

interface Options {
  readonly tps: number;
  readonly load: number;
  readonly sleepMs: number;
}

/** Rate and load are those of all workers together. */
export const fixedFeedbackRate: ReadRate = (opts) => {
  const options = {
    tps: opts.numberOr("tps", USUAL_TPS),
    load: opts.numberOr("transactionLoad", TRANSACTION_LOAD, 1),
    sleepMs: opts.numberOr("sleepTime", SLEEP_MS),
  };
  return (context) => open(options, context);
};

function open({ tps, load, sleepMs }: Options, context: RateContext): RateController {
  const { progress, share, sleep, clock } = context;
  const interval = intervalMs(tps, share);
  const limit = load / share.workers;
  // Sleeps for the feedback move the plan: they are not caught up with.
  let shifted = 0;
  const rest = async (ms: number): Promise<void> => {
    const before = clock.now();
    await sleep(ms);
    shifted += clock.now() - before;
  };
  const feedback = async (): Promise<void> => {
    for (let turn = 0; progress.succeeded === 0 && turn < MOST_FIRST_SLEEPS; turn++)
      await rest(sleepMs);
    const steps = Math.min(MOST_STEPS, Math.floor((progress.planned - progress.finished) / limit));
    if (steps > 0) await rest(steps * sleepMs);
  };
  const next = () =>
    interval === 0
      ? undefined
      : sleepForBurst(progress.startMs + shifted + progress.planned * interval, context);
  return {
    applyRateControl() {
      if (progress.planned - progress.finished < limit) return next();
      return feedback().then(next);
    },
    end: nothingToEnd,
  };
}
