/** Steps of a run, their commands, codes and skipping, without any chain. Source: benchmark 1, 2 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { networkOf } from "../../../../../runtimes/tools/benchmark/files/network-file.ts";
import { parsePlaced } from "../../../../../runtimes/tools/benchmark/files/placed-file.ts";
import { installedBefore } from "../../../../../runtimes/tools/benchmark/adapter/install.ts";
import { runBench } from "../../../../../runtimes/tools/benchmark/run-bench.ts";

const BENCHMARK = `test:
  rounds:
    - { label: one, txNumber: 1, rateControl: { type: fixed-rate }, workload: { module: w.js } }
`;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-flow-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A run before nodes that nobody has started: code, what it told, and what commands wrote. */
async function run(command: object, ...flags: readonly string[]) {
  const network = {
    caliper: { blockchain: "fisco-bcos", command },
    "fisco-bcos": { network: { nodes: [1, 2].map((rpcPort) => ({ ip: "127.0.0.1", rpcPort })) } },
  };
  await writeFile(join(folder, "network.json"), JSON.stringify(network));
  await writeFile(join(folder, "benchmark.yaml"), BENCHMARK);
  const told = { out: "", err: "" };
  const files = ["--caliper-benchconfig=benchmark.yaml", "--caliper-networkconfig=network.json"];
  const code = await runBench(["run", "--caliper-workspace", folder, ...files, ...flags], {
    cwd: folder,
    env: {},
    stdout: (text) => {
      told.out += text;
    },
    stderr: (text) => {
      told.err += text;
    },
  });
  const written = await readFile(join(folder, "steps"), "utf8").catch(() => "");
  return { code, ...told, written };
}

const BOTH = { start: "echo start >> steps", end: "echo end >> steps" };

describe("start and end commands", () => {
  test("one alone runs in the workspace", async () => {
    const only = await run(BOTH, "--caliper-flow-only-start");
    expect(only).toMatchObject({ code: 0, written: "start\n" });
    expect(only.err).toContain("running the start command: echo start >> steps");
    expect(only.out).toContain("Total rounds: 0. Successful rounds: 0. Failed rounds: 0.");
    const end = await run(BOTH, "--caliper-flow-only-end");
    expect(end).toMatchObject({ code: 0, written: "start\nend\n" });
  });

  test("a start that fails ends the run, and the end command runs all the same", async () => {
    const failed = await run({ ...BOTH, start: "exit 7" });
    expect(failed).toMatchObject({ code: 1, written: "end\n" });
    expect(failed.err).toContain(
      "error: the start command failed (code 3): it ended with 7: exit 7",
    );
    expect(failed.out).toContain("Total rounds: 1. Successful rounds: 0. Failed rounds: 1.");
  });

  test("no node answers: each is named once; an end that fails is reported besides", async () => {
    const failed = await run({ ...BOTH, end: "kill -9 $$" });
    expect(failed).toMatchObject({ code: 1, written: "start\n" });
    const refused = "nothing listens there (connect ECONNREFUSED)";
    const nodes = `127.0.0.1:1: ${refused}; 127.0.0.1:2: ${refused}`;
    expect(failed.err).toContain(
      `error: init failed (code 4): no node of the network file answers: ${nodes}. Start the nodes`,
    );
    expect(failed.err).toContain("the end command failed (code 9): it ended with SIGKILL");
  });

  test("blanks are refused before anything runs, with their code", async () => {
    const blank = await run({ ...BOTH, end: "  " });
    expect(blank).toMatchObject({ code: 2, written: "" });
    expect(blank.err).toMatch(/network\.json:1: caliper\.command\.end has blanks only.*\(code 7\)/);
  });
});

test("settings that cannot be are found before the start command", async () => {
  for (const [flag, says] of [
    ["--caliper-worker-communication-method=pigeon", "process, worker_threads, mqtt, websocket"],
    ["--caliper-worker-pollinterval=soon", 'caliper-worker-pollinterval is "soon"'],
    ["--caliper-round-pause=-1", "a number of at least 0"],
    ["--caliper-report-options-mode=9", "an octal mode is wanted"],
    ["--caliper-logging-targets-console-options-level=loud", 'options-level is "loud"'],
  ] as const) {
    const refused = await run(BOTH, flag);
    expect(refused).toMatchObject({ code: 2, written: "" });
    expect(refused.err).toContain(says);
  }
});

describe("contracts of a run that installs none", () => {
  function plan(mode: string) {
    const contracts = [
      { id: "hello", path: "src/Hello.sol" },
      { id: "dag", address: "0x5002", language: "precompiled" },
    ];
    const network = { nodes: [{ ip: "127.0.0.1", rpcPort: 1 }], groupID: [2, 3], mode };
    const value = { caliper: { blockchain: "c" }, c: { network, smartContracts: contracts } };
    return networkOf(parsePlaced("net.json", JSON.stringify(value)), folder);
  }

  test("are those that lie next to their sources, of each group its own", async () => {
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src/Hello.address"), `0x${"a".repeat(40)}\n`);
    await writeFile(join(folder, "src/Hello.group3.address"), `0x${"b".repeat(40)}\n`);
    expect(await installedBefore(plan("rpc"), folder)).toEqual([
      { id: "hello", address: `0x${"a".repeat(40)}`, groupId: 2 },
      { id: "hello", address: `0x${"b".repeat(40)}`, groupId: 3 },
      { id: "dag", address: `0x${"5002".padStart(40, "0")}` },
    ]);
    expect(await installedBefore(plan("inproc"), folder)).toEqual([]);
  });

  test("are named with the file when it is not there", async () => {
    await expect(installedBefore(plan("rpc"), folder)).rejects.toThrow(
      /contract hello: .*src\/Hello\.address is not there, .*leave out the setting that skips/,
    );
  });
});
