/** `report.csv`: a row for each round, for spreadsheets. */
import type { BenchmarkReport, LatencySummary, RoundResult } from "./round-result.ts";

type Cell = string | number | null;

/** A column: its name in the first line, what it holds, and a round's value. */
interface CsvColumn {
  readonly name: string;
  readonly says: string;
  readonly cell: (round: RoundResult) => Cell;
}

const LATENCIES: readonly (readonly [string, keyof LatencySummary])[] = [
  ["min", "minMs"],
  ["max", "maxMs"],
  ["avg", "avgMs"],
  ["p50", "p50Ms"],
  ["p90", "p90Ms"],
  ["p95", "p95Ms"],
  ["p99", "p99Ms"],
];

/** Every column, in its order. Times are milliseconds, rates transactions per second. */
export const CSV_COLUMNS: readonly CsvColumn[] = [
  { name: "round", says: "index from 0", cell: ({ index }) => index },
  { name: "label", says: "as in the file", cell: ({ label }) => label },
  { name: "status", says: "finished, failed or partial", cell: ({ status }) => status },
  {
    name: "rate_control",
    says: "type of the rate controller",
    cell: ({ configuration }) => configuration.rateControl.type,
  },
  {
    name: "target_tps",
    says: "rate that the controller aimed at",
    cell: ({ configuration }) => configuration.targetTps,
  },
  {
    name: "workers",
    says: "workers of the round",
    cell: ({ configuration }) => configuration.workers,
  },
  { name: "submitted", says: "transactions sent", cell: ({ counts }) => counts.submitted },
  { name: "succeeded", says: "those that succeeded", cell: ({ counts }) => counts.succeeded },
  { name: "failed", says: "those that failed", cell: ({ counts }) => counts.failed },
  {
    name: "unfinished",
    says: "those of the failed without an answer",
    cell: ({ counts }) => counts.unfinished,
  },
  { name: "trimmed", says: "left out by trim", cell: ({ counts }) => counts.trimmed },
  { name: "send_tps", says: "send rate", cell: ({ rates }) => rates.sendTps },
  { name: "throughput_tps", says: "throughput", cell: ({ rates }) => rates.throughputTps },
  { name: "success_tps", says: "succ TPS", cell: ({ rates }) => rates.successTps },
  ...LATENCIES.map(([name, key]) => ({
    name: `latency_${name}_ms`,
    says: `${name} of the latency of successes`,
    cell: ({ latency }: RoundResult) => latency[key],
  })),
  ...LATENCIES.slice(-4).map(([name, key]) => ({
    name: `intended_${name}_ms`,
    says: `${name}, counted from the intended time`,
    cell: ({ intendedLatency }: RoundResult) => intendedLatency?.[key] ?? null,
  })),
  { name: "duration_ms", says: "length of the round", cell: ({ durationMs }) => durationMs },
  {
    name: "started_at",
    says: "ISO 8601, UTC",
    cell: ({ startedAtMs }) => new Date(startedAtMs).toISOString(),
  },
  {
    name: "chain_transactions",
    says: "transactions that the chain counted",
    cell: ({ chain }) => chain?.transactions ?? null,
  },
  {
    name: "generator_cpu_ms",
    says: "CPU of manager and workers",
    cell: ({ generatorCpuMs }) => generatorCpuMs,
  },
];

/** Quoted where commas, quotes or line feeds ask for it; nothing for null. Source: RFC 4180 2 */
function csvCell(cell: Cell): string {
  if (typeof cell === "number") return String(Math.round(cell * 1000) / 1000);
  const text = cell ?? "";
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The whole file. */
export function reportCsv({ rounds }: Pick<BenchmarkReport, "rounds">): string {
  const head = CSV_COLUMNS.map(({ name }) => name);
  const rows = rounds.map((round) => CSV_COLUMNS.map(({ cell }) => csvCell(cell(round))));
  return `${[head, ...rows].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}
