/** The table of results: one column list for the terminal, the page and the spreadsheet. */
import type { RoundResult } from "./round-result.ts";

/** A column: its title, and a round's figure as text (`-` when there is none). */
export interface ResultColumn {
  readonly title: string;
  readonly cell: (round: RoundResult) => string;
}

function fixed(value: number | null, digits: number): string {
  return value === null ? "-" : value.toFixed(digits);
}

function seconds(ms: number | null): string {
  return fixed(ms === null ? null : ms / 1000, 2);
}

/**
 * The reference's columns in its order, then ours: rates with one decimal, latencies in seconds
 * with two, `-` without a success. Source: benchmark 2
 */
const RESULT_COLUMNS: readonly ResultColumn[] = [
  { title: "Name", cell: ({ label }) => label },
  { title: "Succ", cell: ({ counts }) => String(counts.succeeded) },
  { title: "Fail", cell: ({ counts }) => String(counts.failed) },
  { title: "Send Rate (TPS)", cell: ({ rates }) => fixed(rates.sendTps, 1) },
  { title: "Max Latency (s)", cell: ({ latency }) => seconds(latency.maxMs) },
  { title: "Min Latency (s)", cell: ({ latency }) => seconds(latency.minMs) },
  { title: "Avg Latency (s)", cell: ({ latency }) => seconds(latency.avgMs) },
  { title: "Throughput (TPS)", cell: ({ rates }) => fixed(rates.throughputTps, 1) },
  { title: "Succ TPS", cell: ({ rates }) => fixed(rates.successTps, 1) },
  { title: "p50 (s)", cell: ({ latency }) => seconds(latency.p50Ms) },
  { title: "p90 (s)", cell: ({ latency }) => seconds(latency.p90Ms) },
  { title: "p95 (s)", cell: ({ latency }) => seconds(latency.p95Ms) },
  { title: "p99 (s)", cell: ({ latency }) => seconds(latency.p99Ms) },
];

/** Titles of the columns. */
export function resultTitles(): string[] {
  return RESULT_COLUMNS.map(({ title }) => title);
}

/** A round's cells, in the order of the titles. */
export function resultCells(round: RoundResult): string[] {
  return RESULT_COLUMNS.map(({ cell }) => cell(round));
}
