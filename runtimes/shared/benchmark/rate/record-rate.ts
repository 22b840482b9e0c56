/** Writes down when another controller let transactions go. Source: benchmark 6 */
import type { Section } from "../section.ts";
import type { OpenRate, RateTerms, ReadRate } from "./rate-controller.ts";
import { encodeTrace, readFormat, tracePath } from "./trace.ts";

/** Makes the reader from the one of all controllers. */
export function recordWith(readOther: (rate: Section, terms: RateTerms) => OpenRate): ReadRate {
  return (opts, terms) => {
    const template = opts.text("pathTemplate");
    const format = readFormat(opts, "outputFormat");
    const openOther = readOther(opts.section("rateController"), terms);
    return async (context) => {
      const { clock, progress, share, host } = context;
      const other = await openOther(context);
      const times: number[] = [];
      const note = (due: number | undefined): number | undefined => {
        times.push(clock.now() - progress.startMs);
        return due;
      };
      return {
        applyRateControl() {
          const told = other.applyRateControl();
          return told instanceof Promise ? told.then(note) : note(told);
        },
        async end() {
          await other.end();
          await host.writeTrace(tracePath(template, share), encodeTrace(times, format));
        },
      };
    };
  };
}
