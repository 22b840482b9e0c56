/** What a sealer passes on, and what it makes of what came through others. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Message } from "../../../../core/consensus/pbft/message.ts";
import { mayPassOn } from "../../../../core/consensus/pbft/passable.ts";
import { reachableSealers } from "../../../../core/consensus/pbft/decision.ts";
import { Group, type Node, reportsOf } from "./group.ts";

// rules: pbft 11

const AT = { height: 0, view: 0, toView: 0 } as const;

/** Sealer 1 of four at the first height, and its group. */
function place(): { readonly node: Node; readonly group: Group } {
  const group = new Group(4);
  return { node: group.node(1), group };
}

/** What comes from a sealer through another one. */
function passed(node: Node, message: Exclude<Message, { type: "viewCertificate" }>, via: number) {
  const carrier = node.state.config.sealers[via];
  assert.ok(carrier);
  const from = message.signer;
  return node.effects({ type: "message", now: node.now, from, via: carrier, message });
}

test("votes, statuses, and what proves itself are passed on", () => {
  const { node, group } = place();
  const lock = group.lock("aa", 0, [0, 2, 3]);
  const J = group.justification(1, [0, 2, 3]);
  const good: readonly Message[] = [
    group.status(3, AT),
    group.prepare(0, "aa", { view: 0 }),
    group.prepare(1, "aa", { view: 1, J }),
    group.sign(3, "aa", { view: 0 }),
    group.commit(3, "aa", { view: 0 }),
    group.viewChange(3, 1),
    group.viewChange(3, 1, lock),
    { type: "viewCertificate", height: 0, view: 1, justification: J },
    group.sign(3, "aa", { view: 0, height: 2 }),
  ];
  for (const message of good) assert.ok(mayPassOn(node.state, message), message.type);
});

test("what is another one's, too old, too far ahead or unproven is not", () => {
  const { node, group } = place();
  const sign = group.sign(3, "aa", { view: 0 });
  const J = group.justification(1, [0, 2]);
  const lock = group.lock("aa", 0, [0, 2]);
  const bad: readonly Message[] = [
    { ...sign, index: 2 },
    group.sign(3, "aa", { view: 0, height: 4 }),
    group.prepare(1, "aa", { view: 1, J }),
    group.prepare(1, "aa", { view: 1, height: 2, J: group.justification(1, [0, 2, 3]) }),
    group.viewChange(3, 1, lock),
    { type: "viewCertificate", height: 0, view: 1, justification: J },
    { type: "viewCertificate", height: 1, view: 1, justification: J },
  ];
  for (const message of bad) assert.ok(!mayPassOn(node.state, message), JSON.stringify(message));
  node.state.height = 20;
  assert.ok(!mayPassOn(node.state, group.status(3, { ...AT, height: 10 })));
  assert.ok(mayPassOn(node.state, group.status(3, { ...AT, height: 11 })));
});

test("a status that came through another sealer is answered to its author", () => {
  const { node, group } = place();
  node.signs("aa");
  node.tick(1_000);
  const effects = passed(node, group.status(3, AT), 2);
  const answers = effects.flatMap((effect) => (effect.type === "send" ? [effect] : []));
  assert.deepEqual(
    answers.map(({ to, message }) => [to, message.type]),
    [[node.state.config.sealers[3], "sign"]],
  );
});

test("what was passed on of a sealer with a session does not stand for it", () => {
  const { node, group } = place();
  const from = node.state.config.sealers[3];
  assert.ok(from);
  node.effects({ type: "peersChanged", now: 0, connected: [from] });
  passed(node, group.status(3, { ...AT, height: 7 }), 2);
  assert.equal(node.state.peers.get(from)?.height, 0);
});

test("a proof that does not hold is held against the node that passed it on", () => {
  const { node, group } = place();
  const lock = group.lock("aa", 0, [0, 2]);
  const effects = passed(node, group.viewChange(3, 1, lock), 2);
  const carrier = node.state.config.sealers[2];
  const blamed = effects.flatMap((effect) =>
    effect.type === "report" && effect.report.event === "ignored" ? [effect.report] : [],
  );
  assert.deepEqual(
    blamed.map(({ from, reason }) => [from, reason]),
    [[carrier, "badLock"]],
  );
});

test("an index of another list is held against no node", () => {
  const { node, group } = place();
  const sign = { ...group.sign(3, "aa", { view: 0 }), index: 2 };
  assert.match(JSON.stringify(reportsOf(passed(node, sign, 2))), /notSealer/);
});

test("sealers that are heard through others count as in reach, for a while", () => {
  const { node, group } = place();
  const { state } = node;
  state.failedViews = 5;
  assert.equal(reachableSealers(state, 0), 1);
  for (const index of [0, 3]) passed(node, group.status(index, AT), 2);
  assert.equal(reachableSealers(state, 0), 3);
  assert.equal(state.failedViews, 0);
  assert.equal(reachableSealers(state, 60_000), 1);
});
