import assert from "node:assert/strict";
import { test } from "vitest";
import { claimsOf } from "../../../../core/consensus/pbft/message.ts";
import { blockOf, executedOf, Group, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 3, pbft 16.2, pbft 16.3.4, pbft 16.3.5, pbft 16.3.6

const voter = () => new Group(4).node(1);

test("a replica signs what it executed, with record and block on disk first", () => {
  const node = voter();
  node.accept("aa");
  const effects = node.executed();
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast sign"]);
  const [persist] = effects;
  assert.ok(persist?.type === "persist");
  assert.equal(persist.body, blockOf("aa"));
  assert.equal(persist.record.sign?.executed, executedOf("aa"));
});

test("a block that the executor refuses gets no vote", () => {
  const node = voter();
  node.accept("aa");
  assert.deepEqual(shapesOf(node.executed("refused")), []);
});

test("a result with an old token is ignored", () => {
  const node = voter();
  node.accept("aa");
  const token = { height: 1, view: 7, proposal: blockOf("aa") };
  const effects = node.effects({ type: "executed", now: 0, token, executed: executedOf("aa") });
  assert.deepEqual(shapesOf(effects), []);
});

test("Q distinct sign votes make the lock, which is on disk before the commit vote leaves", () => {
  const node = voter();
  node.signs("aa");
  assert.deepEqual(shapesOf(node.hear(node.group.sign(0, "aa", { view: 0 }))), []);
  const effects = node.hear(node.group.sign(2, "aa", { view: 0 }));
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast commit"]);
  const [persist] = effects;
  assert.ok(persist?.type === "persist");
  assert.equal(persist.record.lock?.proposal, blockOf("aa"));
  assert.equal(persist.record.lock?.certificate.length, 3);
});

test("a quorum of sign votes that came first waits for the own execution", () => {
  const node = voter();
  const { group } = node;
  node.hearAll([0, 2, 3].map((index) => group.sign(index, "aa", { view: 0 })));
  node.accept("aa");
  assert.deepEqual(shapesOf(node.executed()), ["persist", "broadcast sign", "broadcast commit"]);
});

test("a sealer that signs several times in different ink is counted once", () => {
  const node = voter();
  node.signs("aa");
  for (let copy = 0; copy < 3; copy++) {
    const effects = node.hear(node.group.sign(0, "aa", { view: 0 }));
    assert.deepEqual(shapesOf(effects), []);
  }
  assert.equal(node.state.lock, undefined);
});

test("a second, different vote of a sealer is evidence and does not count", () => {
  const node = voter();
  node.signs("aa");
  node.hear(node.group.sign(0, "bb", { view: 0 }));
  const effects = node.hear(node.group.sign(0, "aa", { view: 0 }));
  assert.deepEqual(reportsOf(effects), ["equivocation", "secondVote"]);
  assert.equal(node.state.signs.get(0)?.proposal, blockOf("bb"));
});

test("a vote under another sealer's index is refused", () => {
  const node = voter();
  const vote = { ...node.group.sign(0, "aa", { view: 0 }), index: 2 };
  assert.deepEqual(reportsOf(node.hear(vote)), ["otherSigner"]);
});

test("a vote of a node that is not a sealer is refused", () => {
  const node = voter();
  assert.deepEqual(reportsOf(node.hear(node.group.sign(7, "aa", { view: 0 }))), ["otherSigner"]);
});

test("Q votes for another result of the same block stop the group on this node", () => {
  const node = voter();
  node.signs("aa");
  const other = executedOf("dd");
  const heard = [0, 2, 3].flatMap((index) =>
    node.hear(node.group.sign(index, "aa", { view: 0 }, other)),
  );
  const stop = heard.find((effect) => effect.type === "stopGroup");
  assert.equal(stop?.reason, "executionDiffers");
  assert.equal(stop.certified, other);
  assert.deepEqual(node.tick(10_000), []);
});

test("a sign vote for another result of the same block is not one of the Q of a lock", () => {
  const node = voter();
  node.signs("aa");
  const other = executedOf("dd");
  const heard = [
    ...node.hear(node.group.sign(0, "aa", { view: 0 })),
    ...node.hear(node.group.sign(2, "aa", { view: 0 }, other)),
  ];
  assert.deepEqual(shapesOf(heard), []);
  const effects = node.hear(node.group.sign(3, "aa", { view: 0 }));
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast commit"]);
  const certified = node.state.lock?.certificate.map(({ index }) => index);
  assert.deepEqual(certified?.toSorted(), [0, 1, 3]);
});

test("a commit vote for another result of the same block decides nothing", () => {
  const node = voter();
  node.signs("aa");
  node.hearAll([0, 3].map((index) => node.group.sign(index, "aa", { view: 0 })));
  const heard = [
    ...node.hear(node.group.commit(0, "aa", { view: 0 })),
    ...node.hear(node.group.commit(2, "aa", { view: 0 }, executedOf("dd"))),
  ];
  assert.deepEqual(shapesOf(heard), []);
  const effects = node.hear(node.group.commit(3, "aa", { view: 0 }));
  const write = effects.find((effect) => effect.type === "write");
  assert.deepEqual(
    write?.seals.map(({ index }) => index),
    [0, 1, 3],
  );
  assert.equal(write?.executed, executedOf("aa"));
});

test("one vote for another result next to a quorum of others stops no node", () => {
  const node = voter();
  node.signs("aa");
  node.hearAll([0, 3].map((index) => node.group.sign(index, "aa", { view: 0 })));
  const effects = node.hear(node.group.sign(2, "aa", { view: 0 }, executedOf("dd")));
  assert.deepEqual(shapesOf(effects), []);
  assert.equal(node.state.phase, "prepared");
});

test("a certified result that came before the own execution stops the node without a vote", () => {
  const node = voter();
  node.hearAll([0, 2, 3].map((index) => node.group.sign(index, "aa", { view: 0 }, blockOf("ff"))));
  node.accept("aa");
  const effects = node.executed();
  assert.deepEqual(shapesOf(effects), ["stopGroup"]);
});

test("a node between views counts commit votes but makes none of its own", () => {
  const node = voter();
  node.signs("aa");
  node.tick(3_000);
  const signs = node.hearAll([0, 2, 3].map((index) => node.group.sign(index, "aa", { view: 0 })));
  assert.deepEqual(shapesOf(signs), []);
  assert.equal(node.state.lock, undefined);
  const commits = node.hearAll([0, 2, 3].map((i) => node.group.commit(i, "aa", { view: 0 })));
  assert.deepEqual(shapesOf(commits), ["write"]);
});

test("a node that never saw the proposal writes the block that Q sealers sealed", () => {
  const node = voter();
  const heard = node.hearAll([0, 2, 3].map((i) => node.group.commit(i, "aa", { view: 5 })));
  assert.deepEqual(shapesOf(heard), ["assemble"]);
  const missing = node.assembled("aa", false);
  const [request] = missing;
  assert.ok(request?.type === "requestBody");
  assert.equal(request.to, node.group.sealers[0]);
  node.assembled("aa");
  assert.deepEqual(shapesOf(node.executed()), ["write"]);
});

test("commit votes of different views do not add up", () => {
  const node = voter();
  node.signs("aa");
  const commits = [0, 2, 3].map((index) => node.group.commit(index, "aa", { view: index }));
  assert.deepEqual(shapesOf(node.hearAll(commits)), []);
});

test("a commit vote whose seal another key made is refused", () => {
  const node = voter();
  const [one, other] = [0, 2].map((index) => node.group.commit(index, "aa", { view: 0 }));
  assert.ok(one && other);
  const forged = { ...one, seal: other.seal, sealSigner: other.sealSigner };
  assert.deepEqual(reportsOf(node.hear(forged)), ["otherSigner"]);
});

test("the seals of a block are those of the quorum, in index order", () => {
  const node = voter();
  node.signs("aa");
  const effects = node.hearAll([3, 0, 2].map((i) => node.group.commit(i, "aa", { view: 0 })));
  const write = effects.find((effect) => effect.type === "write");
  assert.deepEqual(
    write?.seals.map(({ index }) => index),
    [0, 2, 3],
  );
});

test("a commit vote asks for two signatures to be verified, a sign vote for one", () => {
  const { group } = voter();
  assert.equal(claimsOf(group.commit(0, "aa", { view: 0 })).length, 2);
  assert.equal(claimsOf(group.sign(0, "aa", { view: 0 })).length, 1);
});

test("a sealer alone decides in one step", () => {
  const node = new Group(1).node(0);
  node.effects({ type: "proposal", now: 0, view: 0, proposal: node.group.proposal("aa") });
  assert.deepEqual(shapesOf(node.executed()), [
    "persist",
    "broadcast sign",
    "broadcast commit",
    "write",
  ]);
});

test("sign votes of a later view wait for that view", () => {
  const node = voter();
  const { group } = node;
  node.hearAll([0, 2, 3].map((index) => group.sign(index, "aa", { view: 2 })));
  assert.equal(node.state.signs.size, 0);
  const justification = group.justification(2, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view: 2, justification });
  assert.equal(node.state.signs.size, 3);
});
