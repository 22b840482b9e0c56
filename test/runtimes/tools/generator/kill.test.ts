// rules: generator 2, generator 9.3
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { isRunRemain } from "../../../../runtimes/folder/whole-tree.ts";
import { deploymentIni, filesBelow, nodeAt, ToolFolder } from "../../../support/generator/tool.ts";
import { endWithUs } from "../../../support/runner/own-children.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

const PROGRAM = join(ROOT, "dist/node/generator.js");
/**
 * What is examined for the moment of the kill: the first draft, the last one, the list of renames,
 * the first rename and one of the last. Each single step is gone through in whole-tree.test.ts.
 */
const MOMENTS = [
  "work/.ca.key.new",
  "work/B/.node.new/node_127.0.0.1_33320",
  "work/.chain-node-run",
  "work/ca.key",
  "work/B/sdk",
] as const;

let tool: ToolFolder;

beforeEach(async () => {
  tool = await ToolFolder.create();
});

afterEach(() => tool.remove());

function prepare(): void {
  for (const [name, bases] of [
    ["A", [33_300, 33_310]],
    ["B", [33_320]],
  ] as const) {
    mkdirSync(tool.path("work", name), { recursive: true });
    tool.write(
      deploymentIni(bases.map((base) => nodeAt(base))),
      "work",
      name,
      "node_deployment.ini",
    );
  }
}

const ARGS = ["one-click", "-b", "work", "--no-port-check"];

/** Starts the run and kills it as soon as a file or folder is there. */
async function killAt(moment: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...ARGS], { cwd: tool.tool, stdio: "ignore" });
  endWithUs(child);
  const ended = once(child, "exit");
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  while (!isEnded && !existsSync(tool.path(moment))) {
    await new Promise((resume) => setImmediate(resume));
  }
  child.kill("SIGKILL");
  await ended;
}

/** In the middle: between drafts and renames. */
const FEW = TAKES_ALL_CASES ? MOMENTS : MOMENTS.slice(2, 3);
for (const moment of FEW) {
  test(`a run that is killed at ${moment} is begun anew or completed by the next`, async () => {
    prepare();
    await killAt(moment);
    const end = await tool.run(ARGS);
    // The one that was killed may have been faster.
    const isDone = end.code === 0 || /exists already/.test(end.stderr);
    assert.ok(isDone, end.stderr);
    const files = filesBelow(tool.path("work"));
    assert.deepEqual(
      files.filter((name) => name.split("/").some(isRunRemain)),
      [],
    );
    for (const name of ["A", "B"]) {
      const own = ["agency_cert", "generator-agency", "node", "node_deployment.ini", "sdk"];
      assert.deepEqual(readdirSync(tool.path("work", name)).sort(), own);
    }
    for (const name of ["ca.key", "ca.crt", "peers.txt", "group.1.genesis"]) {
      assert.ok(files.includes(name), name);
    }
    assert.deepEqual(readdirSync(tool.path("meta")).sort(), ["README.txt", "chain-node"]);
  });
}
