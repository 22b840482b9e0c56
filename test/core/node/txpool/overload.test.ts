/** Too much of everything: full pools, and contracts without end. */
// rules: txpool 3.2, rpc-semantics 8, execution 5
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Address, Hash } from "../../../../core/bytes/ids.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { createSender, deployment } from "../../../support/sender.ts";
import { client } from "../../../support/world/world-client.ts";

const suite = await createNodeSuite();
const sign = createSender(suite);
const GAS_LIMIT = 3_000_000n;

async function startWorld(options: Partial<ConstructorParameters<typeof NodeWorld>[0]> = {}) {
  const world = new NodeWorld({ suite, seed: 4, nodes: 1, ...options });
  await world.startAll();
  return world;
}

/** Sends until one is refused; gives how many were taken, and the refusal. */
async function fill(
  world: NodeWorld,
  input: Uint8Array,
): Promise<{ taken: number; refusal: string }> {
  const ask = client(world, 0);
  for (let taken = 0; taken < 1_000; taken++) {
    const { error } = await ask("sendRawTransaction", [1, sign({ head: 0, input }).raw]);
    if (!error) continue;
    assert.equal(error.code, -32603);
    return { taken, refusal: error.message };
  }
  return assert.fail("the pool takes everything");
}

test("a pool whose memory is used up refuses with the token of status 10006, and takes again later", async () => {
  // The other three of four are missing: nothing is committed yet.
  const tuning = { txPoolMemoryBytes: 64 * 1024 };
  const world = new NodeWorld({ suite, seed: 4, tuning });
  await world.start(0);
  const { taken, refusal } = await fill(world, new Uint8Array(4_000));
  assert.match(refusal, /OverGroupMemoryLimit/);
  assert.ok(taken > 5 && taken < 17, `${taken} of 4 kB in 64 KiB`);
  for (const index of [1, 2, 3]) await world.start(index);
  const done = () => world.group(0).pendingCount() === 0;
  await world.until(done, 120_000, "the pool is emptied");
  const { error } = await client(world, 0)("sendRawTransaction", [1, sign({ head: 0 }).raw]);
  assert.equal(error, undefined);
  await world.stopAll();
});

test("a pool that holds its number of transactions refuses with its token, and reads are answered", async () => {
  const world = new NodeWorld({ suite, seed: 4, tuning: { txPoolLimit: 7 } });
  await world.start(0);
  const { taken, refusal } = await fill(world, new Uint8Array(4));
  assert.match(refusal, /TransactionPoolIsFull/);
  assert.equal(taken, 7);
  const { result } = await client(world, 0)("getPendingTxSize", [1]);
  assert.equal(result, "0x7");
  await world.stopAll();
});

const ENDLESS = {
  "loops for ever": { code: "again: @again jump", status: "0xc" },
  "takes all memory": { code: "0 again: dup1 dup1 mstore 0x100000 add @again jump", status: "0xc" },
  "asks for memory beyond any": { code: "1 0xffffffffffffffff mstore", status: "0xc" },
  "hashes all it can reach": { code: "again: 0x8000 0 sha3 pop @again jump", status: "0xc" },
  "fills the stack": { code: "again: 1 @again jump", status: "0xd" },
  "calls itself until nothing is left, and reverts": {
    code: "0 0 0 0 0 address gas call @fine jumpi 0 0 revert fine: stop",
    status: "0x16",
  },
  "logs without end": { code: "again: 0x400 0 log0 @again jump", status: "0xc" },
  "creates without end": { code: "again: 0 0 0 create pop @again jump", status: "0xc" },
} as const;

for (const [what, { code, status }] of Object.entries(ENDLESS)) {
  test(`a contract that ${what} ends with status ${status}, and the chain goes on`, async () => {
    const world = await startWorld({ genesis: { gasLimit: GAS_LIMIT } });
    const commit = async (call: { to?: Address; input?: Uint8Array }) => {
      const { hash, outcome } = world.submit(0, call);
      assert.equal((await world.settle(outcome, "admission")).ok, true);
      return receiptOf(world, hash);
    };
    const created = await commit({ input: deployment(assemble(code)) });
    assert.equal(created["status"], "0x0");
    const to = String(created["contractAddress"]) as Address;
    const called = await commit({ to, input: new Uint8Array(0) });
    assert.equal(called["status"], status);
    assert.equal((await commit({}))["status"], "0x0");
    await world.stopAll();
  });
}

async function receiptOf(world: NodeWorld, hash: Hash): Promise<Record<string, unknown>> {
  const ask = client(world, 0);
  for (let tries = 0; tries < 200; tries++) {
    const { result } = await ask("getTransactionReceipt", [1, hash]);
    if (result) return result as Record<string, unknown>;
    await world.advance(100);
  }
  return assert.fail(`no receipt of ${hash}`);
}
