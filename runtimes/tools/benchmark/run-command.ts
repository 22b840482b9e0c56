/** `benchmark run` and `launch manager`: runs, prints, writes the report, chooses the exit code. */
import {
  type Assertion,
  AssertionFault,
  checkAssertion,
  errorRateAssertion,
  readAssertion,
} from "../../shared/benchmark/assertion.ts";
import { BenchmarkFault, faultText } from "../../shared/benchmark/benchmark-fault.ts";
import type { PageLook } from "../../shared/benchmark/report-page.ts";
import type { AssertionResult } from "../../shared/benchmark/round-result.ts";
import { bind } from "./bind.ts";
import type { CommandWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import { inWorkspace } from "./files/network-file.ts";
import { type FinishedRun, runBenchmark } from "./manager/benchmark-run.ts";
import { precisionOf } from "./manager/run-terms.ts";
import { resultText } from "./report/bordered-table.ts";
import { reportOf, type ReportSettings, writeReport } from "./report/write-report.ts";
import { type Log, openLog } from "./log.ts";
import type { RunIo } from "./run-io.ts";
import { Settings } from "./settings.ts";

function assertionsOf({ flags, lists }: CommandWords): readonly Assertion[] {
  try {
    const rate = flags.get("fail-on-error-rate");
    const texts = lists.get("assert") ?? [];
    const limit = rate === undefined ? [] : [errorRateAssertion(percentOf(rate))];
    return [...texts.map(readAssertion), ...limit];
  } catch (cause) {
    if (cause instanceof AssertionFault) throw new BenchmarkFault("usage", cause.message);
    throw cause;
  }
}

function percentOf(text: string): number {
  const percent = Number(text);
  if (text.trim() !== "" && percent >= 0 && percent <= 100) return percent;
  throw new BenchmarkFault("usage", `--fail-on-error-rate is "${text}": from 0 to 100`);
}

function lookOf(settings: Settings): PageLook {
  return {
    hue: settings.number("caliper-report-charting-hue"),
    scheme: settings.text("caliper-report-charting-scheme"),
    transparency: settings.number("caliper-report-charting-transparency", 0, 1),
    precision: precisionOf(settings),
  };
}

/** How the page is opened; the mode is octal. Source: benchmark 1 */
function openingOf(settings: Settings): { readonly flag: string; readonly mode: number } {
  const flag = settings.text("caliper-report-options-flag");
  if (!/^[wa]x?\+?$/.test(flag))
    throw new BenchmarkFault("usage", `caliper-report-options-flag is "${flag}": w, wx, a or ax`);
  const text = settings.text("caliper-report-options-mode");
  const [, digits] = /^0?o?([0-7]{3})$/.exec(text) ?? [];
  if (digits !== undefined) return { flag, mode: Number.parseInt(digits, 8) };
  const what = `caliper-report-options-mode is "${text}"`;
  throw new BenchmarkFault("usage", `${what}: an octal mode is wanted, such as 0666`);
}

function exitCodeOf(run: FinishedRun, assertions: readonly AssertionResult[]): number {
  const [failure] = run.failures;
  if (failure) return failure.kind === "usage" ? EXIT.usage : EXIT.engine;
  const isFine = run.rounds.every(({ status }) => status === "finished");
  return isFine && assertions.every(({ holds }) => holds) ? EXIT.done : EXIT.rounds;
}

/** CPU of the tool for each transaction, where it is known. */
function costLines({ rounds, network }: FinishedRun): readonly string[] {
  const where = network.mode === "inproc" ? "this tool and its node" : "this tool";
  return rounds.flatMap(({ label, counts, generatorCpuMs }) => {
    const all = counts.submitted + counts.trimmed;
    if (generatorCpuMs === null || all === 0) return [];
    return [`${label}: ${(generatorCpuMs / all).toFixed(3)} ms of CPU per transaction in ${where}`];
  });
}

/** A signal that a first SIGINT or SIGTERM gives; the second ends the process. */
function untilInterrupted(): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  return {
    signal: controller.signal,
    done() {
      process.off("SIGINT", abort);
      process.off("SIGTERM", abort);
    },
  };
}

interface TellTerms {
  readonly assertions: readonly Assertion[];
  readonly settings: Settings;
  readonly page: Omit<ReportSettings, "path">;
  readonly io: RunIo;
  readonly log: Log;
  readonly isJson: boolean;
}

/** Writes the report, prints what came of the run, and gives the exit code. */
async function tellRun(run: FinishedRun, terms: TellTerms): Promise<number> {
  const { settings, page, io, log, isJson } = terms;
  const checked = terms.assertions.map((assertion) => checkAssertion(assertion, run.rounds));
  const report = reportOf(run, checked);
  let code = exitCodeOf(run, checked);
  if (run.rounds.length > 0) {
    try {
      const path = inWorkspace(settings.workspace, settings.text("caliper-report-path"));
      log.say("info", `report: ${(await writeReport(report, { path, ...page })).html}`);
    } catch (cause) {
      log.say("error", `the report could not be written: ${faultText(cause)}`);
      code = EXIT.engine;
    }
  }
  if (isJson) io.stdout(`${JSON.stringify(report)}\n`);
  else if (run.rounds.length > 0) io.stdout(resultText(run.rounds));
  for (const { text, holds, reason } of checked) {
    const verdict = holds ? "holds" : `does not hold: ${reason}`;
    log.say(holds ? "info" : "error", `assertion ${text}: ${verdict}`);
  }
  for (const line of costLines(run)) log.say("info", line);
  const lines = finalLines(run);
  if (isJson) io.stderr(lines);
  else io.stdout(lines);
  return code;
}

/**
 * Runs a benchmark; gives the exit code.
 * @param args the whole command line, for workers
 * @throws BenchmarkFault `usage`
 */
export async function runCommand(
  words: CommandWords,
  args: readonly string[],
  io: RunIo,
): Promise<number> {
  const assertions = assertionsOf(words);
  const settings = await Settings.read({ flags: words.flags, env: io.env, cwd: io.cwd });
  // What is wrong with the report's settings is reported before an hour of load, not after it.
  const page = { look: lookOf(settings), ...openingOf(settings) };
  if (settings.find("caliper-bind-sut") !== undefined) await bind(settings, io);
  const log = openLog(settings, { module: "manager", write: (text) => io.stderr(text) });
  const isJson = words.flags.has("json");
  const interrupted = untilInterrupted();
  try {
    const { signal } = interrupted;
    const run = await runBenchmark({ settings, args, io, log, isJson, signal });
    return await tellRun(run, { assertions, settings, page, io, log, isJson });
  } finally {
    interrupted.done();
    await log.close();
  }
}

const MS_PER_SECOND = 1_000;

/** `Benchmark finished in 12.3 seconds. Total rounds: 2. ...` Source: benchmark 2 */
export function finalLines({ plan, rounds, wantedRounds, durationMs }: FinishedRun): string {
  const good = rounds.filter(({ status }) => status === "finished").length;
  const bad = wantedRounds - good;
  const seconds = (durationMs / MS_PER_SECOND).toFixed(3);
  const counts = [
    `Total rounds: ${wantedRounds}`,
    `Successful rounds: ${good}`,
    `Failed rounds: ${bad}`,
  ];
  const line = `Benchmark finished in ${seconds} seconds. ${counts.join(". ")}.\n`;
  if (plan.generation !== "G1") return line;
  const summary = `# Test summary: ${good} succeeded, ${bad} failed #`;
  const edge = "#".repeat(summary.length);
  return `${line}${edge}\n${summary}\n${edge}\n`;
}
