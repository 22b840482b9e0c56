import assert from "node:assert/strict";
import { test } from "vitest";
import type { Proposal } from "../../../../core/consensus/exchange.ts";
import { GENESIS } from "../../../simulation/workload.ts";
import { blockOf, Group, type Node, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 16.3.2, pbft 16.3.3, pbft 4, pbft 6

const group = () => new Group(4);
const fresh = (node: Node, name: string, changes: Partial<Proposal> = {}) =>
  node.effects({
    type: "proposal",
    now: node.now,
    view: node.state.view,
    proposal: node.group.proposal(name, changes),
  });

test("only the leader is asked for a proposal; an empty one will do a second later", () => {
  const { started } = group().node(0);
  const [ask] = started.filter((effect) => effect.type === "propose");
  assert.deepEqual(ask, { type: "propose", height: 1, view: 0, emptyFrom: 1_000 });
  assert.deepEqual(shapesOf(group().node(1).started), []);
});

test("a leader writes its proposal and the block before it speaks", () => {
  const effects = fresh(group().node(0), "aa");
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast prepare", "execute"]);
  const [persist] = effects;
  assert.ok(persist?.type === "persist");
  assert.equal(persist.body, blockOf("aa"));
  assert.equal(persist.record.prepare?.proposal, blockOf("aa"));
});

test("a leader proposes once in a view", () => {
  const node = group().node(0);
  fresh(node, "aa");
  const second = fresh(node, "bb");
  assert.deepEqual(shapesOf(second), []);
  assert.deepEqual(reportsOf(second), ["stale"]);
});

test("a proposal for a view that is over is dropped", () => {
  const node = group().node(0);
  node.tick(3_000);
  assert.deepEqual(reportsOf(fresh(node, "aa")), ["stale"]);
});

test("a leader between views does not propose", () => {
  const node = group().node(0);
  node.tick(3_000);
  assert.deepEqual(shapesOf(fresh(node, "aa")), []);
});

test("an empty proposal goes out with the vote for the next view behind one record", () => {
  const effects = fresh(group().node(0), "aa", { txCount: 0 });
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast prepare", "broadcast viewChange"]);
});

test("a replica asks for the block of a proposal and executes it once it is whole", () => {
  const node = group().node(1);
  const { group: own } = node;
  const heard = node.hear(own.prepare(0, "aa", { view: 0 }), own.proposal("aa"));
  assert.deepEqual(shapesOf(heard), ["assemble"]);
  assert.deepEqual(shapesOf(node.assembled("aa")), ["execute"]);
});

test("a replica that accepts an empty proposal leaves the view at once", () => {
  const node = group().node(2);
  const effects = node.hear(
    node.group.prepare(0, "aa", { view: 0 }),
    node.group.proposal("aa", { txCount: 0 }),
  );
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast viewChange"]);
  assert.equal(node.state.toView, 1);
  assert.equal(node.state.failedViews, 0);
});

const REFUSALS: readonly { name: string; changes: Partial<Proposal>; reason: string }[] = [
  {
    name: "whose header has another hash",
    changes: { hash: blockOf("bb") },
    reason: "headerHashDiffers",
  },
  { name: "of another number", changes: { number: 2 }, reason: "wrongNumber" },
  { name: "on another parent", changes: { parentHash: blockOf("cc") }, reason: "wrongParent" },
  { name: "with another sealer list", changes: { sealers: [] }, reason: "wrongSealerList" },
  { name: "that names another sealer", changes: { sealer: 3 }, reason: "wrongSealer" },
];
for (const { name, changes, reason } of REFUSALS) {
  test(`a proposal ${name} is refused: ${reason}`, () => {
    const node = group().node(1);
    const effects = node.accept("aa", changes);
    assert.deepEqual(reportsOf(effects), [reason]);
    assert.equal(node.state.round.proposal, undefined);
  });
}

test("a refused proposal does not use up the view: the right one is accepted after it", () => {
  const node = group().node(1);
  node.accept("aa", { number: 2 });
  assert.deepEqual(shapesOf(node.accept("aa")), ["assemble", "execute"]);
});

test("a proposal without its header is refused", () => {
  const node = group().node(1);
  assert.deepEqual(reportsOf(node.hear(node.group.prepare(0, "aa", { view: 0 }))), [
    "missingHeader",
  ]);
});

test("a proposal of a sealer that does not lead is refused", () => {
  const node = group().node(1);
  const effects = node.hear(node.group.prepare(2, "aa", { view: 0 }), node.group.proposal("aa"));
  assert.deepEqual(reportsOf(effects), ["notLeader"]);
});

test("a second proposal of one view is evidence against its leader and changes nothing", () => {
  const node = group().node(1);
  node.accept("aa");
  const effects = node.hear(node.group.prepare(0, "bb", { view: 0 }), node.group.proposal("bb"));
  assert.deepEqual(reportsOf(effects), ["equivocation", "secondProposal"]);
  assert.equal(node.state.round.proposal, blockOf("aa"));
});

test("a node between views accepts no proposal of the view it left", () => {
  const node = group().node(1);
  node.tick(3_000);
  assert.deepEqual(reportsOf(node.accept("aa")), ["viewChanging"]);
});

test("a proposal that proves its view takes the replica there", () => {
  const node = group().node(2);
  const J = node.group.justification(1, [0, 1, 3]);
  const effects = node.hear(
    node.group.prepare(1, "aa", { view: 1, J }),
    node.group.proposal("aa", { sealer: 1 }),
  );
  assert.equal(node.state.view, 1);
  assert.deepEqual(shapesOf(effects), ["assemble"]);
});

test("a proposal of view 0 brings no justification: no node would look at it", () => {
  const node = group().node(1);
  const { group: own } = node;
  const unproven = { ...own.lock("aa", 0, []), certificate: [] };
  const J = [own.viewChange(0, 1, unproven)];
  // With its lock the leader would pass off its own block as that of another sealer.
  const effects = node.hear(
    own.prepare(0, "aa", { view: 0, J }),
    own.proposal("aa", { sealer: 3 }),
  );
  assert.deepEqual(reportsOf(effects), ["badJustification"]);
  assert.deepEqual(shapesOf(effects), []);
});

test("a proposal above view 0 without a justification is refused", () => {
  const node = group().node(2);
  const effects = node.hear(
    node.group.prepare(1, "aa", { view: 1 }),
    node.group.proposal("aa", { sealer: 1 }),
  );
  assert.deepEqual(reportsOf(effects), ["badJustification"]);
  assert.equal(node.state.view, 0);
});

test("a proposal must be the block of the highest lock in its justification", () => {
  const node = group().node(2);
  const lock = node.group.lock("aa", 0, [0, 1, 3]);
  const J = node.group.justification(1, [0, 1, 3], lock);
  const disobedient = node.hear(
    node.group.prepare(1, "bb", { view: 1, J }),
    node.group.proposal("bb", { sealer: 1 }),
  );
  assert.deepEqual(reportsOf(disobedient), ["viewChanged", "disobeysJustification"]);
  // The header of a block that is proposed again keeps the sealer who built it.
  const obedient = node.hear(
    node.group.prepare(1, "aa", { view: 1, J }),
    node.group.proposal("aa", { sealer: 0 }),
  );
  assert.deepEqual(shapesOf(obedient), ["assemble"]);
});

test("an empty proposal cannot pass over a lock", () => {
  const node = group().node(2);
  const lock = node.group.lock("aa", 0, [0, 1, 3]);
  const J = node.group.justification(1, [0, 1, 3], lock);
  const effects = node.hear(
    node.group.prepare(1, "bb", { view: 1, J }),
    node.group.proposal("bb", { sealer: 1, txCount: 0 }),
  );
  assert.deepEqual(reportsOf(effects), ["viewChanged", "disobeysJustification"]);
  assert.equal(node.state.toView, 1);
});

test("an own lock does not stand against a justification without one", () => {
  const node = group().node(1);
  node.signs("aa");
  node.hearAll([2, 3].map((index) => node.group.sign(index, "aa", { view: 0 })));
  assert.equal(node.state.lock?.proposal, blockOf("aa"));
  const J = node.group.justification(2, [0, 2, 3]);
  const effects = node.hear(
    node.group.prepare(2, "bb", { view: 2, J }),
    node.group.proposal("bb", { sealer: 2 }),
  );
  assert.deepEqual(shapesOf(effects), ["assemble"]);
});

test("a leader bound by a lock brings the block together, then proposes it and nothing else", () => {
  const node = group().node(1);
  const lock = node.group.lock("aa", 0, [0, 2, 3]);
  const entered = node.hear({
    type: "viewCertificate",
    height: 0,
    view: 1,
    justification: node.group.justification(1, [0, 2, 3], lock),
  });
  assert.deepEqual(shapesOf(entered), ["assemble"]);
  const missing = node.assembled("aa", false);
  assert.deepEqual(shapesOf(missing), ["requestBody"]);
  const spoken = node.assembled("aa");
  assert.deepEqual(shapesOf(spoken), ["persist", "broadcast prepare", "execute"]);
  assert.equal(node.state.ownPrepare?.proposal, blockOf("aa"));
});

test("a leader bound by a lock refuses a fresh proposal of its sealing side", () => {
  const node = group().node(1);
  const justification = node.group.justification(1, [0, 2, 3], node.group.lock("aa", 0, [0, 2, 3]));
  node.hear({ type: "viewCertificate", height: 0, view: 1, justification });
  const effects = node.effects({
    type: "proposal",
    now: 0,
    view: 1,
    proposal: node.group.proposal("bb", { sealer: 1, parentHash: GENESIS }),
  });
  assert.deepEqual(shapesOf(effects), []);
});
