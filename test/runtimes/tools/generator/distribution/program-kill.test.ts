/** A download that is cut off at any moment leaves the program that was there, or the new one. */
// rules: generator 2, generator 11
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { writeProgram } from "../../../../../runtimes/tools/generator/distribution/program-folder.ts";
import { ownPackage } from "../../../../../runtimes/tools/generator/distribution/program-package.ts";
import { ROOT } from "../../../../support/runner/root.ts";

const GENERATOR = join(ROOT, "dist/node/generator.js");
const OLD = "chain-node Version : 2.0.1";

let home: string;
/** A folder with an older program. */
let old: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "chain-kill-"));
  old = join(home, "old");
  await writeProgram(old, await ownPackage());
  const parts = join(old, "chain-node.d/dist/node");
  for (const name of readdirSync(parts).filter((each) => each.endsWith(".js"))) {
    const text = readFileSync(join(parts, name), "utf8");
    const older = text.replace(/"version":"[\d.]+"/g, '"version":"2.0.1"');
    if (older !== text) writeFileSync(join(parts, name), older);
  }
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

function versionIn(folder: string): string | undefined {
  const launcher = join(folder, "chain-node");
  const { stdout } = spawnSync("/bin/sh", [launcher, "-v"], { encoding: "utf8" });
  return stdout.split("\n")[0];
}

function filesIn(folder: string): number {
  try {
    return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
  } catch {
    // A folder took its name while it was read.
    return 0;
  }
}

/** Downloads into a folder and kills the process when a moment has come; whether it had. */
async function downloadUntil(folder: string, hasCome: () => boolean): Promise<boolean> {
  const args = [GENERATOR, "--download_chain-node", folder];
  const child = spawn(process.execPath, args, { cwd: home, stdio: "ignore" });
  const ended = once(child, "exit");
  let isKilled = false;
  const poll = setInterval(() => {
    if (!hasCome()) return;
    clearInterval(poll);
    isKilled = child.kill("SIGKILL");
  }, 1);
  await ended;
  clearInterval(poll);
  return isKilled;
}

test.runIf(process.platform !== "win32")(
  "kill -9 leaves the old program or the new one",
  async () => {
    const folder = join(home, "meta");
    cpSync(old, folder, { recursive: true });
    assert.equal(versionIn(folder), OLD);
    const staging = join(folder, "chain-node.d.new");
    const whole = filesIn(join(folder, "chain-node.d"));
    const moments: readonly (() => boolean)[] = [
      () => existsSync(staging),
      () => filesIn(staging) > whole / 2,
      // As near to the renames as can be seen from here.
      () => existsSync(join(folder, "chain-node.d.old")),
    ];
    let kills = 0;
    for (const hasCome of moments) {
      if (await downloadUntil(folder, hasCome)) kills++;
      assert.match(versionIn(folder) ?? "", /^chain-node Version : \d+\.\d+\.\d+$/);
    }
    assert.ok(kills >= 2, `${kills} processes were killed`);
    await downloadUntil(folder, () => false);
    const left = readdirSync(folder).sort();
    assert.deepEqual(left, ["chain-node", "chain-node.cmd", "chain-node.d"]);
    assert.notEqual(versionIn(folder), OLD);
  },
);
