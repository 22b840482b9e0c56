/** Controllers one after the other, each for its share of the round. Source: benchmark 6 */
import {
  type MakeRate,
  type RateContext,
  type RateController,
  type RateProgress,
  rateFault,
  type RateSpec,
  type RoundShare,
} from "./rate-controller.ts";

interface Part {
  readonly spec: RateSpec;
  /** From 0 to 1. */
  readonly share: number;
}

function partsOf(spec: RateSpec): readonly Part[] {
  const weights = spec.opts?.["weights"];
  const specs = spec.opts?.["rateControllers"];
  if (!Array.isArray(weights)) throw rateFault(spec, "opts.weights is missing: a list of numbers");
  if (!Array.isArray(specs)) throw rateFault(spec, "opts.rateControllers is missing: a list");
  if (weights.length !== specs.length) {
    const found = `${weights.length} weights for ${specs.length} controllers`;
    throw rateFault(spec, `${found}: one for each is wanted`);
  }
  const numbers = weights.map((weight: unknown, index) => {
    const number = typeof weight === "string" && weight.trim() !== "" ? Number(weight) : weight;
    if (typeof number === "number" && Number.isFinite(number) && number >= 0) return number;
    throw rateFault(spec, `opts.weights[${index}] ${JSON.stringify(weight)} is no positive number`);
  });
  const total = numbers.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) throw rateFault(spec, "opts.weights are all zero");
  const parts = specs.map((each: unknown, index) => {
    if (typeof (each as Partial<RateSpec> | null)?.type !== "string") {
      throw rateFault(spec, `opts.rateControllers[${index}] has no type`);
    }
    return { spec: each as RateSpec, share: (numbers[index] ?? 0) / total };
  });
  return parts.filter(({ share }) => share > 0);
}

/** The counters of a part: those of the round less what was when it began. */
function progressFrom(round: RateProgress, startMs: number): RateProgress {
  const { planned, finished, succeeded, successLatencyMs } = round;
  return {
    startMs,
    get planned() {
      return round.planned - planned;
    },
    get finished() {
      return Math.max(0, round.finished - finished);
    },
    get succeeded() {
      return Math.max(0, round.succeeded - succeeded);
    },
    get successLatencyMs() {
      return Math.max(0, round.successLatencyMs - successLatencyMs);
    },
  };
}

function shareOf(share: RoundShare, part: number, planned: number): RoundShare {
  const { number, durationMs } = share;
  return {
    ...share,
    number: number === undefined ? undefined : Math.max(1, planned),
    durationMs: durationMs === undefined ? undefined : durationMs * part,
  };
}

/** Makes the controller from a way to make the others. */
export function compositeWith(make: MakeRate): MakeRate {
  return async (spec, context) => {
    const parts = partsOf(spec);
    // Options of all parts are looked at before the round begins.
    for (const part of parts) await make(part.spec, contextOf(context, part.share, 1));
    let index = -1;
    let running: RateController | undefined;
    let until = 0;
    const { progress, share, clock } = context;
    const position = (): number =>
      share.number === undefined ? clock.now() - progress.startMs : progress.planned;
    const whole = share.number ?? share.durationMs ?? 0;
    const advance = async (): Promise<void> => {
      while (index + 1 < parts.length && position() >= Math.round(until * whole)) {
        await running?.end();
        const part = parts[++index];
        if (part === undefined) return;
        const from = Math.round(until * whole);
        until += part.share;
        const size = Math.round(until * whole) - from;
        running = await make(part.spec, contextOf(context, part.share, size));
      }
    };
    return {
      applyRateControl() {
        const isOver = index + 1 < parts.length && position() >= Math.round(until * whole);
        if (!isOver) return running?.applyRateControl();
        return advance().then(() => running?.applyRateControl());
      },
      end: async () => await running?.end(),
    };
  };
}

function contextOf(context: RateContext, part: number, size: number): RateContext {
  const { progress, share, clock } = context;
  return {
    ...context,
    progress: progressFrom(progress, clock.now()),
    share: shareOf(share, part, size),
  };
}
