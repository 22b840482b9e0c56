/** Controllers one after the other, each for its share of the round. Source: benchmark 6 */
import type { Section } from "../section.ts";
import type {
  OpenRate,
  RateContext,
  RateController,
  RateProgress,
  RateTerms,
  ReadRate,
  RoundShare,
} from "./rate-controller.ts";

interface Part {
  readonly open: OpenRate;
  /** From 0 to 1. */
  readonly share: number;
}

type ReadOther = (rate: Section, terms: RateTerms) => OpenRate;

function partsOf(opts: Section, terms: RateTerms, readOther: ReadOther): readonly Part[] {
  const weights = opts.numbers("weights");
  const rates = opts.sections("rateControllers");
  if (weights.length !== rates.length) {
    const found = `has ${weights.length} weights for ${rates.length} controllers`;
    opts.refuse("weights", `${found}: one for each is wanted`);
  }
  const negative = weights.find((weight) => weight < 0);
  if (negative !== undefined) opts.refuse("weights", `has ${negative}, which is below 0`);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) opts.refuse("weights", "has nothing but zeros");
  return rates.flatMap((rate, index): readonly Part[] => {
    const share = (weights[index] ?? 0) / total;
    return share > 0 ? [{ open: readOther(rate, terms), share }] : [];
  });
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

/** Makes the reader from the one of all controllers. */
export function compositeWith(readOther: ReadOther): ReadRate {
  return (opts, terms) => {
    const parts = partsOf(opts, terms, readOther);
    return (context) => open(parts, context);
  };
}

function open(parts: readonly Part[], context: RateContext): RateController {
  let index = -1;
  let running: RateController | undefined;
  let until = 0;
  const { progress, share, clock } = context;
  const position = (): number =>
    share.number === undefined ? clock.now() - progress.startMs : progress.planned;
  const whole = share.number ?? share.durationMs ?? 0;
  const isOver = (): boolean => index + 1 < parts.length && position() >= Math.round(until * whole);
  const advance = async (): Promise<void> => {
    while (isOver()) {
      await running?.end();
      const part = parts[++index];
      if (part === undefined) return;
      const from = Math.round(until * whole);
      until += part.share;
      const size = Math.round(until * whole) - from;
      running = await part.open(contextOf(context, part.share, size));
    }
  };
  return {
    applyRateControl() {
      if (!isOver()) return running?.applyRateControl();
      return advance().then(() => running?.applyRateControl());
    },
    end: async () => await running?.end(),
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
