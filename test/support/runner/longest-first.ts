/**
 * The order in which the runner takes files: those that last long first, so that at the end no
 * worker is left with one of them while the others have nothing to do. How long each took is kept
 * in durations.json; to measure anew: REWRITE_DURATIONS=1 npm test.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from "vitest/node";

const RECORD = join(dirname(fileURLToPath(import.meta.url)), "durations.json");
/** Shorter ones may come in any order. */
const LEAST_SECONDS = 2;
const SECOND_MS = 1_000;

function recorded(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, number>;
}

/** A worker serves one project: those that have a worker for each file first. */
const PROJECTS = ["alone", "shared"];

/** By project, then longest first; files without a record come where the short ones are. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = recorded();
    const { root } = this.ctx.config;
    const weight = ({ moduleId }: TestSpecification) =>
      seconds[relative(root, moduleId)] ?? LEAST_SECONDS;
    const turn = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);
    return files.toSorted((one, other) => turn(one) - turn(other) || weight(other) - weight(one));
  }
}

/** Writes the record when that is asked for. */
export class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env["REWRITE_DURATIONS"] !== "1") return;
    const rows = modules
      .map((module) => [module.relativeModuleId, module.diagnostic().duration] as const)
      .map(([file, ms]) => [file, Math.round(ms / SECOND_MS)] as const)
      .filter(([, seconds]) => seconds >= LEAST_SECONDS)
      .sort(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
    writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`);
  }
}
