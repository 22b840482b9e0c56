/** `benchmark compare A B`. */
import { resolve } from "node:path";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import {
  type ComparedMetric,
  type ComparedRound,
  compareReports,
} from "../../../shared/benchmark/compare.ts";
import { type CommandWords, wordsBehind } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunIo } from "../run-io.ts";
import { borderedTable } from "./bordered-table.ts";
import { readFile } from "node:fs/promises";
import { fileReason } from "../files/placed-file.ts";
import { type BenchmarkReport, REPORT_SCHEMA } from "../../../shared/benchmark/round-result.ts";

const DIGITS = 4;

function figure(value: number | null): string {
  return value === null ? "-" : String(Number(value.toPrecision(DIGITS)));
}

function change({ changePercent: percent }: ComparedMetric): string {
  if (percent === null) return "-";
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

function roundTable({ label, metrics }: ComparedRound): string {
  const rows = metrics.map((one) => {
    const verdict = one.verdict === "neither" ? "" : one.verdict;
    return [one.metric.says, figure(one.before), figure(one.after), change(one), verdict];
  });
  const titles = [label, "before", "after", "change", ""];
  return borderedTable({ titles, rows });
}

/**
 * What two `report.json` files say, as a text for stdout.
 * @throws ReportFault when a file is no report
 */
export async function compareText(
  before: string,
  after: string,
  { json }: { readonly json: boolean },
): Promise<string> {
  const comparison = compareReports(await readReport(before), await readReport(after));
  if (json) {
    const rounds = comparison.rounds.map(({ label, metrics }) => ({
      label,
      metrics: metrics.map(({ metric, ...rest }) => ({ name: metric.name, ...rest })),
    }));
    return `${JSON.stringify({ rounds, remarks: comparison.remarks })}\n`;
  }
  const tables = comparison.rounds.map(roundTable);
  const remarks = comparison.remarks.map((remark) => `note: ${remark}\n`);
  return `${tables.join("\n")}${remarks.join("")}`;
}

/** `benchmark compare BEFORE AFTER [--json]`. @throws BenchmarkFault `usage` */
export async function compareCommand(
  { words, flags }: CommandWords,
  _args: readonly string[],
  io: RunIo,
): Promise<number> {
  const [before, after, tooMany] = wordsBehind("compare", words);
  if (before === undefined || after === undefined || tooMany !== undefined)
    throw new BenchmarkFault("usage", "two reports are wanted: compare BEFORE.json AFTER.json");
  const files = [before, after].map((file) => resolve(io.cwd, file)) as [string, string];
  try {
    io.stdout(await compareText(...files, { json: flags.has("json") }));
    return EXIT.done;
  } catch (cause) {
    if (cause instanceof ReportFault) throw new BenchmarkFault("usage", cause.message);
    throw cause;
  }
}

/** A file that is no report of this tool. */
export class ReportFault extends Error {
  override readonly name = "ReportFault";
}

function isReport(value: unknown): value is BenchmarkReport {
  if (typeof value !== "object" || value === null) return false;
  const { schema, rounds, environment, workers } = value as Record<string, unknown>;
  const isRound = (round: unknown) => {
    const { label, counts, rates, latency } = (round ?? {}) as Record<string, unknown>;
    return (
      typeof label === "string" && [counts, rates, latency].every((it) => it instanceof Object)
    );
  };
  const hasParts = Array.isArray(rounds) && rounds.every(isRound);
  return schema === REPORT_SCHEMA && hasParts && Boolean(environment) && Boolean(workers);
}

/** @throws ReportFault what is wrong with the file, and what is wanted */
export async function readReport(file: string): Promise<BenchmarkReport> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new ReportFault(`${file} cannot be read: ${fileReason(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReportFault(`${file} is no JSON: the report.json of a run is wanted`);
  }
  if (isReport(value)) return value;
  throw new ReportFault(`${file} is no report of the form ${REPORT_SCHEMA}: give a report.json`);
}
