// rules: generator 10.2
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { CHECK_CERTIFICATES_SCRIPT } from "../../../../runtimes/tools/generator/tool-scripts.ts";
import { createChainFolder } from "../../../../runtimes/folder/chain-folder.ts";
import { DEFAULT_PORTS, planChain } from "../../../../runtimes/folder/chain-layout.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { seededEntropy } from "../../folder/chain-of-certificates.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;
const DAY_MS = 86_400_000;

let home: string;

/** Writes a chain whose certificates are made at a moment. */
async function chain(name: string, now: number, days: number): Promise<string> {
  const plan = planChain({
    nodes: 1,
    agencies: ["A"],
    groups: [{ id: 1, consensus: "pbft" }],
    host: "127.0.0.1",
    basePorts: DEFAULT_PORTS,
  });
  const program = { runtime: process.execPath, entry: "" };
  const folder = join(home, name);
  await createChainFolder(folder, plan, { entropy: seededEntropy(name), now, days, program });
  return folder;
}

const nodeOf = (name: string) => join(home, name, "node0/conf/node.crt");
const caOf = (name: string) => join(home, name, "cert/ca.crt");

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "chain-certificates-"));
  // An hour ago, so that the last day is not a whole one by a second.
  const now = Date.now() - 3_600_000;
  await chain("good", now, 100);
  await chain("other", now, 100);
  await chain("soon", now, 10);
  await chain("expired", now - 20 * DAY_MS, 10);
  await chain("future", now + 20 * DAY_MS, 10);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

async function check(...args: string[]) {
  const { code, stdout, stderr } = await runHosted("cert", "check", ...args);
  return { code, text: stdout, stderr };
}

test("dates: valid, soon to end, expired and not yet valid have their own texts", async () => {
  const good = await check(nodeOf("good"));
  assert.equal(good.code, 0);
  assert.match(good.text, /^\[INFO\] .*node\.crt: node0 is valid until .*, 99 days$/m);
  // The agency's certificate is in the file too.
  assert.match(good.text, /^\[INFO\] .*node\.crt: A is valid until /m);
  assert.match((await check(nodeOf("soon"))).text, /node0 is valid until .* days: renew it soon/);
  const expired = await check(nodeOf("expired"));
  assert.equal(expired.code, 1);
  const renew = "renew it with chain-node cert renew";
  assert.match(expired.text, new RegExp(`ERROR\\] .*node0 has expired at .*Z: ${renew}`));
  const future = await check(nodeOf("future"));
  assert.equal(future.code, 1);
  assert.match(future.text, /ERROR\] .*node0 is not yet valid: it begins at .*clock says /);
});

test("a chain: signed for the CA, of another one, without its agency, under another name", async () => {
  const good = await check(nodeOf("good"), "--ca", caOf("good"));
  assert.equal(good.code, 0, good.text);
  assert.match(good.text, /\[INFO\] .*node\.crt is signed for .*ca\.crt: node node0, agency A$/m);
  const other = await check(nodeOf("good"), "--ca", caOf("other"));
  assert.equal(other.code, 1);
  assert.match(other.text, /ERROR\] .*node\.crt is not of the chain of .*ca\.crt/);
  const text = readFileSync(nodeOf("good"), "utf8");
  const lone = join(home, "node.crt");
  writeFileSync(lone, text.slice(0, text.indexOf("-----BEGIN", 10)));
  const alone = await check(lone, "--ca", caOf("good"));
  assert.equal(alone.code, 1);
  assert.match(alone.text, /ERROR\] .* lacks the agency's certificate: append agency\.crt to it/);
  const root = join(home, "root.crt");
  copyFileSync(caOf("good"), root);
  const named = await check(nodeOf("good"), "--ca", root);
  assert.equal(named.code, 1);
  assert.match(named.text, /root\.crt is not named ca\.crt or gmca\.crt/);
  const late = await check(nodeOf("expired"), "--ca", caOf("expired"));
  assert.equal(late.code, 1);
  assert.equal(late.text.match(/ERROR/g)?.length, 1);
});

test("files that are missing or hold nothing are named, and JSON has all findings", async () => {
  const missing = await check(join(home, "none.crt"));
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, `${join(home, "none.crt")} is not there.\n`],
  );
  writeFileSync(join(home, "empty.crt"), "nothing\n");
  const empty = await check(join(home, "empty.crt"));
  assert.deepEqual([empty.code, /holds no certificate/.test(empty.stderr)], [1, true]);
  const { text } = await check(nodeOf("good"), "--json");
  assert.deepEqual(
    (JSON.parse(text) as { ok: boolean }[]).map(({ ok }) => ok),
    [true, true],
  );
});

test.runIf(HAS_BASH)("check_certificates.sh hands on what it is asked", () => {
  const tool = join(home, "tool");
  mkdirSync(join(tool, "scripts"), { recursive: true });
  const script = join(tool, "scripts/check_certificates.sh");
  writeFileSync(script, CHECK_CERTIFICATES_SCRIPT);
  writeFileSync(join(tool, "chain-node"), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const run = (...args: string[]) => {
    const { status, stdout } = spawnSync("bash", [script, ...args], { encoding: "utf8" });
    return [status, stdout];
  };
  assert.deepEqual(run("-t", "a b.crt"), [0, "cert check a b.crt\n"]);
  assert.deepEqual(run("-v", "ca.crt", "node.crt"), [0, "cert check node.crt --ca ca.crt\n"]);
  assert.deepEqual(run("-t"), [2, ""]);
  assert.deepEqual(run(), [2, ""]);
});
