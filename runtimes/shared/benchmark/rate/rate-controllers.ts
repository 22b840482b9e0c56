/** All rate controllers by their names in files. Source: benchmark 6 */
import { compositeWith } from "./composite-rate.ts";
import { makeFixedBacklog } from "./fixed-backlog.ts";
import { makeFixedFeedbackRate } from "./fixed-feedback-rate.ts";
import { makeFixedLoad } from "./fixed-load.ts";
import { makeFixedRate } from "./fixed-rate.ts";
import { makeLinearRate } from "./linear-rate.ts";
import { makeMaximumRate } from "./maximum-rate.ts";
import { type MakeRate, rateFault, type RateSpec } from "./rate-controller.ts";
import { recordWith } from "./record-rate.ts";
import { makeReplayRate } from "./replay-rate.ts";
import { makeZeroRate } from "./zero-rate.ts";

const MAKERS: Readonly<Record<string, MakeRate>> = {
  "fixed-rate": makeFixedRate,
  "fixed-load": makeFixedLoad,
  "fixed-backlog": makeFixedBacklog,
  "fixed-feedback-rate": makeFixedFeedbackRate,
  "maximum-rate": makeMaximumRate,
  "linear-rate": makeLinearRate,
  "composite-rate": compositeWith(makeOther),
  "zero-rate": makeZeroRate,
  "record-rate": recordWith(makeOther),
  "replay-rate": makeReplayRate,
};

/** Names of the controllers that need no module. */
export const RATE_NAMES: readonly string[] = Object.keys(MAKERS);

/** Parts of composite and record controllers may be of any kind, too. */
function makeOther(...[spec, context]: Parameters<MakeRate>): ReturnType<MakeRate> {
  return makeRateController(spec, context);
}

/**
 * The controller of a name, or of the user's module.
 *
 * @throws BenchmarkFault for options that cannot be, and for a name that nothing has
 */
export const makeRateController: MakeRate = async (spec, context) => {
  const make = Object.hasOwn(MAKERS, spec.type) ? MAKERS[spec.type] : undefined;
  if (make) return await make(spec, context);
  const custom = await context.host.custom(spec, context);
  if (custom) return custom;
  throw rateFault(
    spec,
    `there is no such controller: ${RATE_NAMES.join(", ")}, or a module's path`,
  );
};

/** The rate of all workers together that a controller aims at; null when it has no such figure. */
export function targetTps({ type, opts }: RateSpec): number | null {
  if (type !== "fixed-rate" && type !== "fixed-feedback-rate") return null;
  const tps = Number(opts?.["tps"] ?? 10);
  return tps > 0 ? tps : null;
}
