/** Words and settings. Source: benchmark 1 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { readWords } from "../../../../runtimes/tools/benchmark/command-words.ts";
import { linkCommand } from "../../../../runtimes/tools/benchmark/link.ts";
import { flowSteps } from "../../../../runtimes/tools/benchmark/manager/run-terms.ts";
import { runBench } from "../../../../runtimes/tools/benchmark/run-bench.ts";
import { Settings } from "../../../../runtimes/tools/benchmark/settings.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-settings-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function settings(flags: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
  const all = new Map(Object.entries({ "caliper-workspace": folder, ...flags }));
  return await Settings.read({ flags: all, env, cwd: folder });
}

/** A run in this process: exit code and texts. */
async function bench(...args: readonly string[]) {
  const told = { out: "", err: "" };
  const io = {
    cwd: folder,
    env: { PATH: folder },
    stdout: (text: string) => {
      told.out += text;
    },
    stderr: (text: string) => {
      told.err += text;
    },
  };
  return { code: await runBench(args, io), io, ...told };
}

describe("words", () => {
  test("options with their values behind a blank or a sign; switches need none", () => {
    const { words, flags, lists } = readWords([
      ...["benchmark", "run", "--caliper-workspace", "a b", "--caliper-benchconfig=x=y.yaml"],
      ...["--caliper-flow-skip-start", "--caliper-worker-remote", "false", "--json"],
      ...["--assert", "a.p95 < 1", "--assert", "b.tps > 2"],
    ]);
    assert.deepEqual(words, ["benchmark", "run"]);
    assert.deepEqual(Object.fromEntries(flags), {
      "caliper-workspace": "a b",
      "caliper-benchconfig": "x=y.yaml",
      "caliper-flow-skip-start": "true",
      "caliper-worker-remote": "false",
      json: "true",
    });
    assert.deepEqual(lists.get("assert"), ["a.p95 < 1", "b.tps > 2"]);
  });

  test("exit 2 for what cannot be, with its name", async () => {
    const repeated = await bench("run", "--caliper-workspace", "a", "--caliper-workspace", "b");
    assert.equal(repeated.code, 2);
    assert.match(repeated.err, /--caliper-workspace is given twice/);
    const open = await bench("run", "--caliper-benchconfig");
    assert.match(open.err, /--caliper-benchconfig lacks its value/);
    const option = await bench("run", "--asert", "a.p95 < 1");
    assert.equal(option.code, 2);
    assert.match(option.err, /there is no option --asert: did you mean --assert\?/);
    // Source: benchmark 1
    const unknown = await bench("benchmark", "fly");
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /there is no command benchmark fly/);
    const missing = await bench("run", "--caliper-workspace", folder);
    assert.match(missing.err, /caliper-benchconfig is missing: .*CALIPER_BENCHCONFIG/);
    const gone = await bench(
      "run",
      "--caliper-benchconfig",
      "no.yaml",
      "--caliper-networkconfig",
      "no.json",
    );
    assert.equal(gone.code, 2);
    assert.match(gone.err, /the benchmark file .*no\.yaml cannot be read/);
    const rate = await bench("run", "--fail-on-error-rate", "120");
    assert.match(rate.err, /--fail-on-error-rate is "120"/);
    const assertion = await bench("run", "--assert", "p95");
    assert.match(assertion.err, /not of the form/);
  });

  test("version, help, and bind, which installs nothing", async () => {
    assert.match((await bench("-v")).out, /^v\d+\.\d+\.\d+\n$/);
    assert.match((await bench("--help")).out, /launch worker/);
    const bound = await bench("bind", "--caliper-bind-sut", "fisco-bcos");
    assert.equal(bound.code, 0);
    assert.match(bound.out, /built in; nothing was installed/);
    assert.match(bound.err, /no version of fisco-bcos is given: latest/);
    const other = await bench("bind", "--caliper-bind-sut", "besu:1");
    assert.equal(other.code, 2);
    await writeFile(join(folder, "bind.yaml"), "besu:\n  1: { packages: [] }\n");
    const named = await bench(
      "bind",
      "--caliper-bind-sut",
      "besu:1",
      "--caliper-bind-file",
      "bind.yaml",
    );
    assert.equal(named.code, 0);
    const version = await bench(
      "bind",
      "--caliper-bind-sut",
      "besu:2",
      "--caliper-bind-file",
      "bind.yaml",
    );
    assert.match(version.err, /bind\.yaml:1: besu has no version 2: 1/);
    assert.match(
      (await bench("unbind", "--caliper-bind-sut", "fisco-bcos:2")).out,
      /nothing to remove/,
    );
  });

  test("a worker by itself needs a transport that finds the manager", async () => {
    const { code, err } = await bench("launch", "worker", "--caliper-workspace", folder);
    assert.equal(code, 2);
    assert.match(err, /started by itself needs mqtt or websocket/);
  });
});

describe("settings", () => {
  test("flag before environment before user, project and machine file before default", async () => {
    const yaml = (value: number) => `caliper:\n  monitor: { interval: ${value} }\n`;
    for (const [name, value] of [
      ["user", 3],
      ["machine", 5],
    ] as const) {
      await writeFile(join(folder, `${name}.yaml`), yaml(value));
    }
    const key = "caliper-monitor-interval";
    const flags: Record<string, string> = {};
    const env: Record<string, string> = {};
    const now = async () => (await settings(flags, env)).number(key);
    assert.equal(await now(), 10_000);
    flags["caliper-machineconfig"] = "machine.yaml";
    assert.equal(await now(), 5);
    await writeFile(join(folder, "caliper.yaml"), yaml(4));
    assert.equal(await now(), 4, "caliper.yaml of the workspace is the project file");
    flags["caliper-userconfig"] = "user.yaml";
    assert.equal(await now(), 3);
    env["CALIPER_MONITOR_INTERVAL"] = "2";
    assert.equal(await now(), 2);
    flags[key] = "1";
    assert.equal(await now(), 1);
    await rm(join(folder, "caliper.yaml"));
  });

  test("values of another kind are refused by name", async () => {
    const odd = await settings({
      "caliper-monitor-interval": "soon",
      "caliper-worker-remote": "maybe",
    });
    assert.throws(
      () => odd.number("caliper-monitor-interval"),
      /caliper-monitor-interval is "soon"/,
    );
    assert.throws(() => odd.flag("caliper-worker-remote"), /true or false/);
  });

  test("steps are skipped, or one alone is done", async () => {
    const steps = async (flags: Record<string, string>) => [...flowSteps(await settings(flags))];
    assert.deepEqual(await steps({}), ["start", "init", "install", "test", "end"]);
    assert.deepEqual(await steps({ "caliper-flow-skip-install": "true" }), [
      "start",
      "init",
      "test",
      "end",
    ]);
    assert.deepEqual(await steps({ "caliper-flow-only-test": "true" }), ["test"]);
    await assert.rejects(
      steps({ "caliper-flow-only-test": "true", "caliper-flow-skip-end": "true" }),
      /exclude each other/,
    );
    await assert.rejects(
      steps({ "caliper-flow-only-test": "true", "caliper-flow-only-end": "true" }),
      /at most one/,
    );
  });
});

test("link puts caliper next to the command that runs, and stands before no other", async () => {
  const place = {
    started: join(folder, "bin/chain-node"),
    dist: "/opt/dist/node",
    isWindows: false,
  };
  const { io } = await bench("-v");
  const flags = new Map<string, string>();
  const link = (more: ReadonlyMap<string, string> = flags) =>
    linkCommand({ words: [], flags: more, lists: new Map() }, io, place);
  const file = join(folder, "bin/caliper");
  assert.equal(await link(), 0);
  assert.equal(await readlink(file), "/opt/dist/node/bench.js");
  assert.equal(await link(), 0, "again is no mistake");
  await link(new Map([["remove", "true"]]));
  await assert.rejects(readlink(file));
  await symlink("/elsewhere/caliper.js", file);
  await assert.rejects(link(), /bin\/caliper is another command/);
  await rm(file);
  await mkdir(join(folder, "other"));
  await writeFile(join(folder, "caliper"), "");
  await assert.rejects(link(), /caliper is installed: a second caliper/);
  await rm(join(folder, "caliper"));
});
