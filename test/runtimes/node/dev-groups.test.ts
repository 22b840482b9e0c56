/** A second group on a kept dev chain: generated over RPC, on disk, there again after a restart. */
// rules: groups 1, groups 2, groups 3
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import { createDevChain, type DevChain } from "../../../runtimes/node/dev-chain.ts";
import { buildWorkers } from "./built-workers.ts";

const suite = await createNodeSuite();
const KEY = new Uint8Array(32).fill(0x42);
const ROOT = mkdtempSync(join(tmpdir(), "dev-groups-"));
const WAIT_MS = 20_000;
let nonce = 1n;

beforeAll(() => buildWorkers());
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every node performs an operation with success. */
async function onAll(chain: DevChain, operation: string, ...params: unknown[]): Promise<void> {
  for (const node of chain.nodes) {
    const { code } = (await node.request(operation, params)) as { code: string };
    assert.equal(code, "0x0", operation);
  }
}

async function commitIn(chain: DevChain, groupId: number): Promise<void> {
  const fields = {
    nonce: nonce++,
    gasPrice: 1n,
    gas: 300_000_000n,
    blockLimit: 400n,
    to: null,
    value: 0n,
    input: Uint8Array.of(0x60, 0, 0x60, 0, 0xf3),
    chainId: 1n,
    groupId: BigInt(groupId),
    extraData: new Uint8Array(0),
  };
  const raw = toPrefixedHex(signTransaction(fields, KEY, suite).raw);
  const hash = await chain.request("sendRawTransaction", [groupId, raw]);
  const end = performance.now() + WAIT_MS;
  while (!(await chain.request("getTransactionReceipt", [groupId, hash]))) {
    assert.ok(performance.now() < end, `a block of group ${groupId}`);
    await pause(20);
  }
}

async function statusOf(chain: DevChain, groupId: number): Promise<string> {
  const answer = await chain.request("queryGroupStatus", [groupId]);
  return (answer as { status: string }).status;
}

test("a generated group runs beside the first one, and both are as they were left", async () => {
  const options = { nodes: 4, blockTimeMs: 0, dataDir: join(ROOT, "chain") };
  let chain = await createDevChain(options);
  try {
    const sealers = chain.nodes.map(({ nodeId }) => nodeId);
    await onAll(chain, "generateGroup", 2, { timestamp: "1700000000000", sealers });
    await onAll(chain, "startGroup", 2);
    assert.deepEqual(await chain.request("getGroupList", []), [1, 2]);
    await commitIn(chain, 2);
    await commitIn(chain, 1);
    const block = await chain.request("getBlockHashByNumber", [2, "1"]);
    await onAll(chain, "stopGroup", 1);
    await commitIn(chain, 2);
    await chain.close();

    const home = join(options.dataDir, "node0");
    assert.deepEqual(readdirSync(join(home, "conf")), [
      "group.1.genesis",
      "group.1.ini",
      "group.2.genesis",
      "group.2.ini",
    ]);
    const word = (groupId: number) =>
      readFileSync(join(home, `group${groupId}`, ".group_status"), "utf8");
    assert.deepEqual([word(1), word(2)], ["STOPPED", "RUNNING"]);

    chain = await createDevChain(options);
    assert.deepEqual([await statusOf(chain, 1), await statusOf(chain, 2)], ["STOPPED", "RUNNING"]);
    assert.equal(await chain.request("getBlockHashByNumber", [2, "1"]), block);
    await commitIn(chain, 2);
    await onAll(chain, "removeGroup", 2);
    await onAll(chain, "startGroup", 1);
    await commitIn(chain, 1);
    await onAll(chain, "recoverGroup", 2);
    await onAll(chain, "startGroup", 2);
    assert.equal(await chain.request("getBlockHashByNumber", [2, "1"]), block);
    await commitIn(chain, 2);
  } finally {
    await chain.close();
  }
});
