/** A workspace of the benchmark tool before a real chain, and runs in it. */
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchmarkReport } from "../../../runtimes/shared/benchmark/round-result.ts";
import { runBench } from "../../../runtimes/tools/benchmark/run-bench.ts";
import { keepAnswers, lendAnswers } from "../runner/kept-answers.ts";
import { ROOT } from "../runner/root.ts";

const SAMPLES = join(ROOT, "test/data/benchmark");
const COMPILED_IN = ".bench/contracts/.compiled/sources";

/** Puts what compilers answered earlier into a workspace. */
export function lendCompiled(workspace: string): Promise<void> {
  return lendAnswers(join(workspace, COMPILED_IN));
}

/** Keeps what compilers answered in a workspace. */
export function keepCompiled(workspace: string): Promise<void> {
  return keepAnswers(join(workspace, COMPILED_IN));
}

/** A chain as the place needs it. */
export interface BenchChain {
  /** The folder that `init` wrote. */
  readonly folder: string;
  readonly nodes: readonly { readonly url: string }[];
}

/** What a run said. */
export interface BenchRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A run that goes on. */
export interface StartedRun {
  /** What it has told so far. */
  err(): string;
  readonly end: Promise<BenchRun>;
}

/** A workspace. */
export interface BenchPlace {
  readonly folder: string;
  /** Runs a command in this process; does not wait for its end. */
  start(...args: readonly string[]): StartedRun;
  /** Runs a command in this process. */
  bench(...args: readonly string[]): Promise<BenchRun>;
  /** Changes a file of the workspace. */
  edit(path: string, change: (text: string) => string): Promise<void>;
  /** The report of the last run. */
  report(): Promise<BenchmarkReport>;
  close(): Promise<void>;
}

/** Options of each run: nothing is waited for between rounds. */
const USUAL = ["--caliper-round-pause=0", "--caliper-worker-pollinterval=20"];

/** Copies a sample and points it to the chain; channel ports follow those of all nodes. */
export async function openBenchPlace(
  sample: "g1" | "g2",
  { folder: chain, nodes }: BenchChain,
): Promise<BenchPlace> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  await cp(join(SAMPLES, "g1/network.json"), join(folder, "network.json"));
  await cp(join(SAMPLES, sample), folder, { recursive: true });
  await cp(join(SAMPLES, "contracts"), folder, { recursive: true });
  for (const name of await readdir(folder, { recursive: true })) {
    // Scripts of users are no source of this project: they lie there as texts.
    if (name.endsWith(".txt")) await rename(join(folder, name), join(folder, name.slice(0, -4)));
  }
  await cp(join(chain, "agency/sdk"), join(folder, "sdk"), { recursive: true });
  await lendCompiled(folder);
  const edit = async (path: string, change: (text: string) => string): Promise<void> => {
    const file = join(folder, path);
    await writeFile(file, change(await readFile(file, "utf8")));
  };
  const places = nodes.map(({ url }) => {
    const rpcPort = Number(new URL(url).port);
    return { ip: "127.0.0.1", rpcPort: `${rpcPort}`, channelPort: `${rpcPort + nodes.length}` };
  });
  await edit("network.json", (text) =>
    text.replace('"nodes": []', `"nodes": ${JSON.stringify(places)}`),
  );
  const start = (...args: readonly string[]): StartedRun => {
    const told = { out: "", err: "" };
    const running = runBench([...args, ...USUAL, "--caliper-workspace", folder], {
      cwd: folder,
      env: {},
      stdout: (text) => {
        told.out += text;
      },
      stderr: (text) => {
        told.err += text;
      },
    });
    return { err: () => told.err, end: running.then((code) => ({ code, ...told })) };
  };
  return {
    folder,
    edit,
    start,
    bench: (...args) => start(...args).end,
    report: async () =>
      JSON.parse(await readFile(join(folder, "report.json"), "utf8")) as BenchmarkReport,
    async close() {
      await keepCompiled(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The two files of a sample, as options. */
export const FILES: readonly string[] = [
  "--caliper-benchconfig=benchmark.yaml",
  "--caliper-networkconfig=network.json",
];
