/** What each phase does with each event: what is ignored, what is left, what ends. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "vitest";
import type { VotingRole } from "../../../../core/consensus/exchange.ts";
import type { Lock, Message } from "../../../../core/consensus/pbft/message.ts";
import { type PbftPhase, recordOf } from "../../../../core/consensus/pbft/state.ts";
import { PBFT_TESTED } from "../../../simulation/rows/pbft.ts";
import { refuseUndeclared, remember } from "../../../simulation/rows/rows.ts";
import { blockOf, executedOf, Group, type Node, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 14, pbft 16.3

let restore: () => void = () => undefined;
beforeEach(() => {
  restore = remember(PBFT_TESTED);
  refuseUndeclared(PBFT_TESTED);
});
afterEach(() => restore());

const OTHER = executedOf("dd");

function takeBlock(node: Node) {
  const { group } = node;
  const seals = [0, 2, 3].map((index) => {
    const { seal, sealSigner } = group.commit(index, "aa", { view: 0 });
    return { index, signature: seal, signer: sealSigner };
  });
  const [from] = group.sealers;
  assert.ok(from);
  const block = { proposal: group.proposal("aa"), executed: executedOf("aa"), seals };
  return node.effects({ type: "block", now: node.now, from, block });
}

const WAYS: Readonly<Record<Exclude<PbftPhase, "stopped">, (node: Node) => unknown>> = {
  observer: () => undefined,
  idle: () => undefined,
  prePrepared: (node) => node.signs("aa"),
  prepared(node) {
    node.signs("aa");
    node.hearAll([0, 2].map((index) => node.group.sign(index, "aa", { view: 0 })));
  },
  viewChanging: (node) => node.tick(3_000),
  committed(node) {
    WAYS.prepared(node);
    node.hearAll([0, 2].map((index) => node.group.commit(index, "aa", { view: 0 })));
  },
  catchingUp: takeBlock,
};

/** A node of four sealers in a phase; an observer is none of them. */
function inPhase(phase: keyof typeof WAYS): Node {
  const node = new Group(4).node(phase === "observer" ? 4 : 1);
  WAYS[phase](node);
  assert.equal(node.state.phase, phase);
  return node;
}

function setVotingRole(node: Node, votingRole: VotingRole) {
  const config = { ...node.config(), votingRole };
  return node.effects({ type: "votingRole", now: node.now, config, record: recordOf(node.state) });
}

/** The same with another result, as if Q sealers had signed it. */
function otherLock(group: Group): Lock {
  const certificate = [0, 2, 3].map((index) => {
    const { signature, signer } = group.sign(index, "aa", { view: 0 }, OTHER);
    return { index, signature, signer };
  });
  return { view: 0, proposal: blockOf("aa"), executed: OTHER, certificate };
}

function messagesOf(group: Group): readonly Message[] {
  return [
    group.prepare(0, "aa", { view: 0 }),
    group.sign(3, "aa", { view: 0 }),
    group.commit(3, "aa", { view: 0 }),
    group.viewChange(3, 1),
    {
      type: "viewCertificate",
      height: 0,
      view: 1,
      justification: group.justification(1, [0, 2, 3]),
    },
  ];
}

test("an observer ignores every message of a round", () => {
  const node = inPhase("observer");
  for (const message of messagesOf(node.group))
    assert.deepEqual(reportsOf(node.hear(message)), ["observer"], message.type);
});

for (const phase of ["committed", "catchingUp"] as const) {
  test(`a ${phase} sealer needs no vote any more; it learns of view changes`, () => {
    const node = inPhase(phase);
    for (const message of messagesOf(node.group)) {
      const expected = message.type === "viewChange" ? [] : ["decided"];
      assert.deepEqual(reportsOf(node.hear(message)), expected, message.type);
    }
  });

  test(`a ${phase} sealer that falls silent goes on, but receives nothing of the round`, () => {
    const node = inPhase(phase);
    assert.deepEqual(setVotingRole(node, "silent"), []);
    for (const message of messagesOf(node.group))
      assert.deepEqual(reportsOf(node.hear(message)), ["observer"], message.type);
    assert.equal(node.state.phase, phase);
  });

  test(`a ${phase} sealer is not given another block`, () => {
    const node = inPhase(phase);
    if (phase === "catchingUp") node.assembled("aa");
    assert.deepEqual(reportsOf(takeBlock(node)), ["stale"]);
    assert.equal(node.state.phase, phase);
  });
}

test("a final block that no node hands out is taken from a peer that has it", () => {
  const node = inPhase("idle");
  node.hearAll([0, 2, 3].map((index) => node.group.commit(index, "aa", { view: 0 })));
  node.assembled("aa", false);
  assert.equal(node.state.phase, "committed");
  assert.deepEqual(shapesOf(takeBlock(node)), ["assemble"]);
  assert.equal(node.state.phase, "committed");
});

for (const phase of ["idle", "prePrepared", "prepared", "viewChanging"] as const) {
  test(`a sealer that is ${phase} joins more than f others, and enters with Q`, () => {
    const node = inPhase(phase);
    const { group } = node;
    node.hearAll([group.viewChange(0, 5), group.viewChange(2, 3)]);
    assert.deepEqual([node.state.phase, node.state.toView], ["viewChanging", 3]);
    node.hearAll([group.viewChange(0, 3)]);
    assert.deepEqual([node.state.phase, node.state.view], ["idle", 3]);
  });

  test(`a sealer that is ${phase} falls silent when it is told to`, () => {
    const node = inPhase(phase);
    setVotingRole(node, "confirmed");
    assert.equal(node.state.phase, phase);
    setVotingRole(node, "muted");
    assert.equal(node.state.phase, "observer");
    assert.deepEqual(shapesOf(node.tick(node.now + 10_000)), []);
    setVotingRole(node, "confirmed");
    assert.equal(node.state.phase, phase);
  });
}

for (const phase of ["prePrepared", "prepared"] as const) {
  test(`a sealer that is ${phase} goes on after a restart, and knows its proposal again`, () => {
    const { group, state } = inPhase(phase);
    const again = group.node(1, recordOf(state));
    assert.equal(again.state.phase, phase);
    const heard = again.hear(group.prepare(0, "aa", { view: 0 }), group.proposal("aa"));
    assert.deepEqual(reportsOf(heard), []);
    const second = again.hear(group.prepare(0, "bb", { view: 0 }), group.proposal("bb"));
    assert.deepEqual(reportsOf(second), ["equivocation", "secondProposal"]);
  });

  test(`a sealer that was ${phase} stops when the block executes otherwise after a restart`, () => {
    const { group, state } = inPhase(phase);
    const again = group.node(1, recordOf(state));
    again.assembled("aa");
    assert.deepEqual(shapesOf(again.executed(OTHER)), ["stopGroup"]);
    assert.equal(again.state.phase, "stopped");
    assert.deepEqual(again.tick(10_000), []);
  });

  test(`a lock for another result stops a sealer that is ${phase}, not one that is no vote`, () => {
    const node = inPhase(phase);
    const { group } = node;
    const uncounted = { ...group.viewChange(2, 1, otherLock(group)), head: blockOf("cc") };
    assert.deepEqual(reportsOf(node.hear(uncounted)), ["otherHead"]);
    const effects = node.hear(group.viewChange(2, 1, otherLock(group)));
    assert.deepEqual(shapesOf(effects), ["stopGroup"]);
    assert.equal(node.state.phase, "stopped");
  });

  test(`a view that stands on another result stops a sealer that is ${phase}`, () => {
    const node = inPhase(phase);
    const justification = node.group.justification(1, [0, 2, 3], otherLock(node.group));
    const effects = node.hear({ type: "viewCertificate", height: 0, view: 1, justification });
    assert.deepEqual(shapesOf(effects), ["stopGroup"]);
    assert.equal(node.state.phase, "stopped");
  });
}

test("a block that was written already is no news", () => {
  const node = inPhase("committed");
  const hash = executedOf("aa");
  const written = { type: "written", now: 0, height: 1, hash, config: node.config() } as const;
  node.effects(written);
  assert.equal(node.state.phase, "idle");
  assert.deepEqual(node.effects(written), []);
});

test("a sealer helps a peer whose message is old, an observer does not", () => {
  for (const [phase, expected] of [
    ["idle", 1],
    ["observer", 0],
  ] as const) {
    const node = inPhase(phase);
    const [from] = node.group.sealers;
    assert.ok(from);
    node.effects({ type: "peersChanged", now: 0, connected: [from] });
    const effects = node.effects({ type: "stale", now: 0, from });
    assert.equal(effects.filter(({ type }) => type === "send").length, expected);
  }
});

test("an observer that is told to keep quiet says nothing", () => {
  assert.deepEqual(setVotingRole(inPhase("observer"), "silent"), []);
});
