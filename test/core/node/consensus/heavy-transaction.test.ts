/** A transaction whose execution outlives the view: named, packed alone, waited for. */
// rules: pbft 16.3.8, txpool 4
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import type { ExecuteOutcome, Executor } from "../../../../core/ports/executor.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const HEAVY_MS = 20_000;
/** How long a thread takes to notice that its work is not wanted any more. */
const NOTICE_MS = 150;
const ORDINARY = 20;

/** An executor on which some transactions take long; others wait in their block behind them. */
function slowExecutor(executor: Executor, isHeavy: (hash: Hash) => boolean, wait: Wait): Executor {
  let cancel: () => void = () => undefined;
  return {
    write: (hash, seals) => executor.write(hash, seals),
    call: (request) => executor.call(request),
    close: () => executor.close(),
    cancel: () => cancel(),
    async execute(request): Promise<ExecuteOutcome> {
      cancel();
      let cancelled = false;
      for (const hash of request.hashes.filter(isHeavy)) {
        const noticed = new Promise<void>((resume) => {
          cancel = () => {
            cancelled = true;
            void wait(NOTICE_MS).then(resume);
          };
        });
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
