/** A transaction whose execution outlives the view: named, packed alone, waited for. */
// rules: pbft 16.3.8, txpool 4
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import type { ExecuteOutcome, Executor } from "../../../../core/ports/executor.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

const suite = await createNodeSuite();
const HEAVY_MS = 20_000;
/** How long a thread takes to notice that its work is not wanted any more. */
const NOTICE_MS = 150;
const ORDINARY = 20;
/** When an executor with a clock reports a heavy transaction. */
const TOLD_MS = 500;

/** An executor on which some transactions take long; others wait in their block behind them. */
function slowExecutor(
  executor: Executor,
  isHeavy: (hash: Hash) => boolean,
  wait: Wait,
  hasClock = false,
): Executor {
  let cancel: () => void = () => undefined;
  return {
    write: (hash, seals) => executor.write(hash, seals),
    call: (request) => executor.call(request),
    close: () => executor.close(),
    cancel: () => cancel(),
    async execute(request, onHeavy): Promise<ExecuteOutcome> {
      cancel();
      let cancelled = false;
      for (const hash of request.hashes.filter(isHeavy)) {
        const noticed = new Promise<void>((resume) => {
          cancel = () => {
            cancelled = true;
            void wait(NOTICE_MS).then(resume);
          };
        });
        if (hasClock) {
          await Promise.race([wait(TOLD_MS), noticed]);
          if (!cancelled) onHeavy?.({ hash, ms: TOLD_MS });
        }
        await Promise.race([wait(HEAVY_MS), noticed]);
        if (cancelled) return { ok: false, reason: "cancelled", heavy: hash };
      }
      cancel = () => executor.cancel();
      return executor.execute(request);
    },
  };
}

type Wait = (ms: number) => Promise<void>;

test("heavy transactions are packed alone after one time-out each, and cost the others no more", async () => {
  const heavy = new Set<Hash>();
  const world: NodeWorld = new NodeWorld({
    suite,
    seed: 5,
    wrapExecutor: (executor) =>
      slowExecutor(
        executor,
        (hash) => heavy.has(hash),
        (ms) => world.sleep(ms),
      ),
  });
  await world.startAll();
  const heavies = [0, 1, 2].map((index) => world.submit(index));
  for (const { hash } of heavies) heavy.add(hash);
  const ordinary = Array.from({ length: ORDINARY }, (_, i) => world.submit(i % 4));
  const all = [...heavies, ...ordinary];
  const { ledger } = world.group(0);
  const totals = async () => Number((await ledger.totals()).transactions);
  const began = world.now;
  while ((await totals()) < all.length) {
    assert.ok(world.now - began < 300_000, `all are committed in time: ${world.describe()}`);
    await world.advance(500);
  }
  const views = world.log.filter(({ message }) => message === "ViewChangeWarning");
  for (const { hash } of heavies) {
    const receipt = await ledger.receipt(hash);
    const block = receipt && (await ledger.block(receipt.blockHash));
    assert.equal(block?.transactions.length, 1, "a heavy transaction is alone in its block");
  }
  // Its execution, and at most one time-out that found it.
  const most = heavies.length * (HEAVY_MS + 10_000);
  assert.ok(world.now - began < most, `${world.now - began} ms`);
  assert.ok(views.length > 0, "views were left");
  assert.deepEqual(world.failures, []);
  await world.stopAll();
});

const keyOf = (sender: number): Uint8Array => new Uint8Array(32).fill(sender);

/** Heavy transactions by negative senders, in order of arrival; the block of each. */
async function blocksOf(senders: readonly number[]): Promise<{ heavy: number[]; light: number[] }> {
  const heavy = new Set<Hash>();
  const world: NodeWorld = new NodeWorld({
    suite,
    seed: 7,
    wrapExecutor: (executor) =>
      slowExecutor(
        executor,
        (hash) => heavy.has(hash),
        (ms) => world.sleep(ms),
        true,
      ),
  });
  await world.startAll();
  const sent = senders.map((sender) => {
    const { hash } = world.submit(0, { key: keyOf(Math.abs(sender)) });
    if (sender < 0) heavy.add(hash);
    return hash;
  });
  const { ledger } = world.group(0);
  const began = world.now;
  while (Number((await ledger.totals()).transactions) < sent.length) {
    assert.ok(world.now - began < 600_000, `all are committed in time: ${world.describe()}`);
    await world.advance(500);
  }
  const blocks = { heavy: [] as number[], light: [] as number[] };
  for (const hash of sent) {
    const receipt = await ledger.receipt(hash);
    blocks[heavy.has(hash) ? "heavy" : "light"].push(receipt?.blockNumber ?? 0);
  }
  assert.deepEqual(world.failures, []);
  const told = world.log.filter(({ message }) => /is heavy/.test(message));
  assert.deepEqual(new Set(told.map(({ index }) => index)), new Set([0, 1, 2, 3]));
  await world.stopAll();
  return blocks;
}

const ORDERS: readonly (readonly [string, number[]])[] = [
  ["of as many senders", [-1, -2, -3, -4, -5, 6]],
  ["of one sender", [-1, -1, -1, -1, -1, 2]],
  ["of the sender of the light one", [-1, -1, -1, -1, -1, 1]],
  ["around a light one", [-1, -2, 3, -4, -5, -1]],
];
test.each(TAKES_ALL_CASES ? ORDERS : ORDERS.slice(-1))(
  "next to five heavy transactions %s a light one is in the second block at the latest",
  async (_, senders) => {
    const { heavy, light } = await blocksOf(senders);
    assert.ok((light[0] ?? 0) <= 2, `block ${light[0]}`);
    assert.equal(new Set([...heavy, ...light]).size, 6, "heavy ones are alone");
  },
);
