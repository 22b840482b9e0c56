/**
 * A whole run: start command, chain, contracts, workers, rounds, report, end command.
 * Source: benchmark 1, 2
 */
import { setTimeout as sleep } from "node:timers/promises";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import type { RoundResult, RunEnvironment } from "../../../shared/benchmark/round-result.ts";
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import { readBenchmarkFile } from "../files/benchmark-file.ts";
import { inWorkspace, type NetworkPlan, readNetworkFile } from "../files/network-file.ts";
import { monitorText, resultText } from "../report/bordered-table.ts";
import { ENGINE_CODES } from "../exit-codes.ts";
import type { Log } from "../log.ts";
import type { RunIo } from "../run-io.ts";
import type { Settings } from "../settings.ts";
import { RunChain } from "./run-chain.ts";
import { type RunTerms, runTerms } from "./run-terms.ts";
import { runRound } from "./run-round.ts";
import { WorkerPool } from "./worker-pool.ts";
import { spawn } from "node:child_process";

/** What is run. */
export interface BenchmarkOrder {
  readonly settings: Settings;
  /** The command line, for the workers. */
  readonly args: readonly string[];
  readonly io: RunIo;
  readonly log: Log;
  /** Prints no tables: one document follows. */
  readonly isJson: boolean;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface FinishedRun {
  readonly plan: BenchmarkPlan;
  readonly network: NetworkPlan;
  readonly workersType: string;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly rounds: readonly RoundResult[];
  /** Rounds that were to be run: none where a setting leaves the step out. */
  readonly wantedRounds: number;
  /** Why the engine failed, in the order of the steps; empty when it did not. */
  readonly failures: readonly BenchmarkFault[];
  /** The chain's part is empty when it was never reached. */
  readonly environment: RunEnvironment;
}

/** One run; a class because steps leave something for those that follow. */
class Run {
  readonly #order: BenchmarkOrder;
  readonly #plan: BenchmarkPlan;
  readonly #network: NetworkPlan;
  readonly #terms: RunTerms;
  readonly #chain: RunChain;
  readonly #rounds: RoundResult[] = [];

  constructor(order: BenchmarkOrder, plan: BenchmarkPlan, network: NetworkPlan, terms: RunTerms) {
    this.#order = order;
    this.#plan = plan;
    this.#network = network;
    this.#terms = terms;
    const say = (line: string): void => this.#say(line);
    this.#chain = new RunChain(network, order.settings.workspace, say);
  }

  async run(): Promise<FinishedRun> {
    const startedAtMs = Date.now();
    const begun = performance.now();
    const failures: BenchmarkFault[] = [];
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (cause) {
        const isFault = cause instanceof BenchmarkFault;
        failures.push(isFault ? cause : new BenchmarkFault("engine", faultText(cause), { cause }));
        this.#order.log.say("error", faultText(cause));
      }
    };
    await attempt(() => this.#beforeEnd());
    await attempt(() => this.#chain.close());
    await attempt(() => this.#command("end", this.#network.end));
    return {
      plan: this.#plan,
      network: this.#network,
      workersType: this.#terms.link.type,
      startedAtMs,
      durationMs: performance.now() - begun,
      rounds: this.#rounds,
      wantedRounds: this.#terms.steps.has("test") ? this.#plan.rounds.length : 0,
      failures,
      environment: await this.#chain.environment(),
    };
  }

  #say(line: string): void {
    this.#order.log.say("info", line);
  }

  async #beforeEnd(): Promise<void> {
    await this.#command("start", this.#network.start);
    await this.#step("init", async () => void (await this.#chain.open()));
    await this.#step("install", () => this.#chain.install());
    await this.#step("test", () => this.#test());
  }

  /** Source: benchmark 1 (engine codes) */
  async #step(step: "init" | "install" | "test", work: () => Promise<void>): Promise<void> {
    if (!this.#terms.steps.has(step)) return;
    try {
      await work();
    } catch (cause) {
      const kind = cause instanceof BenchmarkFault ? cause.kind : "engine";
      const text = `${step} failed (code ${ENGINE_CODES[step]}): ${faultText(cause)}`;
      throw new BenchmarkFault(kind, text, { cause });
    }
  }

  async #command(step: "start" | "end", command: string | undefined): Promise<void> {
    if (!this.#terms.steps.has(step) || command === undefined) return;
    this.#say(`running the ${step} command: ${command}`);
    await runShell(step, command, this.#order.settings.workspace);
  }

  async #test(): Promise<void> {
    const chain = await this.#chain.open();
    const { signal } = this.#order;
    const { link, pollMs, monitors: monitorTerms, progress } = this.#terms;
    const pool = new WorkerPool(link, pollMs);
    const onAbort = (): void => pool.abandon("the run was interrupted");
    signal?.addEventListener("abort", onAbort);
    try {
      await pool.start(this.#plan.workers);
      this.#say(`${this.#plan.workers} worker(s) by ${link.type}`);
      const runner = {
        pool,
        chain,
        workerArgs: await this.#chain.workerArguments(),
        monitors: this.#plan.monitors,
        monitorTerms,
        progress,
        timeoutMs: this.#network.timeoutMs,
      };
      for (const [index, planned] of this.#plan.rounds.entries()) {
        if (index > 0) await this.#pause();
        if (signal?.aborted) throw new BenchmarkFault("engine", "the run was interrupted");
        this.#say(`round ${index}: ${planned.label}`);
        const result = await runRound(runner, planned, index);
        this.#rounds.push(result);
        this.#tell(result);
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
      await pool.stop();
    }
  }

  /** Source: benchmark 2 (5 s before the next round) */
  async #pause(): Promise<void> {
    const { signal } = this.#order;
    await sleep(this.#terms.pauseMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }

  #tell(result: RoundResult): void {
    const { io, isJson } = this.#order;
    for (const remark of result.remarks) this.#say(`round ${result.index}: ${remark}`);
    if (isJson) return;
    io.stdout(resultText([result]));
    if (result.monitors.length > 0) io.stdout(monitorText(result.monitors, this.#terms.precision));
  }
}

/** Reads both files and runs. @throws BenchmarkFault `usage` before anything is started */
export async function runBenchmark(order: BenchmarkOrder): Promise<FinishedRun> {
  const { settings, args, log } = order;
  const { workspace } = settings;
  const path = (key: string): string => inWorkspace(workspace, settings.text(key));
  const plan = await readBenchmarkFile(path("caliper-benchconfig"), workspace);
  const network = await readNetworkFile(path("caliper-networkconfig"), workspace);
  const terms = await runTerms(plan, settings, args, log);
  log.say(
    "info",
    `benchmark file of generation ${plan.generation}: ${plan.rounds.length} round(s)`,
  );
  for (const warning of plan.warnings) log.say("warn", warning);
  return await new Run(order, plan, network, terms).run();
}

/** Its number, which a thread has too. */
const STDERR = 2;

interface Failure {
  /** Added to the code of the step. */
  readonly code: 1 | 2;
  readonly why: string;
}

/**
 * Runs a command by a shell in the workspace.
 * @throws BenchmarkFault `engine` that has the command, how it ended, and the code of that
 */
export async function runShell(
  step: "start" | "end",
  command: string,
  workspace: string,
): Promise<void> {
  const failure = await new Promise<Failure | undefined>((resolve) => {
    // What the command prints is no result of the run.
    const stdio = ["ignore", STDERR, STDERR] as const;
    const child = spawn(command, { cwd: workspace, shell: true, stdio: [...stdio] });
    child.once("error", ({ message }) => resolve({ code: 1, why: message }));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? undefined : { code: 2, why: `it ended with ${signal ?? code}` });
    });
  });
  if (failure === undefined) return;
  const what = `the ${step} command failed (code ${ENGINE_CODES[step] + failure.code})`;
  throw new BenchmarkFault("engine", `${what}: ${failure.why}: ${command}`);
}
