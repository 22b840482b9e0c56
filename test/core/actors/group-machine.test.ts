/** A group that fails while it starts never shows as running. */
// rules: groups 2
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  type BootState,
  type GroupActor,
  groupMachineWith,
  isSettled,
} from "../../../core/actors/group.machine.ts";
import { startSupervised, until } from "../../../core/actors/supervise.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";

/** A group whose ledger starts, and fails before the start has returned. */
function failingGroup(boot: BootState) {
  const done: string[] = [];
  const machine = groupMachineWith({
    writeFiles: async () => undefined,
    persistStatus: async (word) => void done.push(word),
    startLedger: async () => {
      await Promise.resolve();
      done.push("start");
      // As an effect that is performed in the turn of the beginning and throws.
      actor.send({ type: "ledger.failed", cause: "the disk is gone" });
    },
    stopLedger: async () => void done.push("stop"),
    repairLedger: async () => assert.fail("no ledger is damaged"),
    adoptRepair: async () => assert.fail("no ledger is damaged"),
  });
  const actor: GroupActor = startSupervised(machine, {
    id: "group1",
    input: { boot },
    log: { write: () => undefined },
    inspect: undefined,
    onError: (cause) => assert.fail(String(cause)),
  });
  const states: string[] = [];
  actor.subscribe(({ value }) => states.push(String(value)));
  return { actor, done, states };
}

const settle = (actor: GroupActor) => until(actor, ({ value }) => isSettled(String(value)));

test("a failure while a node resumes a group ends in failed, and the ledger is stopped", async () => {
  const { actor, done, states } = failingGroup("start");
  const { value, context } = await settle(actor);
  assert.equal(value, "failed");
  assert.equal(context.failure, "the disk is gone");
  assert.deepEqual(done, ["start", "stop"]);
  assert.ok(!states.includes("running"), states.join(" "));
});

test("a failure while a group is started leaves it stopped, and RUNNING is not written", async () => {
  const { actor, done, states } = failingGroup("stopped");
  actor.send({ type: "group.start" });
  const { value, context } = await settle(actor);
  assert.equal(value, "stopped");
  assert.equal(context.failure, "the disk is gone");
  assert.deepEqual(done, ["start", "stop"]);
  assert.ok(!states.includes("running"), states.join(" "));
});

test("patience ends by the clock of the node", async () => {
  const { actor } = failingGroup("stopped");
  const clock = createHandClock();
  const waits = until(actor, ({ value }) => value === "running", { clock, ms: 5_000 });
  clock.move(4_999);
  const first = await Promise.race([waits, Promise.resolve("waits")]);
  assert.equal(first, "waits");
  clock.move(1);
  await assert.rejects(waits, /not done within 5000 ms/);
});
