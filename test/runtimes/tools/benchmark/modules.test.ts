/** Modules of users: how they are found, and what they throw. Source: benchmark 5, 6 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import type { RateSpec } from "../../../../runtimes/shared/benchmark/rate/rate-controller.ts";
import { loadWorkload, moduleFault } from "../../../../runtimes/tools/benchmark/modules.ts";
import { rateHostOf } from "../../../../runtimes/tools/benchmark/worker/rate-host.ts";
import { posedRound } from "../../../support/benchmark/posed-round.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-modules-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(path: string, ...lines: readonly string[]): Promise<string> {
  const file = join(folder, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, lines.join("\n"));
  return path;
}

const CALLBACK = ["module.exports = {", "  init: async () => {},", "  run: async () => {},", "};"];

test("workloads are found by path with and without ending, and as packages of the workspace", async () => {
  await write("callback/open.js", ...CALLBACK);
  for (const name of ["callback/open.js", "./callback/open", join(folder, "callback/open.js")]) {
    assert.equal((await loadWorkload(name, folder)).generation, "G1");
  }
  await write("node_modules/loads/package.json", '{ "name": "loads", "main": "it.js" }');
  await write("node_modules/loads/it.js", ...CALLBACK);
  assert.equal((await loadWorkload("loads", folder)).generation, "G1");
  await assert.rejects(
    loadWorkload("callback/shut.js", folder),
    /no module callback\/shut\.js: neither/,
  );
});

test("what a module throws is told with file and line: while it is loaded, and in a round", async () => {
  await write("broken.js", "// first", "", "undefinedFunction();");
  await assert.rejects(
    loadWorkload("broken.js", folder),
    /broken\.js \(broken\.js:3\): undefinedFunction/,
  );
  await write(
    "late.js",
    ...CALLBACK.slice(0, 2),
    "  run: () => {",
    "    throw new Error('on purpose');",
    "  },",
    "};",
  );
  const workload = await loadWorkload("late.js", folder);
  const { round } = await posedRound({ type: "fixed-rate" }, { number: 3, parts: { workload } });
  const { cause } = await round.run();
  assert.equal(moduleFault("late.js", cause, folder).message, "late.js (late.js:4): on purpose");
});

const ROUND = {
  label: "custom",
  rateControl: { type: "" },
  trim: 0,
  workload: { module: "m", arguments: {} },
  testRound: 0,
  numb: 5,
  totalWorkers: 1,
};

async function runWith(rate: RateSpec) {
  const host = rateHostOf(ROUND, folder);
  const { round } = await posedRound(rate, { number: 5, parts: { host } });
  return await round.run();
}

test("custom controllers of both generations decide when to send", async () => {
  await write(
    "second.js",
    "let turns = 0;",
    "module.exports.createRateController = (message, stats, workerIndex) => ({",
    "  async applyRateControl() {",
    "    turns++;",
    "    if (message.getNumberOfTxs() !== 5 || workerIndex !== 0) throw new Error('wrong');",
    "    if (stats.getTotalSubmittedTx() >= 5) throw new Error('too many');",
    "  },",
    "  async end() { if (turns !== 5) throw new Error(turns + ' turns'); },",
    "});",
  );
  const second = await runWith({ type: "second.js" });
  assert.deepEqual([second.cause, second.statistics.counts.succeeded], [undefined, 5]);
  await write(
    "first.js",
    "module.exports = class {",
    "  constructor(opts, client, round) { this.all = [opts.tps, client, round]; }",
    "  async init() { if (this.all.join() !== '7,0,0') throw new Error(this.all.join()); }",
    "  async applyRateControl(start, index) { if (index > 4) throw new Error(index); }",
    "  async end() {}",
    "};",
  );
  const first = await runWith({ type: "first.js", opts: { tps: 7 } });
  assert.deepEqual([first.cause, first.statistics.counts.succeeded], [undefined, 5]);
});

test("a controller that throws, or is none, ends the round with its name", async () => {
  await write(
    "bad.js",
    "module.exports.createRateController = () => ({",
    "  applyRateControl() {",
    "    throw new Error('no rate');",
    "  },",
    "});",
  );
  assert.match(String((await runWith({ type: "bad.js" })).cause), /bad\.js \(bad\.js:3\): no rate/);
  await write("none.js", "module.exports = {};");
  assert.match(String((await runWith({ type: "none.js" })).cause), /none\.js exports neither/);
});
