/** A sealer that meets own messages that it does not know: its store is older than its votes. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { SyncedBlock, VotingRole } from "../../../../core/consensus/exchange.ts";
import { recordOf } from "../../../../core/consensus/pbft/state.ts";
import { pbftStatus } from "../../../../core/consensus/pbft/status.ts";
import { executedOf, Group, type Node, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 16.2

const SELF = 1;
const voter = () => new Group(4).node(SELF);
const speaks = (effects: Parameters<typeof shapesOf>[0]) =>
  shapesOf(effects).filter((shape) => /prepare|sign|commit|viewChange/.test(shape));

function block({ group }: Node, name: string, indexes: readonly number[]): SyncedBlock {
  const seals = indexes.map((index) => {
    const { seal, sealSigner } = group.commit(index, name, { view: 0 });
    return { index, signature: seal, signer: sealSigner };
  });
  return { proposal: group.proposal(name), executed: executedOf(name), seals };
}

function takeBlock(node: Node, name: string, indexes: readonly number[]) {
  const [from] = node.group.sealers;
  assert.ok(from);
  return node.effects({ type: "block", now: node.now, from, block: block(node, name, indexes) });
}

function setVotingRole(
  node: Node,
  votingRole: VotingRole | undefined,
  record = recordOf(node.state),
) {
  return node.effects({
    type: "votingRole",
    now: node.now,
    config: { ...node.config(), votingRole },
    record,
  });
}

/** The node takes part in nothing until it may speak. */
function assertSilent(node: Node): void {
  assert.deepEqual(speaks(node.tick(node.now + 10_000)), []);
  const { accountType, cfgErr } = pbftStatus(node.state);
  assert.deepEqual([accountType, cfgErr], [0, true]);
}

test("a block with an own seal that was never given makes the node abstain, and is written", () => {
  const node = voter();
  const effects = [...takeBlock(node, "aa", [0, 1, 2]), ...node.assembled("aa")];
  assert.deepEqual(reportsOf(effects), ["lostVote"]);
  assert.deepEqual(shapesOf(node.executed()), ["write"]);
  assertSilent(node);
});

test("a block without an own seal, or with one that was given, is no news", () => {
  assert.deepEqual(reportsOf(takeBlock(voter(), "aa", [0, 2, 3])), []);
  const node = voter();
  node.signs("aa");
  node.hearAll([0, 2].map((index) => node.group.sign(index, "aa", { view: 0 })));
  assert.equal(node.state.ownCommit?.executed, executedOf("aa"));
  assert.deepEqual(reportsOf(takeBlock(node, "aa", [0, 1, 2])), []);
});

test("a justification with an own view change that was never made makes the node abstain", () => {
  const node = voter();
  const justification = node.group.justification(3, [0, 1, 2]);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  assert.deepEqual(reportsOf(effects), ["lostVote"]);
  assert.equal(node.state.view, 0);
  assertSilent(node);
});

test("a certificate with an own signature that was never given makes the node abstain", () => {
  for (const message of [
    (group: Group) => group.viewChange(2, 4, group.lock("aa", 3, [0, 1, 2])),
    (group: Group) =>
      group.prepare(2, "aa", {
        view: 2,
        J: group.justification(2, [0, 2, 3], group.lock("aa", 0, [0, 1, 3])),
      }),
  ]) {
    const node = voter();
    assert.deepEqual(reportsOf(node.hear(message(node.group))), ["lostVote"]);
    assertSilent(node);
  }
});

test("an abstaining sealer looks for lost messages too, and is silent when it may speak", () => {
  const sealed = (node: Node) => takeBlock(node, "aa", [0, 1, 2]);
  const certified = (node: Node) => {
    const justification = node.group.justification(3, [0, 1, 2]);
    return node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  };
  const locked = ({ group }: Node) => group.viewChange(2, 4, group.lock("aa", 3, [0, 1, 2]));
  for (const meet of [sealed, certified, (node: Node) => node.hear(locked(node))]) {
    const node = voter();
    setVotingRole(node, "muted");
    assertSilent(node);
    const reports = reportsOf(meet(node));
    assert.ok(reports.includes("lostVote"), reports.join());
    // The group's abstention is on disk now: that is what it gets when it is heard again.
    assert.deepEqual(speaks(setVotingRole(node, "silent")), []);
    assertSilent(node);
  }
});

test("what an abstaining sealer has sent before is no news to it", () => {
  const node = voter();
  node.signs("aa");
  node.hearAll([0, 2].map((index) => node.group.sign(index, "aa", { view: 0 })));
  setVotingRole(node, "muted");
  const lock = node.group.lock("aa", 0, [0, 1, 2]);
  assert.ok(!reportsOf(node.hear(node.group.viewChange(2, 1, lock))).includes("lostVote"));
  assert.deepEqual(reportsOf(takeBlock(node, "aa", [0, 1, 2])), []);
});

test("lost messages that are heard while a block is written make the node abstain above it", () => {
  const node = voter();
  node.signs("aa");
  node.hearAll([0, 2].map((index) => node.group.sign(index, "aa", { view: 0 })));
  node.hearAll([0, 2].map((index) => node.group.commit(index, "aa", { view: 0 })));
  assert.equal(node.state.decision?.writing, true);
  const justification = node.group.justification(3, [0, 1, 2]);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  assert.deepEqual(
    reportsOf(effects).filter((event) => event !== "ignored"),
    ["lostVote"],
  );
  // The report waits behind the write, which brings the former voting role with it.
  const written = { type: "written", now: 0, height: 1, hash: executedOf("aa") } as const;
  node.effects({ ...written, config: node.config() });
  setVotingRole(node, "silent");
  assertSilent(node);
});

test("own messages that the record holds are no news", () => {
  const node = voter();
  node.signs("aa");
  node.tick(3_000);
  assert.equal(node.state.toView, 1);
  const { group } = node;
  const lock = group.lock("aa", 0, [0, 1, 2]);
  assert.deepEqual(reportsOf(node.hear(group.viewChange(2, 1, lock))), []);
  const justification = group.justification(1, [0, 1, 2], lock);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 1, justification });
  assert.ok(!reportsOf(effects).includes("lostVote"));
  assert.equal(node.state.view, 1);
});

test("messages for another height or another head are no news", () => {
  const node = voter();
  const { group } = node;
  const own = group.viewChange(1, 3);
  for (const item of [
    { ...own, height: 7 },
    { ...own, head: executedOf("bb") },
  ]) {
    const message = { type: "viewCertificate", height: 0, view: 3, justification: [item] } as const;
    assert.ok(!reportsOf(node.hear(message)).includes("lostVote"));
  }
});

test("what the operator has confirmed is no news", () => {
  const node = voter();
  takeBlock(node, "aa", [0, 1, 2]);
  const config = { ...node.config(), votingRole: "confirmed" as const };
  node.effects({ type: "written", now: 0, height: 1, hash: executedOf("aa"), config });
  assert.equal(pbftStatus(node.state).accountType, 1);
  const lock = node.group.lock("bb", 0, [0, 1, 2]);
  const message = { ...node.group.viewChange(2, 1, lock), height: 1, head: executedOf("aa") };
  assert.deepEqual(reportsOf(node.hear(message)), []);
});

test("a node that was silent from the start continues from its record when it may speak", () => {
  const before = voter();
  before.signs("aa");
  const record = recordOf(before.state);
  const silent = new Group(4).node(SELF);
  takeAbstention(silent);
  assert.deepEqual(speaks(setVotingRole(silent, "silent", record)), []);
  assert.deepEqual(speaks(setVotingRole(silent, "confirmed", record)), ["broadcast sign"]);
  assert.equal(silent.state.ownSign?.proposal, before.state.ownSign?.proposal);
});

/** As a start with a silent configuration. */
function takeAbstention(node: Node): void {
  const justification = node.group.justification(3, [0, 1, 2]);
  node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
}

test("a node that fell silent within a height keeps its view and messages when it may speak", () => {
  const node = voter();
  node.signs("aa");
  node.tick(3_000);
  const words = recordOf(node.state);
  const justification = node.group.justification(3, [0, 1, 2]);
  node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  assertSilent(node);
  setVotingRole(node, "confirmed", undefined);
  assert.deepEqual(recordOf(node.state), words);
});
