/** `chain-node export`: from a folder and over RPC the same lines, which replay executes again. */
import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { test } from "vitest";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { request, waitForReceipt } from "../../../support/process/dev-process.ts";
import {
  committed,
  type Entry,
  entriesOf,
  inputIn,
  longTransaction,
  READS,
  read,
} from "../../../support/process/large-work.ts";
import { initProcessChain, type NodeProcess } from "../../../support/process/node-processes.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const LIMIT_MS = 240_000;
/** So much that threads, pieces and pauses all have their part; the gas limit allows it. */
const LONG_BYTES = 300_000;

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runHosted(...args);
  return { code, said: stdout + stderr };
}

/** The built program in a process of its own. */
async function runBuilt(...args: string[]) {
  const { code, stdout, stderr } = await endOf(runProgram(...args));
  return { code, said: stdout + stderr };
}

/** A long transaction goes in by an interface and comes out by it. */
async function requireLongWork(node: NodeProcess, entry: Entry) {
  const call = await longTransaction(node, `0x${"0".repeat(38)}f0`, LONG_BYTES);
  const number = await committed(entry, call, node);
  const blockHash = await request(node.url, "getBlockHashByNumber", [1, `${number}`]);
  const asked = { ...call, blockHash: String(blockHash) };
  for (const method of READS) {
    const input = inputIn(await read(entry, method, asked), call.hash);
    assert.equal(input.length, 2 + 2 * LONG_BYTES, `${method} by ${entry.name}`);
    assert.ok(call.raw.includes(input.slice(2)), `${method} by ${entry.name}`);
  }
}

test("a ledger comes out of a folder and over RPC alike, and replays without a difference", async () => {
  const send = createSender(STANDARD_SUITE);
  const folder = await mkdtemp(join(tmpdir(), "chain-node-exported-"));
  const chain = await initProcessChain({ nodes: 1, hosted: true });
  const [node] = chain.nodes;
  assert.ok(node);
  const [packed, plain] = [join(folder, "packed.jsonl.gz"), join(folder, "plain.jsonl")];
  try {
    await node.start();
    const { raw, hash } = send({ head: 0 });
    await request(node.url, "sendRawTransaction", [1, raw]);
    await waitForReceipt(node.url, hash, LIMIT_MS);
    const entries = await entriesOf(chain, node);
    for (const entry of entries) await requireLongWork(node, entry);
    for (const { transport } of entries) await transport.close?.();
    const whole = /^5 blocks, 4 transactions in .*; chain-node replay .* checks it\n$/;
    const running = await runBuilt("export", plain, "--node", node.folder);
    assert.match(running.said, whole);
    const asked = await run("export", packed, "--rpc", node.url);
    assert.match(asked.said, whole);
    const none = join(folder, "unknown.jsonl");
    const unknown = await run("export", none, "--rpc", node.url, "--group", "9");
    assert.match(unknown.said, /answered getBlockNumber with -40001/);
    await node.end("SIGTERM");
    const cold = join(folder, "cold", "plain.jsonl");
    await mkdir(dirname(cold));
    const stopped = await run("export", cold, "--node", node.folder);
    assert.match(stopped.said, whole);
    assert.deepEqual([running.code, stopped.code], [0, 0]);
    const lines = await readFile(plain, "utf8");
    assert.equal(await readFile(cold, "utf8"), lines);
    await rm(dirname(cold), { recursive: true });
    assert.equal(gunzipSync(await readFile(packed)).toString("utf8"), lines);
    for (const file of [plain, packed])
      assert.equal((await run("replay", file)).said, "5 blocks, 4 transactions, 0 differences\n");
    const again = await run("export", plain, "--node", node.folder);
    assert.match(again.said, /plain\.jsonl is there already: choose another name\n$/);
    const kept = join(folder, "kept.genesis");
    await copyFile(join(folder, "plain.genesis"), kept);
    const over = await run("export", join(folder, "kept.jsonl"), "--node", node.folder);
    assert.match(over.said, /kept\.genesis is there already: choose another name\n$/);
    await rm(kept);
    const gone = await run("export", join(folder, "gone.jsonl"), "--rpc", node.url);
    assert.match(gone.said, /does not answer as a node/);
    const neither = await run("export", join(folder, "gone.jsonl"));
    assert.match(neither.said, /either --node .* or --rpc/);
    assert.deepEqual([unknown.code, again.code, gone.code, neither.code], [1, 1, 1, 2]);
    // Nothing half-written is left.
    const names = ["packed.genesis", "packed.jsonl.gz", "packed.meta.json"];
    const all = [...names, "plain.genesis", "plain.jsonl", "plain.meta.json"];
    assert.deepEqual((await readdir(folder)).sort(), all);
  } finally {
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  }
});
