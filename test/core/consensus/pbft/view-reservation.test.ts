import assert from "node:assert/strict";
import { test } from "vitest";
import type { Effect } from "../../../../core/consensus/pbft/effect.ts";
import type { ViewChange } from "../../../../core/consensus/pbft/message.ts";
import type { PbftRecord } from "../../../../core/consensus/pbft/record.ts";
import { decodeRecord, encodeRecord } from "../../../../core/consensus/pbft/record-codec.ts";
import { recordOf, VIEW_WINDOW } from "../../../../core/consensus/pbft/state.ts";
import { InvariantFault } from "../../../../core/fault/invariant.ts";
import { GENESIS } from "../../../simulation/workload.ts";
import { Group, type Node, shapesOf } from "./group.ts";

// rules: pbft 16.2, pbft 16.3.6

/** One empty round of a node that does not lead it: the empty proposal, then the others' votes. */
function idle(node: Node): readonly Effect[] {
  const { group, state, index } = node;
  const { view } = state;
  const leader = view % group.sealers.length;
  const J = state.justification;
  const empty = { txCount: 0, sealer: leader };
  const name = (0x10 + view).toString(16);
  const effects =
    leader === index
      ? node.effects({
          type: "proposal",
          now: node.now,
          view,
          proposal: group.proposal(name, empty),
        })
      : node.hear(group.prepare(leader, name, { view, J }), group.proposal(name, empty));
  const others = group.sealers.map((_, i) => i).filter((i) => i !== index);
  return [...effects, ...node.hearAll(others.map((i) => group.viewChange(i, view + 1)))];
}

function recordsIn(effects: readonly Effect[]): readonly PbftRecord[] {
  return effects.flatMap((effect) => (effect.type === "persist" ? [effect.record] : []));
}

function viewChangesIn(effects: readonly Effect[]): readonly ViewChange[] {
  return effects.flatMap((effect) => {
    const isSaid = effect.type === "broadcast" || effect.type === "send";
    return isSaid && effect.message.type === "viewChange" ? [effect.message] : [];
  });
}

/** The last record of a node that has idled this many rounds. */
function idled(rounds: number, perRecord: number): { node: Node; record: PbftRecord } {
  const node = new Group(4).node(1, undefined, perRecord);
  const records: PbftRecord[] = [];
  for (let round = 0; round < rounds; round++) records.push(...recordsIn(idle(node)));
  assert.equal(node.state.view, rounds);
  const record = records.at(-1);
  assert.ok(record);
  return { node, record };
}

test("each empty round has a record of its own unless told otherwise", () => {
  const node = new Group(4).node(1);
  for (let round = 0; round < 8; round++) {
    const [record, ...more] = recordsIn(idle(node));
    assert.deepEqual([record?.toView, more.length], [round + 1, 0]);
  }
});

test("eight empty rounds share a record that gives up the views of all of them", () => {
  const node = new Group(4).node(1, undefined, 8);
  const records: [number, number, number][] = [];
  for (let round = 0; round < 24; round++) {
    const { view } = node.state;
    for (const record of recordsIn(idle(node))) records.push([view, record.view, record.toView]);
  }
  assert.deepEqual(records, [
    [0, 0, 8],
    [8, 8, 16],
    [16, 16, 24],
  ]);
});

test("no vote for a view leaves before a record that gives up everything below it", () => {
  const node = new Group(4).node(1, undefined, 5);
  let reserved = 0;
  for (let round = 0; round < 20; round++) {
    for (const effect of idle(node)) {
      if (effect.type === "persist") reserved = effect.record.toView;
      const isVote = effect.type === "broadcast" && effect.message.type === "viewChange";
      if (isVote) assert.ok(effect.message.view <= reserved);
    }
  }
});

test("a sign vote takes the rest of the reservation back: the node begins again where it voted", () => {
  const { node } = idled(3, 8);
  const { group } = node;
  const prepare = group.prepare(3, "aa", { view: 3, J: node.state.justification });
  node.hear(prepare, group.proposal("aa", { sealer: 3 }));
  node.assembled("aa");
  const [record] = recordsIn(node.executed());
  assert.ok(record);
  assert.deepEqual([record.view, record.toView, record.sign?.view], [3, 3, 3]);
  const again = group.node(1, record, 8);
  assert.deepEqual(shapesOf(again.started), ["broadcast sign", "assemble"]);
});

test("a node that begins again holds the reservation: silent in every view below it", () => {
  const { node, record } = idled(3, 8);
  assert.deepEqual([record.view, record.toView], [0, 8]);
  const { group } = node;
  const again = group.node(1, record, 8);
  assert.deepEqual([again.state.view, again.state.toView], [0, 8]);
  assert.deepEqual(
    viewChangesIn(again.started).map(({ view }) => view),
    [8],
  );
  // The others are at view 4, with transactions: it would have to vote.
  const J = group.justification(4, [0, 2, 3]);
  const effects = again.hear(group.prepare(0, "aa", { view: 4, J }), group.proposal("aa"));
  assert.deepEqual([...shapesOf(effects), again.state.view], [0]);
});

test("while it holds a reservation it supports votes for lower views, and says nothing new in them", () => {
  const { node, record } = idled(3, 8);
  const { group } = node;
  const again = group.node(1, record, 8);
  const effects = again.hear(group.viewChange(0, 5));
  assert.deepEqual(shapesOf(effects), ["broadcast viewChange"]);
  assert.deepEqual(
    viewChangesIn(effects).map(({ view, lock }) => [view, lock]),
    [[5, undefined]],
  );
  assert.deepEqual(shapesOf(again.hear(group.viewChange(2, 5))), []);
  assert.equal(again.state.toView, 8);
  again.now = 1_000;
  const helped = again.hear(group.status(3, { height: 0, view: 4, toView: 5 }));
  assert.deepEqual(
    viewChangesIn(helped).map(({ view }) => view),
    [8, 5],
  );
});

test("a quorum in the promised view ends the wait", () => {
  const { node, record } = idled(3, 8);
  const { group } = node;
  const again = group.node(1, record, 8);
  again.hearAll([group.viewChange(0, 8), group.viewChange(2, 8)]);
  assert.deepEqual([again.state.view, again.state.toView], [8, 8]);
  assert.deepEqual(shapesOf(again.hear(group.viewChange(0, 5))), []);
});

test("own votes that the reservation covers are no news when others show them", () => {
  const { node, record } = idled(6, 8);
  const { group } = node;
  const again = group.node(1, record, 8);
  const justification = group.justification(6, [0, 1, 2]);
  const message = { type: "viewCertificate", height: 0, view: 6, justification } as const;
  const effects = again.hear(message);
  const isLost = effects.some(
    (effect) => effect.type === "report" && effect.report.event === "lostVote",
  );
  assert.equal(isLost, false);
});

test("a reservation keeps the lock, and claims it in every view", () => {
  const group = new Group(4);
  const first = group.node(1, undefined, 8);
  first.signs("aa");
  first.hearAll([group.sign(0, "aa", { view: 0 }), group.sign(2, "aa", { view: 0 })]);
  assert.equal(first.state.lock?.view, 0);
  const locked = recordOf(first.state);
  const again = group.node(1, { ...locked, toView: 8, viewChange: undefined }, 8);
  const [own] = viewChangesIn(again.hear(group.viewChange(0, 3)));
  assert.deepEqual([own?.view, own?.lock?.view], [3, 0]);
});

test("a reservation passes the codec", () => {
  const { node, record } = idled(3, 8);
  const signatureBytes = record.viewChange?.signature.length ?? 0;
  const context = { self: node.config().self, sealers: node.group.sealers, signatureBytes };
  const read = decodeRecord(encodeRecord(record), context);
  assert.deepEqual([read?.view, read?.toView, read?.viewChange?.view], [0, 8, 8]);
});

test("a record that reserves holds the vote for the promised view, which the node begins with", () => {
  const { node, record } = idled(3, 8);
  const { viewChange } = record;
  assert.ok(viewChange);
  assert.deepEqual([viewChange.view, viewChange.index, viewChange.lock], [8, 1, undefined]);
  const again = node.group.node(1, record, 8);
  assert.deepEqual(viewChangesIn(again.started), [viewChange]);
  assert.equal(again.state.viewChanges.get(8)?.get(1), viewChange);
});

test("reserves end at the same views, wherever they begin", () => {
  const ends = [2, 3, 6].map((first) => {
    const { node } = idled(first, 8);
    const prepare = node.group.prepare(first % 4, "aa", {
      view: first,
      J: node.state.justification,
    });
    // A sign vote takes the reservation back, a vote for the next view follows it.
    node.hear(prepare, node.group.proposal("aa", { sealer: first % 4 }));
    node.assembled("aa");
    node.executed();
    const others = [0, 2, 3].map((index) => node.group.viewChange(index, first + 1));
    node.hearAll(others);
    return recordsIn(idle(node)).map(({ toView }) => toView);
  });
  assert.deepEqual(ends, [[8], [8], [8]]);
});

test("a reservation covers at least one round and no more than others listen ahead", () => {
  const begin = (rounds: number) => new Group(4).node(1, undefined, rounds);
  for (const rounds of [1, 32, VIEW_WINDOW]) begin(rounds);
  for (const rounds of [0, -1, 1.5, Number.NaN, VIEW_WINDOW + 1])
    assert.throws(() => begin(rounds), InvariantFault);
});

test("support is signed once per answer at most, and what was sent is sent again", () => {
  const { node, record } = idled(3, 8);
  const { group } = node;
  const again = group.node(1, record, 8);
  let signed = 0;
  const { signer } = again.state;
  const sign: typeof signer.sign = (content) => {
    if (content.type === "viewChange") signed++;
    return signer.sign(content);
  };
  Object.assign(again.state, { signer: { sign } });
  again.now = 1_000;
  const ask = () => again.hear(group.status(3, { height: 0, view: 4, toView: 5 }));
  assert.deepEqual(
    viewChangesIn(ask()).map(({ view }) => view),
    [8, 5],
  );
  assert.equal(signed, 1);
  for (let time = 0; time < 20; time++) assert.deepEqual(viewChangesIn(ask()), []);
  assert.equal(signed, 1);
  const [said] = viewChangesIn(again.hear(group.viewChange(3, 5)));
  assert.equal(signed, 2);
  for (let time = 0; time < 20; time++) {
    again.now += 1_000;
    assert.equal(viewChangesIn(ask())[1], said);
  }
  assert.equal(signed, 2);
});

/** Nodes of a group that hear each other and no other node, until a condition holds. */
function runUntil(nodes: readonly Node[], isMet: () => boolean, limitMs: number): boolean {
  for (let now = 0; now <= limitMs && !isMet(); now += 500) {
    const queue = nodes.flatMap((node) => addressed(node, nodes, node.tick(now)));
    for (const { to, message } of queue) queue.push(...addressed(to, nodes, to.hear(message)));
  }
  return isMet();
}

/** Who of the nodes learns what, of some effects of one of them. */
function addressed(from: Node, nodes: readonly Node[], effects: readonly Effect[]) {
  return effects.flatMap((effect) => {
    if (effect.type !== "broadcast" && effect.type !== "send") return [];
    const { message } = effect;
    const isMeant = (node: Node) => effect.type === "broadcast" || effect.to === node.config().self;
    return nodes.filter((node) => node !== from && isMeant(node)).map((to) => ({ to, message }));
  });
}

test("one that joined promised views supports the others below them: seven go on with five", () => {
  const group = new Group(7);
  const at = (view: number, toView: number): PbftRecord => ({
    height: 1,
    view,
    toView,
    head: GENESIS,
    justification: group.justification(view, [0, 1, 2, 3, 4]),
    prepare: undefined,
    sign: undefined,
    lock: undefined,
    commit: undefined,
    viewChange: undefined,
  });
  // The first is faulty and says no more, the second has lost power for good after its vote.
  const returned = group.node(2, at(8, 20), 20);
  const joined = group.node(3, at(8, 8), 20);
  const others = [4, 5, 6].map((index) => group.node(index, at(8, 8), 20));
  joined.hearAll([0, 1, 2].map((index) => group.viewChange(index, 20)));
  assert.deepEqual([joined.state.view, joined.state.toView], [8, 20]);
  const nodes = [returned, joined, ...others];
  const stand = (view: number) => () => others.every(({ state }) => state.view >= view);
  assert.ok(runUntil(nodes, stand(9), 60_000), "the others reach the next view");
  for (const { state } of [returned, joined])
    assert.deepEqual([state.view, state.toView], [8, 20], "a node that supports stays silent");
  assert.ok(runUntil(nodes, () => nodes.every(({ state }) => state.view >= 20), 3_600_000));
});
