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
import { readReport, ReportFault } from "./read-report.ts";

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
