/** When the pool takes imports, and what becomes of it when one goes wrong. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { startSupervised } from "../../../core/actors/supervise.ts";
import { importInto, txpoolMachine } from "../../../core/actors/txpool.machine.ts";
import { pendingCount } from "../../../core/txpool/pool.ts";
import { buildPool, buildTransaction, contextAt } from "../../support/world/pool-builders.ts";

function start() {
  const failures: unknown[] = [];
  const pool = buildPool();
  const actor = startSupervised(txpoolMachine, {
    id: "txpool",
    input: { pool },
    log: { write: () => undefined },
    onError: (cause) => failures.push(cause),
  });
  const give = (id: number) =>
    importInto(actor, [{ transaction: buildTransaction(id) }], contextAt(100));
  return { pool, actor, give, failures };
}
const NOT_IN_GROUP = [{ ok: false, refusal: "notInGroup" }];

test("the pool takes imports while the node is in the group, and none outside or closed", () => {
  const { pool, actor, give, failures } = start();
  assert.equal(give(1)[0]?.ok, true);
  actor.send({ type: "group.left" });
  assert.deepEqual(give(2), NOT_IN_GROUP);
  actor.send({ type: "group.joined" });
  assert.equal(give(3)[0]?.ok, true);
  assert.equal(pendingCount(pool), 2);
  actor.send({ type: "pool.close" });
  assert.deepEqual(give(4), NOT_IN_GROUP);
  assert.deepEqual(failures, []);
});

test("an import that goes wrong ends the pool, tells its owner, and is answered", () => {
  const { pool, actor, give, failures } = start();
  const cause = new Error("two places for one transaction");
  Object.defineProperty(pool, "byHash", {
    get: () => {
      throw cause;
    },
  });
  assert.deepEqual(give(1), NOT_IN_GROUP);
  assert.deepEqual(failures, [cause]);
  assert.equal(actor.getSnapshot().status, "error");
  assert.deepEqual(give(2), NOT_IN_GROUP);
  assert.equal(failures.length, 1);
});
