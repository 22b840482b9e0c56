/** The machine that is made of Raft's table: a whole block, an election, the end. */
// rules: raft 5
import assert from "node:assert/strict";
import { test } from "vitest";
import { raftMachine, stepRaft } from "../../../core/actors/raft.machine.ts";
import { startSupervised } from "../../../core/actors/supervise.ts";
import type { Input } from "../../../core/consensus/raft/input.ts";
import { createRaft } from "../../../core/consensus/raft/state.ts";
import { blockPhase } from "../../../core/consensus/raft/status.ts";
import { digest, HEAD, ids, type Untimed } from "../consensus/raft/group.ts";

function chartOf(count: number) {
  const sealers = ids(count);
  const [self] = sealers;
  assert.ok(self);
  const config = { self, sealers, minElectMs: 1_000, maxElectMs: 2_000 };
  const raft = createRaft({ config, height: 0, head: HEAD, record: undefined, seed: 7 });
  const actor = startSupervised(raftMachine, {
    id: "raft",
    input: { raft },
    log: { write: () => undefined },
    onError: (cause) => assert.fail(String(cause)),
  });
  const asked: string[] = [];
  let now = 0;
  const give = (untimed: Untimed, at = now) => {
    now = at;
    const effects = stepRaft(actor, { ...untimed, now } as Input) ?? [];
    asked.push(...effects.map(({ type }) => type));
    return [actor.getSnapshot().value, blockPhase(raft)];
  };
  return { actor, asked, config, sealers, give };
}

test("a sealer alone follows, leads, executes, writes, and begins anew", () => {
  const { give, config, sealers, asked } = chartOf(1);
  const leads = (phase: string) => [{ member: "leader" }, phase];
  assert.deepEqual(give({ type: "start" }), [{ member: "follower" }, "none"]);
  assert.deepEqual(give({ type: "tick" }, 2_000), leads("none"));
  const hash = digest("a");
  const proposal = { hash, number: 1, parentHash: HEAD, sealer: 0, sealers, txCount: 1 };
  assert.deepEqual(give({ type: "proposal", view: 1, proposal }), leads("fetching"));
  assert.deepEqual(give({ type: "assembled", proposal: hash, complete: true }), leads("executing"));
  const token = { height: 1, view: 1, proposal: hash };
  const executed = digest("b");
  assert.deepEqual(give({ type: "executed", token, executed }), leads("writing"));
  const written = { type: "written", height: 1, hash: executed, config } as const;
  assert.deepEqual(give(written), leads("none"));
  assert.deepEqual(give({ ...written, height: 2, config: { ...config, sealers: [] } }), [
    { member: "suspended" },
    "none",
  ]);
  const order = ["persist", "propose", "assemble", "execute", "write"];
  assert.deepEqual(
    order.filter((type) => asked.includes(type)),
    order,
  );
});

test("one of three asks around before it raises its term", () => {
  const { give, actor } = chartOf(3);
  give({ type: "start" });
  assert.deepEqual(give({ type: "tick" }, 2_000), [
    { member: { electing: "preCandidate" } },
    "none",
  ]);
  assert.equal(actor.getSnapshot().context.raft.term, 0);
});

test("a final block that this node refuses ends the chart", () => {
  const { give, actor } = chartOf(1);
  give({ type: "start" });
  give({ type: "tick" }, 2_000);
  const hash = digest("a");
  const { raft } = actor.getSnapshot().context;
  raft.entry = { term: 1, height: 1, proposal: hash, proposer: 0 };
  give({ type: "tick" }, 3_000);
  give({ type: "assembled", proposal: hash, complete: true });
  const token = { height: 1, view: 1, proposal: hash };
  assert.equal(give({ type: "executed", token, executed: undefined })[0], "stopped");
  assert.equal(actor.getSnapshot().status, "done");
});
