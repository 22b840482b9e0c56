/** Writes `report.html`, and `report.json` and `report.csv` next to it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_LOOK, fillPage, type PageLook } from "../../../shared/benchmark/report-page.ts";
import { reportCsv } from "../../../shared/benchmark/report-csv.ts";
import {
  type AssertionResult,
  type BenchmarkReport,
  REPORT_SCHEMA,
} from "../../../shared/benchmark/round-result.ts";
import type { FinishedRun } from "../manager/benchmark-run.ts";

/** Settings of the report. Source: benchmark 1 */
export interface ReportSettings {
  /** `caliper-report-path`, resolved against the workspace. */
  readonly path: string;
  /** `caliper-report-options`: how the page is opened. */
  readonly flag?: string;
  readonly mode?: number;
  readonly look?: PageLook;
}

/** Where the three files are. */
export interface WrittenReport {
  readonly html: string;
  readonly json: string;
  readonly csv: string;
}

const TEMPLATE = "benchmark.html";

/** dist/report next to the running bundle, or next to the folder that CHAIN_NODE_DIST names. */
function templateFile(): string {
  const dist = process.env["CHAIN_NODE_DIST"];
  if (dist !== undefined && dist !== "") return resolve(dist, "..", "report", TEMPLATE);
  return fileURLToPath(new URL(`../report/${TEMPLATE}`, import.meta.url));
}

/** `report.html` becomes `report.json`; a path without an ending gets one. */
function beside(path: string, ending: string): string {
  const old = extname(path);
  return `${old === "" ? path : path.slice(0, -old.length)}${ending}`;
}

/** The page of a report, complete in itself. @throws Error when the template is not there */
export async function reportPage(report: BenchmarkReport, look = DEFAULT_LOOK): Promise<string> {
  return fillPage(await readFile(templateFile(), "utf8"), { report, look });
}

/** Writes the files. @throws Error of the disk, with the path */
export async function writeReport(
  report: BenchmarkReport,
  { path, flag = "w", mode = 0o666, look }: ReportSettings,
): Promise<WrittenReport> {
  const files = { html: path, json: beside(path, ".json"), csv: beside(path, ".csv") };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(files.json, `${JSON.stringify(report, undefined, 2)}\n`, { mode });
  await writeFile(files.csv, reportCsv(report), { mode });
  await writeFile(files.html, await reportPage(report, look), { flag, mode });
  return files;
}

/** Puts it together. */
export function reportOf(
  run: FinishedRun,
  assertions: readonly AssertionResult[],
): BenchmarkReport {
  const { plan, network } = run;
  return {
    schema: REPORT_SCHEMA,
    generation: plan.generation,
    name: plan.name,
    description: plan.description,
    blockchain: network.blockchain,
    workers: {
      type: network.mode === "inproc" ? "inproc" : run.workersType,
      number: plan.workers,
    },
    startedAtMs: run.startedAtMs,
    durationMs: run.durationMs,
    info: network.info,
    configuration: { benchmark: plan.value, network: network.value },
    environment: run.environment,
    rounds: run.rounds,
    assertions,
    remarks: run.failures.map(({ message }) => message),
  };
}
