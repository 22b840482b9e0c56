/** The ledgers of a development chain, as those of any other: checked, saved, exported. */
import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { ask, startDev, stop } from "../../../support/process/dev-chain-process.ts";
import { waitForReceipt } from "../../../support/process/dev-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { temporaryFolder } from "../../../support/ledger/recorded-folder.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const LIMIT_MS = 240_000;

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runHosted(...args);
  return { code, said: stdout + stderr };
}

test("nodes of a development chain are checked, saved and exported by their folders", async () => {
  const parent = await temporaryFolder();
  const data = join(parent, "chain");
  const file = join(parent, "dev.jsonl");
  try {
    const dev = await startDev(2, "--data", data);
    const { raw, hash } = createSender(STANDARD_SUITE)({ head: 0 });
    await ask(dev.url, "sendRawTransaction", 1, raw);
    await waitForReceipt(dev.url, hash, LIMIT_MS);
    const busy = await run("export", file, "--node", join(data, "node0"));
    assert.match(busy.said, new RegExp(`\\(process ${dev.child.pid}\\)\\. The node runs: stop it`));
    await stop(dev, "SIGKILL");
    const one = await run("check", join(data, "node1"));
    assert.match(one.said, /\nnode1 +1 +\d+ .* 0 +-\nclean;/);
    assert.doesNotMatch(one.said, /node0|note:/);
    const saved = await run("snapshot", join(data, "node0"), "-o", join(parent, "dev.snapshot"));
    assert.match(saved.said, /^group 1 at block \d+: 1 transactions in /);
    const exported = await run("export", file, "--node", join(data, "node0"));
    assert.match(exported.said, /1 transactions in .*; chain-node replay .* checks it\n$/);
    assert.match((await run("replay", file)).said, /blocks, 1 transactions, 0 differences\n$/);
    const several = await run("snapshot", data, "-o", join(parent, "all.snapshot"));
    assert.match(several.said, /chain holds several nodes: name one, as .*node0\n$/);
    assert.deepEqual([one.code, saved.code, exported.code, several.code], [0, 0, 0, 1]);
    assert.ok(!(await readdir(join(data, "node0"))).some((name) => name.includes("checking")));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});
