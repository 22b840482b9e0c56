/** Caliper and our benchmark tool on one workspace against one chain, in turn. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "../../support/process/dev-process.ts";
import { initProcessChain, type NodeProcess } from "../../support/process/node-processes.ts";
import { untilConnected } from "../../support/process/process-checks.ts";
import { ROOT } from "../../support/runner/root.ts";
import { numberOption, type Soak } from "../soak.ts";
import { CALIPER_FLAGS, CALIPER_MODULES, installedCaliper } from "./installed-caliper.ts";
import { type Load, writeWorkspace } from "./workspace.ts";

const DEFAULTS = { number: 5_000, tps: 200, pairs: 3 };
const FILES = [
  ...["--caliper-workspace", "."],
  ...["--caliper-benchconfig", "bench.yaml"],
  ...["--caliper-networkconfig", "network.json"],
];
/** Each process of a tool, manager and workers, writes down what it used when it ends. */
const USAGE_HOOK = `"use strict";
const { appendFileSync } = require("node:fs");
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  appendFileSync(process.env.USAGE_FILE, \`\${user + system}\\n\`);
});
process.on("SIGTERM", () => process.exit());
`;
/** Rounds of the workspace. */
const ROUNDS = 2;
const MOST_SHARE = 0.5;
const MICROSECONDS = 1_000_000;

/** One of the two tools. */
interface Tool {
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
  readonly flags: string;
  readonly modules: string;
}

/** What a run used and did. */
interface Run {
  readonly cpuSeconds: number;
  readonly processes: number;
  /** By the chain's own count, contracts included. */
  readonly committed: number;
  readonly report: string;
}

async function countOf({ url }: NodeProcess): Promise<number> {
  const { txSum } = (await request(url, "getTotalTransactionCount", [1])) as { txSum: string };
  return Number(txSum);
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGTERM");
  } catch {
    // Nobody is left.
  }
}

function ended(tool: Tool, folder: string, usageFile: string): Promise<string> {
  const hook = join(folder, "usage.cjs");
  const child = spawn(process.execPath, [tool.program, ...tool.words, ...FILES], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      NODE_OPTIONS: `--require ${hook} ${tool.flags}`,
      // Where workloads in a workspace elsewhere find the base class of Caliper.
      NODE_PATH: tool.modules,
      USAGE_FILE: usageFile,
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  // Workers of Caliper stay when their manager has ended.
  child.once("exit", () => {
    if (child.pid !== undefined) endGroup(child.pid);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${tool.name} ended with ${code}:\n${text}`)),
    );
  });
}

async function runTool(tool: Tool, folder: string, first: NodeProcess): Promise<Run> {
  const usageFile = join(folder, "usage.txt");
  await writeFile(usageFile, "");
  const before = await countOf(first);
  const report = await ended(tool, folder, usageFile);
  const committed = (await countOf(first)) - before;
  const used = (await readFile(usageFile, "utf8")).split("\n").filter(Boolean).map(Number);
  const cpuSeconds = used.reduce((sum, one) => sum + one, 0) / MICROSECONDS;
  return { cpuSeconds, processes: used.length, committed, report };
}

function requireAll(tool: Tool, { committed, processes, report }: Run, { number }: Load): void {
  const expected = `${tool.name}: one contract and the round that writes\n${report}`;
  assert.equal(committed, number + 1, expected);
  assert.ok(processes >= 2, `${tool.name}: manager and worker are counted`);
  const row = `^\\|\\s*(?:get|set)\\s*\\|\\s*${number}\\s*\\|\\s*0\\s*\\|`;
  const rows = report.match(new RegExp(row, "gm"));
  assert.ok((rows?.length ?? 0) >= ROUNDS, `${tool.name}: each round has succeeded\n${report}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** `npm run soak -- caliper [--number N] [--tps N] [--pairs N]`. */
export const caliperSoak: Soak = {
  about: "our benchmark tool next to Caliper 0.5.0: [--number 5000], [--tps 200], [--pairs 3]",
  async run(args, say) {
    const load = {
      number: numberOption(args, "number", DEFAULTS.number),
      tps: numberOption(args, "tps", DEFAULTS.tps),
    };
    const pairs = numberOption(args, "pairs", DEFAULTS.pairs);
    const caliper: Tool = {
      name: "Caliper",
      program: await installedCaliper(say),
      words: ["launch", "manager"],
      flags: CALIPER_FLAGS,
      modules: CALIPER_MODULES,
    };
    const program = join(ROOT, "dist/node/main.js");
    const ours: Tool = {
      name: "ours",
      program,
      words: ["benchmark", "run"],
      flags: "",
      modules: "",
    };
    const folder = await mkdtemp(join(tmpdir(), "chain-caliper-"));
    const chain = await initProcessChain({ nodes: 4 });
    try {
      await Promise.all(chain.nodes.map((node) => node.start()));
      await untilConnected(chain.nodes);
      const [first] = chain.nodes;
      assert.ok(first);
      await writeWorkspace(folder, chain, load);
      await writeFile(join(folder, "usage.cjs"), USAGE_HOOK);
      const shares: number[] = [];
      for (let pair = 0; pair < pairs; pair++) {
        const used: number[] = [];
        for (const tool of [caliper, ours]) {
          const run = await runTool(tool, folder, first);
          requireAll(tool, run, load);
          const each = (run.cpuSeconds * 1_000) / (ROUNDS * load.number);
          used.push(each);
          say(`${tool.name}: ${run.committed} committed, ${each.toFixed(3)} ms CPU a transaction`);
        }
        const [theirs = Number.NaN, own = Number.NaN] = used;
        shares.push(own / theirs);
      }
      const texts = shares.map((share) => share.toFixed(3)).join(", ");
      say(`ours uses ${median(shares).toFixed(3)} of Caliper's processor (${texts})`);
      assert.ok(median(shares) < MOST_SHARE, "less than half");
    } finally {
      await chain.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
