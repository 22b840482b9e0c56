/** Sends at the times of a trace. Source: benchmark 6 (replay-rate) */
import { SHORTEST_SLEEP_MS } from "./linear-rate.ts";
import {
  type MakeRate,
  nothingToEnd,
  numberOption,
  sleepUntil,
  textOption,
} from "./rate-controller.ts";
import { formatOption } from "./record-rate.ts";
import { decodeTrace, tracePath } from "./trace.ts";

const DEFAULT_SLEEP_MS = 100;

/** Makes the controller; after the trace it goes on with a fixed sleep. */
export const makeReplayRate: MakeRate = async (spec, context) => {
  const { clock, progress, share, host, sleep } = context;
  const path = tracePath(textOption(spec, "pathTemplate"), share);
  const format = formatOption(spec, "inputFormat");
  const afterMs = numberOption(spec, "defaultSleepTime", DEFAULT_SLEEP_MS);
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
