/** All rate controllers by their names in files. Source: benchmark 6 */
import { BenchmarkFault } from "../benchmark-fault.ts";
import { keyText, type Refuse, type Section, sectionOf } from "../section.ts";
import { compositeWith } from "./composite-rate.ts";
import { fixedBacklog, fixedLoad, fixedRate, USUAL_TPS, zeroRate } from "./fixed-rate.ts";
import { fixedFeedbackRate } from "./fixed-feedback-rate.ts";
import { linearRate } from "./linear-rate.ts";
import { maximumRate } from "./maximum-rate.ts";
import type {
  OpenRate,
  RateContext,
  RateController,
  RateSpec,
  RateTerms,
  ReadRate,
} from "./rate-controller.ts";
import { recordWith, replayRate } from "./trace.ts";

const READERS: Readonly<Record<string, ReadRate>> = {
  "fixed-rate": fixedRate,
  "fixed-load": fixedLoad,
  "fixed-backlog": fixedBacklog,
  "fixed-feedback-rate": fixedFeedbackRate,
  "maximum-rate": maximumRate,
  "linear-rate": linearRate,
  // Parts of these two may be of any kind.
  "composite-rate": compositeWith(readRate),
  "zero-rate": zeroRate,
  "record-rate": recordWith(readRate),
  "replay-rate": replayRate,
};

/**
 * Reads a `rateControl`.
 * @throws what the section's readers throw, for options that cannot be and names that nothing has
 */
export function readRate(rate: Section, terms: RateTerms): OpenRate {
  const type = rate.text("type");
  if (type === "zero-rate" && terms.endsBy === "number")
    rate.refuse("type", "zero-rate is for txDuration: a round by txNumber would never end");
  const opts = rate.has("opts") ? rate.section("opts") : rate.empty("opts");
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read) {
    const open = read(opts, terms);
    for (const path of opts.unasked()) terms.onUnasked?.(path);
    return open;
  }
  const refuse = (): never => {
    const known = Object.keys(READERS).join(", ");
    return rate.refuse("type", `"${type}" is no controller: ${known}, or a module's path`);
  };
  if (!terms.hasModule(type)) refuse();
  const spec = { type, opts: opts.values() };
  return async (context) => (await context.host.custom(spec, context)) ?? refuse();
}

/** Opens the controller of a round. @throws BenchmarkFault as {@link readRate} */
export async function openRate(spec: RateSpec, context: RateContext): Promise<RateController> {
  const refuse: Refuse = (path, sentence) => {
    throw new BenchmarkFault("usage", `${keyText(path)} ${sentence}`);
  };
  const endsBy = context.share.number === undefined ? "duration" : "number";
  const rate = sectionOf(spec, ["rateControl"], refuse);
  return await readRate(rate, { endsBy, hasModule: () => true })(context);
}

/** The rate of all workers together that a controller aims at; null when it has no such figure. */
export function targetTps({ type, opts }: RateSpec): number | null {
  if (type !== "fixed-rate" && type !== "fixed-feedback-rate") return null;
  const tps = Number(opts?.["tps"] ?? USUAL_TPS);
  return tps > 0 ? tps : null;
}
