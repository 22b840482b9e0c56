/** Reads `report.json` again. */
import { readFile } from "node:fs/promises";
import { fileReason } from "../files/placed-file.ts";
import { type BenchmarkReport, REPORT_SCHEMA } from "../../../shared/benchmark/round-result.ts";

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
