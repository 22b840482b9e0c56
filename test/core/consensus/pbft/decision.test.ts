import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { SyncedBlock } from "../../../../core/consensus/exchange.ts";
import type { Message } from "../../../../core/consensus/pbft/message.ts";
import { VIEW_WINDOW } from "../../../../core/consensus/pbft/state.ts";
import { nodeId } from "../../../simulation/workload.ts";
import { blockOf, executedOf, Group, type Node, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 8, pbft 16.1, pbft 16.3.1, pbft 16.3.5, pbft 16.3.9, pbft 16.3.10

const voter = () => new Group(4).node(1);

/** Writes block `aa` at height 1; the list stays unless another is given. */
function write(node: Node, sealers: readonly NodeId[] = node.group.sealers) {
  const config = { ...node.config(), sealers };
  return node.effects({
    type: "written",
    now: node.now,
    height: 1,
    hash: executedOf("aa"),
    config,
  });
}

/** Block 1 with seals of those sealers. */
function block(group: Group, indexes: readonly number[], changes = {}): SyncedBlock {
  const seals = indexes.map((index) => {
    const { seal, sealSigner } = group.commit(index, "aa", { view: 0 });
    return { index, signature: seal, signer: sealSigner };
  });
  return { proposal: group.proposal("aa", changes), executed: executedOf("aa"), seals };
}

/** A peer one block ahead has reported it, and the node has asked it. */
function behind(): Node {
  const node = voter();
  node.hear(node.group.status(2, { height: 1, view: 0, toView: 0 }));
  node.tick(500);
  return node;
}

test("after a block everything starts over one height up, at view 0", () => {
  const node = voter();
  node.tick(3_000);
  const effects = write(node);
  assert.deepEqual(reportsOf(effects), ["committed"]);
  const { height, view, toView, failedViews, head } = node.state;
  assert.deepEqual([height, view, toView, failedViews], [1, 0, 0, 0]);
  assert.equal(head, executedOf("aa"));
  // Leader of (height 1, view 0) is node 1.
  assert.deepEqual(shapesOf(effects), ["propose"]);
});

test("a block that was written before changes nothing", () => {
  const node = voter();
  write(node);
  assert.deepEqual(write(node), []);
});

test("a block from outside cancels what was executing", () => {
  const node = voter();
  node.accept("bb");
  assert.deepEqual(shapesOf(write(node)), ["cancelExecution", "propose"]);
});

test("list, index and quorum are those of the block just written", () => {
  const node = voter();
  write(node, [nodeId(1), nodeId(2), nodeId(3), nodeId(4), nodeId(5), nodeId(6), nodeId(7)]);
  assert.deepEqual([node.state.index, node.state.quorum, node.state.maxFaulty], [0, 5, 2]);
});

test("a sealer that a block removed is an observer: it neither votes nor times out", () => {
  const node = voter();
  write(node, [nodeId(0), nodeId(2), nodeId(3)]);
  assert.deepEqual(shapesOf(node.tick(100_000)), []);
  const prepare = node.group.prepare(0, "bb", { view: 0, height: 2 });
  assert.deepEqual(reportsOf(node.hear(prepare, node.group.proposal("bb"))), ["observer"]);
});

test("votes for the next height wait until its block is written, under the list in force then", () => {
  const node = voter();
  node.hearAll([0, 2, 3].map((index) => node.group.commit(index, "bb", { view: 0, height: 2 })));
  const decided = () => node.state.decision?.proposal;
  assert.equal(decided(), undefined);
  write(node);
  assert.equal(decided(), blockOf("bb"));
});

test("a vote kept for the next height is dropped when its sealer has left the list", () => {
  const node = voter();
  node.hearAll([0, 2, 3].map((index) => node.group.commit(index, "bb", { view: 0, height: 2 })));
  write(node, [nodeId(1), nodeId(2), nodeId(3), nodeId(4)]);
  assert.equal(node.state.decision, undefined);
});

test("of votes for later, the first per kind, height, view and sealer is kept, within the window", () => {
  const node = voter();
  const { group } = node;
  const kept = (message: Message): number => {
    node.hear(message);
    return node.state.future.size;
  };
  assert.equal(kept(group.sign(2, "aa", { view: 0, height: 2 })), 1);
  assert.equal(kept(group.sign(2, "bb", { view: 0, height: 2 })), 1);
  assert.equal(kept(group.commit(2, "bb", { view: 0, height: 2 })), 2);
  assert.equal(kept(group.sign(3, "bb", { view: 0, height: 2 })), 3);
  assert.equal(kept(group.sign(2, "bb", { view: 1 })), 4);
  assert.equal(kept(group.sign(3, "bb", { view: VIEW_WINDOW })), 5);
  assert.equal(kept(group.sign(3, "bb", { view: VIEW_WINDOW + 1 })), 5);
});

test("votes two heights ahead are dropped", () => {
  const node = voter();
  const effects = node.hear(node.group.commit(0, "bb", { view: 0, height: 3 }));
  assert.deepEqual(reportsOf(effects), ["tooFarAhead"]);
});

test("a sealer one block behind waits for its own votes before it asks for the block", () => {
  const node = voter();
  node.hear(node.group.status(2, { height: 1, view: 0, toView: 0 }));
  assert.deepEqual(shapesOf(node.tick(399)), []);
  const effects = node.tick(400);
  assert.deepEqual(shapesOf(effects), ["requestBlock"]);
});

test("a node two blocks behind asks at the next tick", () => {
  const node = voter();
  node.hear(node.group.status(2, { height: 2, view: 0, toView: 0 }));
  assert.deepEqual(shapesOf(node.tick(0)), ["requestBlock"]);
});

test("another peer is asked when the first does not answer", () => {
  const node = behind();
  node.hear(node.group.status(3, { height: 1, view: 0, toView: 0 }));
  const effects = node.tick(2_600);
  const ask = effects.find((effect) => effect.type === "requestBlock");
  assert.equal(ask?.to, nodeId(3));
});

test("a block sealed by Q sealers is executed and written with those seals", () => {
  const node = behind();
  const from = nodeId(2);
  const heard = node.effects({
    type: "block",
    now: 600,
    from,
    block: block(node.group, [0, 2, 3]),
  });
  assert.deepEqual(shapesOf(heard), ["assemble"]);
  assert.deepEqual(shapesOf(node.assembled("aa")), ["execute"]);
  const effects = node.executed();
  assert.deepEqual(shapesOf(effects), ["write"]);
});

const FORGED = [
  { name: "a seal too few", seals: [0, 2], changes: {}, reason: "badSeals" },
  { name: "a seal twice", seals: [0, 2, 2], changes: {}, reason: "badSeals" },
  { name: "another sealer list", seals: [0, 2, 3], changes: { sealers: [] }, reason: "badSeals" },
  {
    name: "another parent",
    seals: [0, 2, 3],
    changes: { parentHash: blockOf("cc") },
    reason: "wrongParent",
  },
  { name: "another number", seals: [0, 2, 3], changes: { number: 2 }, reason: "stale" },
] as const;
for (const { name, seals, changes, reason } of FORGED) {
  test(`a block from a peer with ${name} is refused`, () => {
    const node = behind();
    const forged = block(node.group, seals, changes);
    const effects = node.effects({ type: "block", now: 600, from: nodeId(2), block: forged });
    assert.deepEqual(reportsOf(effects), [reason]);
    assert.equal(node.state.decision, undefined);
  });
}

test("a sealed block that executes to another hash here stops the group on this node", () => {
  const node = behind();
  const sealed = block(node.group, [0, 2, 3]);
  node.effects({ type: "block", now: 600, from: nodeId(2), block: sealed });
  node.assembled("aa");
  assert.deepEqual(shapesOf(node.executed(executedOf("bb"))), ["stopGroup"]);
});

test("a sealed block that the executor refuses stops the group on this node", () => {
  const node = behind();
  const sealed = block(node.group, [0, 2, 3]);
  node.effects({ type: "block", now: 600, from: nodeId(2), block: sealed });
  node.assembled("aa");
  assert.deepEqual(shapesOf(node.executed("refused")), ["stopGroup"]);
});

test("a proposal that was refused before it was decided is executed once it is", () => {
  const node = behind();
  node.accept("aa");
  assert.deepEqual(shapesOf(node.executed("refused")), []);
  const sealed = block(node.group, [0, 2, 3]);
  const input = { type: "block", now: 600, from: nodeId(2), block: sealed } as const;
  assert.deepEqual(shapesOf(node.effects(input)), ["execute"]);
  assert.deepEqual(shapesOf(node.executed()), ["write"]);
});

test("a proposal that was refused is executed once a quorum has locked it", () => {
  const node = behind();
  node.accept("aa");
  node.executed("refused");
  const { group } = node;
  node.tick(4_000);
  const justification = group.justification(1, [0, 2, 3], group.lock("aa", 0, [0, 2, 3]));
  const prepare = group.prepare(1, "aa", { view: 1, J: justification });
  const certificate = { type: "viewCertificate", height: 0, view: 1, justification } as const;
  assert.ok(shapesOf(node.hear(certificate)).length > 0);
  const heard = node.hear(prepare, group.proposal("aa"));
  assert.ok([...heard].some(({ type }) => type === "execute") || node.state.work?.wasBound);
});

test("one that is refused also then stops the group on this node", () => {
  const node = behind();
  node.accept("aa");
  node.executed("refused");
  const sealed = block(node.group, [0, 2, 3]);
  node.effects({ type: "block", now: 600, from: nodeId(2), block: sealed });
  assert.deepEqual(shapesOf(node.executed("refused")), ["stopGroup"]);
});

test("an observer follows by asking for blocks and never speaks in a round", () => {
  const node = new Group(4).node(6);
  assert.deepEqual(shapesOf(node.started), []);
  node.hear(node.group.status(2, { height: 1, view: 0, toView: 0 }));
  assert.deepEqual(shapesOf(node.tick(10)), ["requestBlock"]);
});
