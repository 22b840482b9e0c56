/** Sends at the times of a trace. Source: benchmark 6 (replay-rate) */
import { SHORTEST_SLEEP_MS } from "./linear-rate.ts";
import { nothingToEnd, type ReadRate, sleepUntil } from "./rate-controller.ts";
import { decodeTrace, readFormat, tracePath } from "./trace.ts";

const DEFAULT_SLEEP_MS = 100;

/** After the trace it goes on with a fixed sleep. */
export const replayRate: ReadRate = (opts) => {
  const template = opts.text("pathTemplate");
  const format = readFormat(opts, "inputFormat");
  const afterMs = opts.numberOr("defaultSleepTime", DEFAULT_SLEEP_MS);
  return async (context) => {
    const { clock, progress, share, host, sleep } = context;
    const path = tracePath(template, share);
    const times = decodeTrace(await host.readTrace(path), format, path);
    let next = 0;
    return {
      applyRateControl() {
        const time = times[next++];
        if (time === undefined) return sleep(afterMs).then(() => undefined);
        const due = progress.startMs + time;
        return due - clock.now() > SHORTEST_SLEEP_MS ? sleepUntil(due, context) : due;
      },
      end: nothingToEnd,
    };
  };
};
