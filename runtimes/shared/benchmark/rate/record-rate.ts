/** Writes down when another controller let transactions go. Source: benchmark 6 */
import { type MakeRate, rateFault, type RateSpec, textOption } from "./rate-controller.ts";
import { encodeTrace, TRACE_FORMATS, type TraceFormat, tracePath } from "./trace.ts";

/** A format of the options. @throws BenchmarkFault */
export function formatOption(spec: RateSpec, name: string): TraceFormat {
  const text = textOption(spec, name, "TEXT");
  const format = TRACE_FORMATS.find((each) => each === text);
  if (format) return format;
  throw rateFault(spec, `opts.${name} "${text}" is not allowed: ${TRACE_FORMATS.join(", ")}`);
}

/** Makes the controller from a way to make the other. */
export function recordWith(make: MakeRate): MakeRate {
  return async (spec, context) => {
    const { clock, progress, share, host } = context;
    const path = tracePath(textOption(spec, "pathTemplate"), share);
    const format = formatOption(spec, "outputFormat");
    const inner = spec.opts?.["rateController"] as Partial<RateSpec> | undefined;
    if (typeof inner?.type !== "string") throw rateFault(spec, "opts.rateController has no type");
    const other = await make(inner as RateSpec, context);
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
        await host.writeTrace(path, encodeTrace(times, format));
      },
    };
  };
}
