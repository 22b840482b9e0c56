/**
 * The format version of a node's data folder: a folder of the first release that wrote one starts
 * today, and one of a newer program is refused.
 */
// rules: groups 1, groups 2
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { DATA_FOLDER_VERSION } from "../../../../runtimes/node/store/data-folder.ts";
import {
  ask,
  askUntil,
  endLeftovers,
  endOf,
  runProgram,
  untilSaid,
} from "../../../support/process/dev-chain-process.ts";
import { setIni } from "../../../support/process/node-processes.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { ROOT } from "../../../support/runner/root.ts";

/**
 * A node of one sealer and one block, written by commit 02593a5d, the first whose start marked the
 * folder. Its key is of no chain but that one.
 */
const FIRST = join(ROOT, "test/data/folders/node-format-1.tar.gz");
const HEAD = 1;

const scratch = mkdtempSync(join(tmpdir(), "chain-format-"));
afterAll(() => {
  endLeftovers();
  rmSync(scratch, { recursive: true, force: true });
});

/** The node's folder on free ports. */
async function unpacked(name: string): Promise<{ readonly home: string; readonly url: string }> {
  const home = join(scratch, name);
  execFileSync("mkdir", [home]);
  execFileSync("tar", ["-xzf", FIRST, "-C", home]);
  const port = await portsInRow(3);
  const config = join(home, "config.ini");
  await setIni(config, "rpc", ["jsonrpc_listen_port", `${port}`]);
  await setIni(config, "rpc", ["channel_listen_port", `${port + 1}`]);
  await setIni(config, "p2p", ["listen_port", `${port + 2}`]);
  return { home, url: `http://127.0.0.1:${port}` };
}

function markerOf(home: string): { readonly path: string; readonly version: number } {
  const path = join(home, "data/chain-node.json");
  return { path, ...(JSON.parse(readFileSync(path, "utf8")) as { version: number }) };
}

test("a folder of the first release that wrote a version starts, and goes on with its chain", async () => {
  const { home, url } = await unpacked("first");
  assert.equal(markerOf(home).version, 1);
  const node = runProgram("start", "-c", join(home, "config.ini"), "--json");
  await untilSaid(node, ({ stdout }) => stdout.includes("\n"));
  assert.equal(Number(await ask(url, "getBlockNumber", 1)), HEAD);
  const block = await ask<{ readonly transactions: readonly string[] }>(
    url,
    "getBlockByNumber",
    1,
    "0x1",
    false,
  );
  assert.equal(block.transactions.length, 1);
  // It was unpacked: as after any restore its operator says that no other copy runs.
  assert.equal((await endOf(runProgram("confirm", home))).code, 0);
  await askUntil(
    () => fetch(`${url}/readyz?writes`),
    ({ status }) => status === 200,
  );
  const [self = ""] = await ask<readonly string[]>(url, "getNodeIDList", 1);
  const observer = self.replace(/^./, (digit) => (digit === "1" ? "2" : "1"));
  const request = ["role", observer, "--as", "observer", "--through", url];
  // Not every such ID is a point of the curve, and the contract does not ask.
  const { code, stderr } = await endOf(runProgram(...request));
  assert.equal(code, 0, stderr);
  await askUntil(
    () => ask<string>(url, "getBlockNumber", 1),
    (head) => Number(head) > HEAD,
  );
  node.child.kill("SIGTERM");
  assert.equal((await endOf(node)).code, 0);
  assert.equal(markerOf(home).version, DATA_FOLDER_VERSION);
  const check = await endOf(runProgram("check", home));
  assert.equal(check.code, 0, check.stdout);
});

test("a folder that a newer program has written is refused with both versions", async () => {
  const { home } = await unpacked("newer");
  const { path, version } = markerOf(home);
  const newer = DATA_FOLDER_VERSION + 1;
  const text = readFileSync(path, "utf8").replace(`"version":${version}`, `"version":${newer}`);
  writeFileSync(path, text);
  const ended = await endOf(runProgram("start", "-c", join(home, "config.ini")));
  assert.deepEqual([ended.code, ended.stdout], [1, ""]);
  assert.equal(
    ended.stderr,
    `${join(home, "data")} was written by a newer program (version ${newer}; this program knows ` +
      `${DATA_FOLDER_VERSION}). Start it with the release that wrote it.\n`,
  );
  assert.equal(readFileSync(path, "utf8"), text, "nothing is changed");
});
