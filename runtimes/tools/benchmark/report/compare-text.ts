/** `benchmark compare A B`. */
import {
  type ComparedMetric,
  type ComparedRound,
  compareReports,
} from "../../../shared/benchmark/compare.ts";
import { borderedTable } from "./bordered-table.ts";
import { readReport } from "./read-report.ts";

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

/** Options of `benchmark compare`. */
export interface CompareOptions {
  readonly json: boolean;
}

/**
 * What two `report.json` files say, as a text for stdout.
 *
 * @throws ReportFault when a file is no report
 */
export async function compareText(
  before: string,
  after: string,
  { json }: CompareOptions,
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
