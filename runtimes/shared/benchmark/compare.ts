/** Two reports side by side: what became better, what worse, what cannot be compared. */
import { ROUND_METRICS, type RoundMetric } from "./round-metrics.ts";
import type { BenchmarkReport, RoundResult } from "./round-result.ts";

/** A metric in both reports. */
export interface ComparedMetric {
  readonly metric: RoundMetric;
  readonly before: number | null;
  readonly after: number | null;
  /** Per cent of `before`; null when one is missing or `before` is 0. */
  readonly changePercent: number | null;
  readonly verdict: "better" | "worse" | "same" | "neither";
}

/** A round in both reports. */
export interface ComparedRound {
  readonly label: string;
  readonly metrics: readonly ComparedMetric[];
}

/** What came of it. */
export interface Comparison {
  readonly rounds: readonly ComparedRound[];
  /** Why figures may differ for other reasons than the chain; rounds of one report alone. */
  readonly remarks: readonly string[];
}

/** Changes up to this many per cent are noise of a run and called `same`. */
const NOISE_PERCENT = 2;

function compareMetric(metric: RoundMetric, left: RoundResult, right: RoundResult): ComparedMetric {
  const [before, after] = [metric.figure(left), metric.figure(right)];
  const none = { metric, before, after, changePercent: null };
  if (before === null || after === null) return { ...none, verdict: "neither" };
  if (before === after) return { ...none, changePercent: before === 0 ? null : 0, verdict: "same" };
  const changePercent = before === 0 ? null : (100 * (after - before)) / before;
  const isNoise = changePercent !== null && Math.abs(changePercent) <= NOISE_PERCENT;
  if (metric.better === undefined) return { ...none, changePercent, verdict: "neither" };
  if (isNoise) return { ...none, changePercent, verdict: "same" };
  const isBetter = after > before === (metric.better === "higher");
  return { ...none, changePercent, verdict: isBetter ? "better" : "worse" };
}

/** Rounds of the same label are paired in their order. */
function keyed(rounds: readonly RoundResult[]): Map<string, RoundResult> {
  const seen = new Map<string, number>();
  return new Map(
    rounds.map((round) => {
      const count = (seen.get(round.label) ?? 0) + 1;
      seen.set(round.label, count);
      return [count === 1 ? round.label : `${round.label} (${count})`, round];
    }),
  );
}

function conditions(before: BenchmarkReport, after: BenchmarkReport): string[] {
  const facts: readonly (readonly [string, (report: BenchmarkReport) => unknown])[] = [
    ["CPU", ({ environment }) => environment.cpuModel],
    ["CPU count", ({ environment }) => environment.cpuCount],
    ["runtime", ({ environment }) => environment.runtimeVersion],
    ["tool version", ({ environment }) => environment.toolVersion],
    ["workers", ({ workers }) => `${workers.number} (${workers.type})`],
  ];
  return facts.flatMap(([name, fact]) => {
    const [left, right] = [fact(before), fact(after)];
    return left === right ? [] : [`${name} differs: ${left ?? "unknown"}, ${right ?? "unknown"}`];
  });
}

function differences(label: string, left: RoundResult, right: RoundResult): string[] {
  const [one, other] = [left, right].map(({ configuration }) => JSON.stringify(configuration));
  const remarks = one === other ? [] : [`round "${label}" was configured differently`];
  const ended = [left, right].filter(({ status }) => status !== "finished");
  return ended.length === 0 ? remarks : [...remarks, `round "${label}" did not finish in both`];
}

/** Compares two reports, the earlier one first. */
export function compareReports(before: BenchmarkReport, after: BenchmarkReport): Comparison {
  const [left, right] = [keyed(before.rounds), keyed(after.rounds)];
  const remarks = conditions(before, after);
  const rounds: ComparedRound[] = [];
  for (const [label, round] of left) {
    const other = right.get(label);
    if (other === undefined) {
      remarks.push(`round "${label}" is in the first report alone`);
      continue;
    }
    remarks.push(...differences(label, round, other));
    const metrics = ROUND_METRICS.map((metric) => compareMetric(metric, round, other));
    rounds.push({ label, metrics });
  }
  for (const label of right.keys()) {
    if (!left.has(label)) remarks.push(`round "${label}" is in the second report alone`);
  }
  return { rounds, remarks };
}
