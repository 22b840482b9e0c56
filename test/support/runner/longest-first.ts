/**
 * The order in which the runner takes files: those that last long first, so that at the end no
 * worker is left with one of them while the others have nothing to do; and those that wait for
 * processes and browsers next to those that calculate, all along, so that the processors have work
 * while the former wait. How long each took is kept in durations.json; to measure anew:
 * REWRITE_DURATIONS=1 npm test.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from "vitest/node";

const RECORD = join(dirname(fileURLToPath(import.meta.url)), "durations.json");
/** Shorter ones may come in any order. */
const LEAST_SECONDS = 2;
/** What those last on average. */
const SHORT_SECONDS = 0.5;
/** Tests that drive processes and browsers, and wait for them. */
const WAITING = /^test\/(?:bench|runtimes\/(?:browser|node|tools)|web)\//;
const SECOND_MS = 1_000;

function recorded(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, number>;
}

/** A worker serves one project: those that have a worker for each file first. */
const PROJECTS = ["alone", "shared"];

interface Weighed {
  readonly file: TestSpecification;
  readonly seconds: number;
  /** Of its kind: the share of the time that is over when it begins. */
  share: number;
}

/** Longest first, each with its share. */
function inOrder(files: readonly Weighed[]): readonly Weighed[] {
  const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
  let before = 0;
  return files
    .toSorted((one, other) => other.seconds - one.seconds)
    .map((each) => {
      const share = before / all;
      before += each.seconds;
      return { ...each, share };
    });
}

/** By project, then both kinds of files side by side, each longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const record = recorded();
    const { root } = this.ctx.config;
    const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId);
    const weighed = files.map((file) => {
      return { file, seconds: record[pathOf(file)] ?? SHORT_SECONDS, share: 0 };
    });
    const waits = ({ file }: Weighed) => WAITING.test(pathOf(file));
    const waiting = inOrder(weighed.filter(waits));
    const working = inOrder(weighed.filter((each) => !waits(each)));
    const turn = ({ file }: Weighed) => PROJECTS.indexOf(file.project.name);
    return [...waiting, ...working]
      .toSorted((one, other) => turn(one) - turn(other) || one.share - other.share)
      .map(({ file }) => file);
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
