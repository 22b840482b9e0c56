/**
 * A whole run: start command, chain, contracts, workers, rounds, report, end command.
 *
 * Source: benchmark.md 1, 2
 */
import { setTimeout as sleep } from "node:timers/promises";
import { realClock } from "../../../shared/benchmark/bench-clock.ts";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import type { RoundResult, RunEnvironment } from "../../../shared/benchmark/round-result.ts";
import { webEntropy } from "../../../shared/platform/web-platform.ts";
import { toHex } from "../../../../core/bytes/hex.ts";
import { type Chain, openChain } from "../adapter/chain.ts";
import { requireAccount, signersOf } from "../adapter/accounts.ts";
import { installInGroups } from "../adapter/install.ts";
import type { InstalledContract } from "../adapter/request-encoder.ts";
import { TransactionMaker } from "../../../shared/benchmark/signing.ts";
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import { readBenchmarkFile } from "../files/benchmark-file.ts";
import { inWorkspace, type NetworkPlan, readNetworkFile } from "../files/network-file.ts";
import { ProgressPusher } from "../observers/prometheus-observer.ts";
import { monitorText, resultText } from "../report/bordered-table.ts";
import type { RunIo } from "../run-io.ts";
import type { Settings } from "../settings.ts";
import type { WorkerArguments } from "../worker/messages.ts";
import { environmentOf } from "./environment.ts";
import { type FlowStep, flowSteps } from "./flow-steps.ts";
import { managerLink } from "./open-pool.ts";
import type { ProgressTerms } from "./round-progress-lines.ts";
import { runRound } from "./run-round.ts";
import { runShell } from "./shell-command.ts";
import { WorkerPool } from "./worker-pool.ts";

/** What is run. */
export interface BenchmarkOrder {
  readonly settings: Settings;
  /** The command line, for the workers. */
  readonly args: readonly string[];
  readonly io: RunIo;
  /** Prints no tables: one document follows. */
  readonly isJson: boolean;
  /** Ends the run early. */
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
  /** Why the engine failed; undefined when it did not. */
  readonly failure: string | undefined;
  /** The chain's part is empty when it was never reached. */
  readonly environment: RunEnvironment;
}

const KEY_BYTES = 32;
const MS_PER_SECOND = 1_000;

/** One run; a class because steps leave something for those that follow. */
class Run {
  readonly #order: BenchmarkOrder;
  readonly #plan: BenchmarkPlan;
  readonly #network: NetworkPlan;
  readonly #steps: ReadonlySet<FlowStep>;
  readonly #clock = realClock((run) => void setImmediate(run));
  readonly #rounds: RoundResult[] = [];
  #chain: Chain | undefined;
  #contracts: readonly InstalledContract[] = [];
  #drawnKey: string | undefined;
  #environment: RunEnvironment | undefined;
  #workersType = "";

  constructor(order: BenchmarkOrder, plan: BenchmarkPlan, network: NetworkPlan) {
    this.#order = order;
    this.#plan = plan;
    this.#network = network;
    this.#steps = flowSteps(order.settings);
  }

  async run(): Promise<FinishedRun> {
    const startedAtMs = Date.now();
    const begun = performance.now();
    const failures: string[] = [];
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (cause) {
        failures.push(faultText(cause));
        this.#say(`error: ${faultText(cause)}`);
      }
    };
    await attempt(() => this.#beforeEnd());
    await attempt(async () => await this.#chain?.close());
    await attempt(() => this.#command("end", this.#network.end));
    return {
      plan: this.#plan,
      network: this.#network,
      workersType: this.#workersType,
      startedAtMs,
      durationMs: performance.now() - begun,
      rounds: this.#rounds,
      failure: failures.length === 0 ? undefined : failures.join("; "),
      environment: this.#environment ?? (await environmentOf(undefined)),
    };
  }

  #say(line: string): void {
    this.#order.io.stderr(`${line}\n`);
  }

  async #beforeEnd(): Promise<void> {
    await this.#command("start", this.#network.start);
    if (this.#steps.has("init")) await this.#open();
    if (this.#steps.has("install")) await this.#install();
    if (this.#steps.has("test")) await this.#test();
  }

  async #command(step: "start" | "end", command: string | undefined): Promise<void> {
    if (!this.#steps.has(step) || command === undefined) return;
    this.#say(`running the ${step} command: ${command}`);
    await runShell(step, command, this.#order.settings.workspace);
  }

  /** A chain inside the workers is not there yet. */
  async #open(): Promise<Chain | undefined> {
    const { mode, privateKey, account } = this.#network;
    if (privateKey === undefined) this.#drawnKey ??= toHex(webEntropy.bytes(KEY_BYTES));
    if (mode === "inproc") return undefined;
    if (this.#chain) return this.#chain;
    const chain = await openChain(this.#network, this.#clock);
    this.#chain = chain;
    requireAccount(account, signersOf(this.#key(), 1, chain.suite)[0]);
    this.#environment = await environmentOf(chain);
    return chain;
  }

  #key(): string {
    return this.#network.privateKey ?? this.#drawnKey ?? "";
  }

  async #install(): Promise<void> {
    const chain = await this.#open();
    if (chain === undefined) return;
    const maker = new TransactionMaker(chain, signersOf(this.#key(), 1, chain.suite));
    const { workspace } = this.#order.settings;
    const progress = (line: string): void => this.#say(line);
    const place = { workspace, maker, progress };
    this.#contracts = await installInGroups(this.#network, chain, place, this.#clock);
  }

  async #test(): Promise<void> {
    const chain = await this.#open();
    const { settings, args, io, signal } = this.#order;
    const link = await managerLink(settings, args);
    this.#workersType = link.type;
    const pool = new WorkerPool(link, settings.number("caliper-worker-pollinterval", 1));
    const onAbort = (): void => pool.abandon("the run was interrupted");
    signal?.addEventListener("abort", onAbort);
    try {
      await pool.start(this.#plan.workers);
      this.#say(`${this.#plan.workers} worker(s) by ${link.type}`);
      const workerArgs: WorkerArguments = {
        contracts: this.#contracts,
        privateKey: this.#drawnKey,
      };
      const runner = {
        pool,
        chain,
        workerArgs,
        monitors: this.#plan.monitors,
        monitorTerms: {
          intervalMs: settings.number("caliper-monitor-interval", 1),
          ...prometheusUser(settings),
        },
        progress: progressTerms(this.#plan, settings, io),
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

  /** Source: benchmark.md 2 (5 s before the next round) */
  async #pause(): Promise<void> {
    const { settings, signal } = this.#order;
    const ms = settings.number("caliper-round-pause");
    await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
  }

  #tell(result: RoundResult): void {
    const { io, isJson } = this.#order;
    for (const remark of result.remarks) this.#say(`round ${result.index}: ${remark}`);
    if (isJson) return;
    io.stdout(resultText([result]));
    if (result.monitors.length > 0) io.stdout(monitorText(result.monitors));
  }
}

/** Lines unless somebody wants none; figures where the file names a gateway. */
function progressTerms(plan: BenchmarkPlan, settings: Settings, io: RunIo): ProgressTerms {
  const { type, intervalMs, pushUrl } = plan.progress;
  const tell = (line: string): void => io.stderr(`${line}\n`);
  const isTold = type !== "none" && settings.flag("caliper-progress-reporting-enabled");
  const pusher = pushUrl === undefined ? undefined : new ProgressPusher(pushUrl, { tell });
  return {
    intervalMs: intervalMs ?? settings.number("caliper-progress-reporting-interval", 1),
    line: isTold ? tell : undefined,
    push: pusher && ((round, progress) => pusher.update(round, progress)),
  };
}

function prometheusUser(settings: Settings) {
  const username = settings.find("caliper-auth-prometheus-username") ?? "";
  const password = settings.find("caliper-auth-prometheus-password") ?? "";
  return username === "" ? {} : { prometheus: { username, password } };
}

/** `Benchmark finished in 12.3 seconds. Total rounds: 2. ...` Source: benchmark.md 2 */
export function finalLines({ plan, rounds, durationMs }: FinishedRun): string {
  const good = rounds.filter(({ status }) => status === "finished").length;
  const bad = plan.rounds.length - good;
  const seconds = (durationMs / MS_PER_SECOND).toFixed(3);
  const counts = `Total rounds: ${plan.rounds.length}. Successful rounds: ${good}. Failed rounds: ${bad}.`;
  const line = `Benchmark finished in ${seconds} seconds. ${counts}\n`;
  if (plan.generation !== "G1") return line;
  const summary = `# Test summary: ${good} succeeded, ${bad} failed #`;
  const edge = "#".repeat(summary.length);
  return `${line}${edge}\n${summary}\n${edge}\n`;
}

/** Reads both files and runs. @throws BenchmarkFault `usage` before anything is started */
export async function runBenchmark(order: BenchmarkOrder): Promise<FinishedRun> {
  const { settings, io } = order;
  const { workspace } = settings;
  const path = (key: string): string => inWorkspace(workspace, settings.text(key));
  const plan = await readBenchmarkFile(path("caliper-benchconfig"));
  const network = await readNetworkFile(path("caliper-networkconfig"), workspace);
  io.stderr(`benchmark file of generation ${plan.generation}: ${plan.rounds.length} round(s)\n`);
  for (const warning of [...plan.warnings, ...network.warnings]) io.stderr(`warning: ${warning}\n`);
  return await new Run(order, plan, network).run();
}
