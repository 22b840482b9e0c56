import assert from "node:assert/strict";
import { test } from "vitest";
import type { Effect } from "../../../../core/consensus/pbft/effect.ts";
import { recordOf } from "../../../../core/consensus/pbft/state.ts";
import { pbftStatus } from "../../../../core/consensus/pbft/status.ts";
import { nodeId } from "../../../simulation/workload.ts";
import { blockOf, executedOf, Group, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 12, pbft 16.1, pbft 16.2, pbft 16.3.8, pbft 16.3.9, pbft 16.5

const voter = () => new Group(4).node(1);
const statuses = (effects: readonly Effect[]) =>
  effects.filter(
    (e) => (e.type === "broadcast" || e.type === "send") && e.message.type === "status",
  );

test("status goes out at the start and once per second", () => {
  const node = voter();
  assert.equal(statuses(node.started).length, 1);
  assert.equal(statuses(node.tick(999)).length, 0);
  assert.equal(statuses(node.tick(1_000)).length, 1);
});

test("a node that connects is informed where this one stands", () => {
  const node = voter();
  const connected = [nodeId(0), nodeId(2)];
  const effects = node.effects({ type: "peersChanged", now: 0, connected });
  assert.deepEqual(
    statuses(effects).map((effect) => effect.type === "send" && effect.to),
    connected,
  );
  assert.deepEqual(node.effects({ type: "peersChanged", now: 1, connected }), []);
});

test("a status counts only from the node it speaks for", () => {
  const node = voter();
  const message = node.group.status(2, { height: 9, view: 0, toView: 0 });
  const effects = node.effects({ type: "message", now: 0, from: nodeId(3), message });
  assert.deepEqual(reportsOf(effects), ["otherSigner"]);
  assert.equal(node.state.catchUpAt, undefined);
});

test("a peer in an earlier view is sent the justification of this one", () => {
  const node = voter();
  const justification = node.group.justification(3, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  const effects = node.hear(node.group.status(2, { height: 0, view: 1, toView: 1 }));
  assert.deepEqual(shapesOf(effects), ["send viewCertificate"]);
});

test("a vote for a view that is long open is answered with its justification", () => {
  const node = voter();
  const justification = node.group.justification(3, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  node.effects({ type: "peersChanged", now: 0, connected: [nodeId(2)] });
  const effects = node.hear(node.group.viewChange(2, 2));
  assert.deepEqual(shapesOf(effects), ["send viewCertificate"]);
  // Not each one of many.
  assert.deepEqual(shapesOf(node.hear(node.group.viewChange(2, 1))), []);
});

test("a node between views repeats its vote to a peer that does not want more", () => {
  const node = voter();
  node.tick(3_000);
  const same = node.hear(node.group.status(2, { height: 0, view: 0, toView: 1 }));
  assert.deepEqual(shapesOf(same), ["send viewChange"]);
  const further = node.hear(node.group.status(3, { height: 0, view: 0, toView: 2 }));
  assert.deepEqual(shapesOf(further), []);
});

test("a peer in the same view is sent the votes of this view again", () => {
  const node = voter();
  node.signs("aa");
  node.now = 1_000;
  const effects = node.hear(node.group.status(2, { height: 0, view: 0, toView: 0 }));
  assert.deepEqual(shapesOf(effects), ["send sign"]);
});

test("a peer that is behind is told this node's height", () => {
  const node = voter();
  const { group } = node;
  const config = node.config();
  node.effects({ type: "written", now: 0, height: 1, hash: executedOf("aa"), config });
  const effects = node.hear(group.status(2, { height: 0, view: 0, toView: 0 }));
  assert.equal(statuses(effects).length, 1);
});

test("a restarted sealer says the same again, byte for byte, and counts it", () => {
  const node = voter();
  const { group } = node;
  node.signs("aa");
  const said = node.state.ownSign;
  const again = group.node(1, recordOf(node.state));
  const [sign] = again.started.filter((e) => e.type === "broadcast" && e.message.type === "sign");
  assert.ok(sign?.type === "broadcast");
  assert.deepEqual(sign.message, said);
  again.assembled("aa");
  again.executed();
  const effects = group.sealers
    .slice(2)
    .flatMap((_, i) => again.hear(group.sign(i + 2, "aa", { view: 0 })));
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast commit"]);
});

test("a restarted sealer does not sign another block in the same view", () => {
  const node = voter();
  node.signs("aa");
  const again = node.group.node(1, recordOf(node.state));
  assert.deepEqual(reportsOf(again.accept("bb")), ["secondProposal"]);
});

test("a restarted sealer keeps the view it left behind it", () => {
  const node = voter();
  node.tick(3_000);
  const again = node.group.node(1, recordOf(node.state));
  assert.deepEqual(shapesOf(again.started), ["broadcast viewChange"]);
  assert.deepEqual(reportsOf(again.accept("aa")), ["viewChanging"]);
  // Its own vote is counted again: two more open the view.
  again.hearAll([node.group.viewChange(0, 1), node.group.viewChange(2, 1)]);
  assert.equal(again.state.view, 1);
});

test("a restarted leader proposes the same block, not another", () => {
  const group = new Group(4);
  const node = group.node(0);
  node.effects({ type: "proposal", now: 0, view: 0, proposal: group.proposal("aa") });
  const again = group.node(0, recordOf(node.state));
  assert.deepEqual(shapesOf(again.started), ["broadcast prepare", "assemble"]);
  assert.equal(again.state.ownPrepare?.proposal, blockOf("aa"));
});

test("a block that executes differently after a restart stops the node", () => {
  const node = voter();
  node.signs("aa");
  const again = node.group.node(1, recordOf(node.state));
  again.assembled("aa");
  const effects = again.executed(executedOf("bb"));
  assert.deepEqual(shapesOf(effects), ["stopGroup"]);
  // No quorum found otherwise: that reports the program, not of the ledger.
  const stop = effects.find((effect) => effect.type === "stopGroup");
  assert.equal(stop?.reason, "ownSignDiffers");
});

test("a record of another height is ignored", () => {
  const node = voter();
  node.tick(3_000);
  const again = node.group.node(1, { ...recordOf(node.state), height: 2 });
  assert.deepEqual([again.state.view, again.state.toView], [0, 0]);
});

test("the status names view, wanted view and what was learned of others", () => {
  const node = voter();
  node.tick(3_000);
  node.hear(node.group.sign(3, "aa", { view: 0 }));
  const status = pbftStatus(node.state);
  assert.deepEqual(status, {
    kind: "pbft",
    accountType: 1,
    cfgErr: false,
    connectedNodes: 0,
    consensusedBlockNumber: 1,
    currentView: 0,
    toView: 1,
    highestblockHash: node.state.head,
    highestblockNumber: 0,
    leaderFailed: true,
    maxFaulty: 1,
    nodeIndex: 1,
    sealers: node.group.sealers,
    views: [
      { nodeId: nodeId(1), view: 0 },
      { nodeId: nodeId(3), view: 0 },
    ],
  });
});

test("an observer's status says that it is none of the sealers", () => {
  const status = pbftStatus(new Group(4).node(5).state);
  assert.deepEqual([status.accountType, status.cfgErr, status.nodeIndex], [0, true, 65_535]);
  assert.deepEqual(status.views, []);
});

test("an echo of an own message is ignored; messages this node never said show a twin", () => {
  const node = voter();
  node.signs("aa");
  const { ownSign } = node.state;
  assert.ok(ownSign);
  assert.deepEqual(reportsOf(node.hear(ownSign)), ["ownMessage"]);
  const { group } = node;
  const TWINS = [
    group.sign(1, "bb", { view: 0 }),
    group.sign(1, "aa", { view: 1 }),
    group.commit(1, "aa", { view: 0 }),
    group.viewChange(1, 1),
  ];
  for (const words of TWINS) assert.deepEqual(reportsOf(node.hear(words)), ["ownMessage", "twin"]);
  assert.equal(node.state.signs.get(1), ownSign);
});
