/** The machine that is made of PBFT's table: a whole block, a change of views, the end. */
// rules: pbft 14
import assert from "node:assert/strict";
import { test } from "vitest";
import { consensusMachine, stepPbft } from "../../../core/actors/consensus.machine.ts";
import { startSupervised } from "../../../core/actors/supervise.ts";
import type { Input } from "../../../core/consensus/pbft/input.ts";
import type { Message } from "../../../core/consensus/pbft/message.ts";
import { createPbft } from "../../../core/consensus/pbft/state.ts";
import { GENESIS, nodeId } from "../../simulation/workload.ts";
import { blockOf, executedOf, Group } from "../consensus/pbft/group.ts";

type Untimed = Input extends infer One ? (One extends Input ? Omit<One, "now"> : never) : never;

/** The chart of one of the sealers, and the events that its actor was sent. */
function chartOf(count: number, index: number) {
  const group = new Group(count);
  const config = { self: nodeId(index), sealers: group.sealers, consensusTimeoutMs: 3_000 };
  const signer = group.signatures.signerFor(config.self);
  const pbft = createPbft({ config, signer, height: 0, head: GENESIS, record: undefined });
  const actor = startSupervised(consensusMachine, {
    id: "consensus",
    input: { pbft },
    log: { write: () => undefined },
    onError: (cause) => assert.fail(String(cause)),
  });
  const sent: string[] = [];
  const send = actor.send.bind(actor);
  actor.send = (event) => {
    sent.push(event.type);
    send(event);
  };
  const asked: string[] = [];
  const give = (untimed: Untimed, now = 0) => {
    const effects = stepPbft(actor, { ...untimed, now } as Input) ?? [];
    asked.push(...effects.map(({ type }) => type));
    return actor.getSnapshot().value;
  };
  const hear = (message: Message) => {
    const from = "signer" in message ? message.signer : config.self;
    return give({ type: "message", from, message });
  };
  return { group, config, actor, sent, asked, give, hear };
}

const sealer = (phase: string) => ({ member: { sealer: phase } });

test("a sealer alone proposes, signs, locks, decides, writes, and begins anew", () => {
  const { group, config, asked, sent, give } = chartOf(1, 0);
  assert.deepEqual(give({ type: "start" }), sealer("idle"));
  const proposal = group.proposal("aa");
  assert.deepEqual(give({ type: "proposal", view: 0, proposal }), sealer("prePrepared"));
  const token = { height: 1, view: 0, proposal: blockOf("aa") };
  const executed = executedOf("aa");
  const decided = { member: { decided: "committed" } };
  assert.deepEqual(give({ type: "executed", token, executed }), decided);
  const written = { type: "written", height: 1, hash: executed, config } as const;
  assert.deepEqual(give(written), sealer("idle"));
  const without = { ...config, sealers: [] };
  assert.deepEqual(give({ ...written, height: 2, config: without }), { member: "observer" });
  const order = ["propose", "persist", "broadcast", "execute", "write"];
  // Each for the first time: what is locked is on disk before anybody learns of it.
  const proposed = asked.slice(asked.indexOf("propose"));
  const firsts = order.map((type) => proposed.indexOf(type));
  assert.ok(!firsts.includes(-1), asked.join());
  assert.deepEqual(
    firsts,
    firsts.toSorted((one, other) => one - other),
    asked.join(),
  );
  assert.deepEqual(sent, ["start", "proposal", "executed", "written", "written"]);
});

test("a sealer gives up its view once, and enters what Q sealers want", () => {
  const { group, give, hear } = chartOf(4, 1);
  give({ type: "start" });
  assert.deepEqual(give({ type: "tick" }, 3_000), sealer("viewChanging"));
  assert.deepEqual(hear(group.viewChange(0, 1)), sealer("viewChanging"));
  assert.deepEqual(hear(group.viewChange(2, 1)), sealer("idle"));
});

test("a message is one event; one that comes too early is one when its round begins", () => {
  const { group, config, sent, give, hear } = chartOf(4, 1);
  give({ type: "start" });
  hear(group.sign(2, "bb", { view: 0, height: 2 }));
  hear(group.commit(3, "aa", { view: 0 }));
  assert.deepEqual(sent, ["start", "commit"]);
  give({ type: "written", height: 1, hash: executedOf("aa"), config });
  assert.deepEqual(sent, ["start", "commit", "written", "sign", "keptTaken"]);
});

test("a machine that has stopped takes nothing more", () => {
  const { group, actor, sent, give, hear } = chartOf(4, 1);
  give({ type: "start" });
  const proposal = group.proposal("aa");
  const message = group.prepare(0, "aa", { view: 0 });
  give({ type: "message", from: message.signer, message, proposal });
  give({ type: "assembled", proposal: proposal.hash, complete: true });
  const token = { height: 1, view: 0, proposal: proposal.hash };
  give({ type: "executed", token, executed: executedOf("aa") });
  const other = executedOf("dd");
  for (const index of [0, 2, 3]) hear(group.sign(index, "aa", { view: 0 }, other));
  assert.deepEqual([actor.getSnapshot().value, actor.getSnapshot().status], ["stopped", "done"]);
  const { length } = sent;
  assert.equal(give({ type: "tick" }, 10_000), "stopped");
  assert.equal(sent.length, length);
});
