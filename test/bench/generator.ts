/**
 * What the benchmark tool costs besides what it measures: its own run with a worker of its own,
 * over the channel, against nodes in processes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLog } from "../../runtimes/tools/benchmark/log.ts";
import { runBenchmark } from "../../runtimes/tools/benchmark/manager/benchmark-run.ts";
import { chainPlace } from "../../runtimes/tools/benchmark/samples/chain-place.ts";
import { HELLO } from "../../runtimes/tools/benchmark/samples/hello.ts";
import {
  BENCHMARK_FILE,
  NETWORK_FILE,
  writeBenchmark,
} from "../../runtimes/tools/benchmark/samples/write-sample.ts";
import { Settings } from "../../runtimes/tools/benchmark/settings.ts";
import { ROOT } from "../support/runner/root.ts";
import { initBenchChain, type ProcessOptions, startAll } from "./process-chain.ts";
import { usageOf } from "./process-usage.ts";

/** What is run. */
export interface GeneratorOptions extends ProcessOptions {
  /** Transactions of a round. */
  readonly count: number;
  /** Per second; 0 for as many as go. */
  readonly tps: number;
  readonly say: (line: string) => void;
}

/** What a round cost, in milliseconds of CPU for each transaction. */
export interface GeneratorCost {
  readonly name: string;
  readonly transactions: number;
  readonly tps: number;
  /** Manager and worker. */
  readonly generatorMs: number;
  /** All nodes together. */
  readonly nodesMs: number;
}

const MS = 1_000;
/** Later rounds find compiled programs. */
const ROUNDS = 3;

function sampleOf({ count: txNumber, tps }: GeneratorOptions) {
  const [set] = HELLO.rounds;
  if (set === undefined) throw new Error("the workload hello has a round");
  const rounds = Array.from({ length: ROUNDS }, (_, i) => ({
    ...{ ...set, txNumber, tps },
    label: `run ${i + 1}`,
  }));
  return { ...HELLO, rounds };
}

/** What it hears: that a round begins, and, once or more often, that it is over. */
interface RoundListener {
  begins(): void;
  isOver(): void;
}

/** Runs the tool in a workspace. */
async function runTool(workspace: string, rounds: RoundListener, say: GeneratorOptions["say"]) {
  const flags = new Map([
    ["caliper-workspace", workspace],
    ["caliper-benchconfig", BENCHMARK_FILE],
    ["caliper-networkconfig", NETWORK_FILE],
    ["caliper-round-pause", "2000"],
  ]);
  // Workers are started from the build.
  process.env["CHAIN_NODE_DIST"] = join(ROOT, "dist/node");
  const settings = await Settings.read({ flags, env: {}, cwd: workspace });
  const args = [...flags].map(([key, value]) => `--${key}=${value}`);
  const stderr = (text: string) => {
    if (/^round \d+: run/.test(text)) rounds.begins();
    say(text.trimEnd());
  };
  const io = { cwd: workspace, env: {}, stdout: () => rounds.isOver(), stderr };
  const log = openLog(settings, { module: "manager", write: stderr });
  try {
    return await runBenchmark({ settings, args, io, log, isJson: false });
  } finally {
    await log.close();
  }
}

/** Measures it. */
export async function measureGenerator(
  options: GeneratorOptions,
): Promise<readonly GeneratorCost[]> {
  const workspace = await mkdtemp(join(tmpdir(), "chain-generator-"));
  const chain = await initBenchChain(options);
  try {
    await startAll(chain);
    await writeBenchmark(sampleOf(options), workspace, await chainPlace(chain.folder, workspace));
    const cpuMs = () => usageOf(chain.nodes.map(({ pid }) => pid)).cpuSeconds * MS;
    const [from, to]: [number[], number[]] = [[], []];
    const listener = {
      begins: () => void from.push(cpuMs()),
      isOver() {
        to[from.length - 1] ??= cpuMs();
      },
    };
    const { rounds, failures } = await runTool(workspace, listener, options.say);
    const [failure] = failures;
    if (failure) throw failure;
    return rounds.map(({ label, counts, rates, generatorCpuMs }, i) => {
      if (counts.failed > 0) throw new Error(`${label}: ${counts.failed} transactions failed`);
      return {
        name: label,
        transactions: counts.succeeded,
        tps: rates.successTps ?? 0,
        generatorMs: (generatorCpuMs ?? Number.NaN) / counts.succeeded,
        nodesMs: ((to[i] ?? Number.NaN) - (from[i] ?? 0)) / counts.succeeded,
      };
    });
  } finally {
    await chain.close();
    await rm(workspace, { recursive: true, force: true });
  }
}
