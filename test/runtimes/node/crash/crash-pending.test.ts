/** Many pending transactions: reads are answered as before. */
// rules: txpool 1
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { tookMs, untilQuick } from "../../../support/runner/until-quick.ts";
import { client } from "../../../support/world/world-client.ts";

const suite = await createNodeSuite();
const PENDING = 20_000;
/** Reads are looked up, not searched for. */
const READ_LIMIT_MS = 50;
/** A second of an idle group with a full pool costs far less than a second. */
const SECOND_LIMIT_MS = 500;

test(`${PENDING} pending transactions do not stall reads`, async () => {
  const world = new NodeWorld({ suite, seed: 4 });
  await world.start(0);
  let last = world.submit(0);
  for (let i = 1; i < PENDING; i++) {
    last = world.submit(0);
    last.outcome.catch(() => undefined);
    if (i % 500 === 0) await world.settle(last.outcome, "admission");
  }
  assert.equal((await world.settle(last.outcome, "admission")).ok, true);
  assert.equal(world.group(0).pendingCount(), PENDING);
  const ask = client(world, 0);
  const reads = {
    getBlockNumber: [1],
    getPendingTxSize: [1],
    getTransactionByHash: [1, last.hash],
    getTransactionReceipt: [1, last.hash],
    getConsensusStatus: [1],
    getBlockByNumber: [1, "0x0", true],
  } as const;
  for (const [method, params] of Object.entries(reads))
    await untilQuick(READ_LIMIT_MS, () => tookMs(() => ask(method, params)));
  await untilQuick(SECOND_LIMIT_MS, () => tookMs(() => world.advance(1_000)));
  await world.stopAll();
});
