/** `bench up 4`, and every ready workload on its chain. Source: benchmark 5, 10, 11 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { BenchmarkReport } from "../../../../runtimes/shared/benchmark/round-result.ts";
import { runBench } from "../../../../runtimes/tools/benchmark/run-bench.ts";
import { SAMPLES } from "../../../../runtimes/tools/benchmark/samples/write-sample.ts";
import { keepCompiled, lendCompiled } from "../../../support/benchmark/bench-place.ts";
import { type Ended, endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

const NODES = 4;
/** Uses of ports: RPC, SDKs, peers. */
const USES = 3;
/** Enough to see that each works; what they cost is for the benchmarks. */
const FEW = 10;
const FEW_SAMPLES: readonly string[] = ["hello"];

let home: string;
let chain: string;
let up: Ended;

beforeAll(async () => {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  home = await mkdtemp(join(tmpdir(), "bench-up-"));
  chain = join(home, "up", "chain");
  const first = await portsInRow(USES * NODES);
  const ports = [0, 1, 2].map((use) => first + use * NODES).join(",");
  await lendCompiled(join(home, "up"));
  const place = ["--folder", join(home, "up"), "--ports", ports, "--keep"];
  const quick = ["--caliper-round-pause", "0"];
  const args = ["up", String(NODES), "--sample", "groups", ...place, ...quick];
  up = await endOf(runProgram("benchmark", ...args));
});

afterAll(async () => {
  for (const name of await readdir(chain).catch(() => [])) {
    const pid = Number(await readFile(join(chain, name, "node.pid"), "utf8").catch(() => "0"));
    if (pid > 0) process.kill(pid, "SIGKILL");
  }
  await keepCompiled(join(home, "all"));
  await rm(home, { recursive: true, force: true });
});

/** The tool in this process. */
async function bench(...args: readonly string[]) {
  const said = { out: "", err: "" };
  const code = await runBench(args, {
    cwd: home,
    env: {},
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

async function reportIn(folder: string): Promise<BenchmarkReport> {
  return JSON.parse(await readFile(join(home, folder, "report.json"), "utf8")) as BenchmarkReport;
}

test("a network of four is written, started and measured in both groups", async () => {
  expect(up.code, up.stderr).toBe(0);
  expect(up.stdout).toMatch(/\| transfer +\| 500 +\| 0 +\|/);
  expect(up.stderr).toContain("the nodes run on: chain-node network down ");
  const { rounds, environment } = await reportIn("up");
  expect(rounds.map(({ counts }) => [counts.succeeded, counts.failed])).toEqual([
    [100, 0],
    [500, 0],
  ]);
  expect(rounds.map((round) => round.chain?.transactions)).toEqual([100, 500]);
  expect(rounds[1]?.workers.map(({ counts }) => counts.succeeded)).toEqual([250, 250]);
  expect(environment.chain["sealers"]).toBe("4");
  const [processes, nodes] = rounds[1]?.monitors ?? [];
  expect(processes?.rows[0]?.values["memoryMax"]).toBeGreaterThan(10_000_000);
  expect(nodes?.rows.map(({ name }) => name)).toHaveLength(2 * NODES);
  expect(nodes?.rows[0]?.values["blockTransactions"]).toBeGreaterThan(0);
});

interface WrittenRound {
  label: string;
  txNumber: number;
  workload: { module: string; arguments?: Record<string, unknown> };
}

/** What `new` wrote, with few transactions and names that distinguish workloads. */
async function written(name: string) {
  const told = await bench("new", name, join("all", name), "--chain", chain);
  expect(told.code, told.err).toBe(0);
  expect(told.out).toBe(`${join(home, "all", name)}\n`);
  const text = (file: string) => readFile(join(home, "all", name, file), "utf8");
  const { test: plan } = parse(await text("benchmark.yaml")) as {
    test: { rounds: WrittenRound[] };
  };
  const network = JSON.parse(await text("network.json"));
  const rounds = plan.rounds.map((round) => {
    const { module, arguments: given = {} } = round.workload;
    const accounts = "accounts" in given ? { accounts: FEW } : {};
    const workload = { module: `${name}/${module}`, arguments: { ...given, ...accounts } };
    return { ...round, label: `${name} ${round.label}`, txNumber: FEW, workload };
  });
  const contracts = (network["fisco-bcos"].smartContracts as { path?: string }[]).map((one) =>
    one.path === undefined ? one : { ...one, path: `${name}/${one.path}` },
  );
  return { network, rounds, contracts };
}

/** The samples that run; with few cases one with a contract of Solidity. */
const READY = SAMPLES.filter(({ name }) =>
  TAKES_ALL_CASES ? name !== "groups" : FEW_SAMPLES.includes(name),
);
/** Rounds of calls, and of nothing. */
const READS = /^(?:hello get|crud select|erc20 balance|empty empty)$/;

test("ready workloads run, and the chain counts what it wrote", async () => {
  const all = [];
  // Groups are above; mixed has the contract of hello.
  for (const { name } of READY) all.push(await written(name));
  const rounds = all.flatMap((one) => one.rounds);
  const contracts = all.flatMap((one) => one.contracts) as { id: string }[];
  const once = [...new Map(contracts.map((one) => [one.id, one])).values()];
  const [{ network } = expect.unreachable()] = all;
  network["fisco-bcos"].smartContracts = once;
  const sdk = network["fisco-bcos"].network.authentication as Record<string, string>;
  for (const key of ["key", "cert", "ca"]) sdk[key] = join(home, "all", "hello", sdk[key] ?? "");
  await writeFile(join(home, "all", "network.json"), JSON.stringify(network));
  const plan = { test: { name: "all", workers: { number: 2 }, rounds } };
  await writeFile(join(home, "all", "benchmark.yaml"), stringify(plan));
  await lendCompiled(join(home, "all"));
  const files = ["--caliper-benchconfig=benchmark.yaml", "--caliper-networkconfig=network.json"];
  const quick = ["--caliper-round-pause=0", "--caliper-worker-pollinterval=20"];
  const run = await bench("run", "--caliper-workspace", join(home, "all"), ...files, ...quick);
  expect(run.code, run.err).toBe(0);
  const report = await reportIn("all");
  const told = report.rounds.map(({ label, counts, chain: counted }) => {
    return [label, counts.succeeded, counts.failed, counted?.transactions];
  });
  const right = rounds.map(({ label }) => {
    // One in five of the mixed ones is a transaction.
    const share = label === "mixed mixed" ? 1 / 5 : 1;
    return [label, FEW, 0, READS.test(label) ? 0 : FEW * share];
  });
  expect(told).toEqual(right);
});

test("new refuses a name that is not known, a folder with something in it, a folder without a chain", async () => {
  const unknown = await bench("new", "helo");
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toContain(
    'there is no workload "helo"; did you mean hello? There are\n  skeleton',
  );
  const full = await bench("new", "hello", "up");
  expect(full).toMatchObject({ code: 2 });
  expect(full.err).toContain("up is not empty: name a new folder");
  const nothing = await bench("new", "hello", "x", "--chain", home);
  expect(nothing.err).toContain("holds no chain");
  expect((await bench("new")).out).toContain("dag-transfer  parallel transfers");
});

test("up refuses a number of nodes that cannot be, and another number than its folder has", async () => {
  expect(await bench("up", "0")).toMatchObject({ code: 2 });
  const other = await bench("up", "3", "--sample", "groups", "--folder", "up");
  expect(other.code).toBe(2);
  expect(other.err).toContain("holds a network of 4 nodes, not of 3");
});
