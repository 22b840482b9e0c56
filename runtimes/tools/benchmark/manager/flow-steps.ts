/** Which steps of a run are done. Source: benchmark 1, 2 */
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { Settings } from "../settings.ts";

/** Steps in their order. */
const FLOW_STEPS = ["start", "init", "install", "test", "end"] as const;

/** One of {@link FLOW_STEPS}. */
export type FlowStep = (typeof FLOW_STEPS)[number];

/** The steps that settings leave. @throws BenchmarkFault `usage` when skip and only are mixed */
export function flowSteps(settings: Settings): ReadonlySet<FlowStep> {
  const chosen = (kind: "skip" | "only"): FlowStep[] =>
    FLOW_STEPS.filter((step) => settings.flag(`caliper-flow-${kind}-${step}`));
  const skipped = chosen("skip");
  const only = chosen("only");
  if (skipped.length > 0 && only.length > 0) {
    throw new BenchmarkFault(
      "usage",
      "caliper-flow-skip-... and caliper-flow-only-... exclude each other",
    );
  }
  if (only.length > 1)
    throw new BenchmarkFault("usage", "at most one caliper-flow-only-... may be true");
  if (only.length === 1) return new Set(only);
  return new Set(FLOW_STEPS.filter((step) => !skipped.includes(step)));
}
