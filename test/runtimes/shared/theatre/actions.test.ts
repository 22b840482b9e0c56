/** Every action of the theatre changes what it says, on production nodes. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ACTION_WORDS } from "../../../../runtimes/shared/theatre/action-words.ts";
import type { Flight, Frame } from "../../../../runtimes/shared/theatre/frame.ts";
import type { Action } from "../../../../runtimes/shared/theatre/scenario.ts";
import {
  eventsOf,
  heightsOf,
  nodeOf,
  openScene,
  pbftOf,
  playTo,
  raftOf,
} from "../../../support/browser/theatre-scenes.ts";

/** Messages between two nodes that ended like this. */
function ended(frames: readonly Frame[], how: string, ends: { from?: number; to?: number } = {}) {
  return frames
    .flatMap((frame) => frame.ended)
    .filter((one) => one.how === how)
    .map(({ flight }) => flight)
    .filter(({ from, to }) => (ends.from ?? from) === from && (ends.to ?? to) === to);
}

/** Kinds that travel in one order: the messages of PBFT. */
const CONSENSUS: ReadonlySet<string> = new Set(["prepare", "sign", "commit", "viewChange"]);

/** What each action was seen to do; a kind that is missing fails the last test. */
const shown = new Set<Action["kind"]>();

function scene(kinds: readonly Action["kind"][], name: string, work: () => Promise<void>): void {
  for (const kind of kinds) shown.add(kind);
  test(`${kinds.join(", ")}: ${name}`, work);
}

scene(["kill", "restart", "send"], "a new leader decides, and the old one catches up", async () => {
  const text = "1.pbft.t100-kill-0.t200-send-1.t5000-restart-0";
  const { frames, last } = await playTo(text, 8_000);
  const dead = frames.find(({ events }) => events.some(({ id }) => id === "killed"));
  assert.ok(dead);
  assert.deepEqual([nodeOf(dead, 0).power, nodeOf(dead, 0).consensus], ["off", undefined]);
  const ownWords = dead.events.filter(({ node }) => node === 0).map(({ id }) => id);
  assert.deepEqual(ownWords, ["killed"], "who is off reports nothing else");
  assert.ok(eventsOf(frames, "timedOut").length >= 3, "the view is left without its leader");
  const proposed = eventsOf(frames, "proposed").find(({ values }) => values["transactions"] === 1);
  assert.deepEqual([proposed?.node, proposed?.values["view"]], [1, 1]);
  assert.deepEqual(heightsOf(last), [1, 1, 1, 1]);
  assert.equal(eventsOf(frames, "syncEnded", 0).length, 1);
  assert.equal(nodeOf(last, 0).power, "on");
});

scene(["kill"], "with two of four sealers nothing is decided", async () => {
  const { last } = await playTo("1.pbft.t50-kill-2.t60-kill-3.t100-send-0", 20_000);
  assert.deepEqual(heightsOf(last).slice(0, 2), [0, 0]);
  assert.ok(pbftOf(last, 0).toView > 0, "the others want another view");
});

scene(["pause", "resume"], "a paused node hears everything later", async () => {
  const { frames } = await playTo("1.pbft.t100-pause-3.t110-send-0.t2000-resume-3", 4_000);
  const asleep = frames.filter(({ timeMs }) => timeMs > 110 && timeMs < 2_000);
  assert.ok(asleep.length > 0);
  for (const frame of asleep) {
    assert.equal(nodeOf(frame, 3).power, "paused");
    assert.equal(nodeOf(frame, 3).height, 0);
  }
  assert.deepEqual(ended(asleep, "delivered", { to: 3 }), []);
  const waiting = asleep.at(-1)?.flights.filter(({ to }) => to === 3) ?? [];
  assert.ok(waiting.length > 0, "messages wait before it");
  assert.equal(nodeOf(frames.at(-1) as Frame, 3).height, 1);
});

scene(["pause", "kill"], "what waits at the control socket of a node is lost with it", async () => {
  const { frames, last } = await playTo("1.pbft.t100-pause-3.t110-send-0.t700-kill-3", 2_000);
  const before = frames.findLast(({ timeMs }) => timeMs < 700) as Frame;
  const waiting = before.flights.filter(({ to, arrivesAt = 0 }) => to === 3 && arrivesAt < 690);
  const cut = new Set(ended(frames, "cut", { to: 3 }).map(({ id }) => id));
  assert.ok(waiting.length > 0 && waiting.every(({ id }) => cut.has(id)));
  assert.deepEqual(
    last.flights.filter(({ to }) => to === 3),
    [],
  );
});

scene(
  ["partition", "heal"],
  "the side of the quorum goes on, the other follows later",
  async () => {
    const text = "1.pbft.t10-partition-0_1_2-3.t100-send-0.t3000-heal";
    const { frames, last } = await playTo(text, 8_000);
    const split = frames.findLast(({ timeMs }) => timeMs < 3_000) as Frame;
    assert.equal(split.cuts.length, 6);
    assert.deepEqual(heightsOf(split), [1, 1, 1, 0]);
    assert.ok(ended(frames, "cut", { to: 3 }).length > 0);
    assert.deepEqual(last.cuts, []);
    assert.deepEqual(heightsOf(last), [1, 1, 1, 1]);
  },
);

scene(["partition"], "two and two decide nothing", async () => {
  const { last } = await playTo("1.pbft.t10-partition-0_1-2_3.t100-send-0.t100-send-2", 9_000);
  assert.deepEqual(heightsOf(last), [0, 0, 0, 0]);
});

scene(["oneWay"], "only one direction is cut", async () => {
  const { frames, last } = await playTo("1.pbft.t10-oneWay-0-1_2_3.t100-send-0", 2_000);
  assert.deepEqual(
    last.cuts.map(({ from, to }) => [from, to]).sort(),
    [1, 2, 3].map((to) => [0, to]),
  );
  const later = frames.filter(({ timeMs }) => timeMs > 100);
  assert.deepEqual(ended(later, "delivered", { from: 0 }), []);
  assert.ok(ended(later, "delivered", { to: 0 }).length > 0);
});

scene(["cut"], "one direction of one link is cut", async () => {
  const { frames, last } = await playTo("1.pbft.t10-cut-0-1.t100-send-0", 2_000);
  assert.deepEqual(last.cuts, [{ from: 0, to: 1 }]);
  const later = frames.filter(({ timeMs }) => timeMs > 100);
  assert.deepEqual(ended(later, "delivered", { from: 0, to: 1 }), []);
  assert.ok(ended(later, "delivered", { from: 0, to: 2 }).length > 0);
});

scene(["delay"], "messages of one node, or of one link, take longer", async () => {
  const { frames, last } = await playTo("1.pbft.t10-delay-300-300-n2.t20-delay-500-500-0_1", 3_000);
  const slow = (from: number, to: number) =>
    frames
      .filter(({ timeMs }) => timeMs > 20)
      .flatMap(({ sent }) => sent)
      .filter((flight) => flight.from === from && flight.to === to)
      .map(({ sentAt, arrivesAt = 0 }) => arrivesAt - sentAt);
  for (const [from, to, least] of [
    [2, 3, 300],
    [1, 2, 300],
    [0, 1, 500],
  ] as const) {
    const times = slow(from, to);
    assert.ok(times.length > 0 && times.every((time) => time >= least), `${times}`);
  }
  assert.ok(slow(1, 0).some((time) => time <= 40));
  assert.equal(last.rules.length, 7);
});

scene(["loss"], "this many of a hundred messages are lost", async () => {
  const { frames } = await playTo("1.pbft.t10-loss-30.load-900", 7_000);
  const lost = ended(frames, "lost").length;
  const all = lost + ended(frames, "delivered").length;
  assert.ok(all > 100 && lost / all > 0.2 && lost / all < 0.4, `${lost} of ${all}`);
});

scene(["loss"], "all messages from one node to another", async () => {
  const { frames } = await playTo("1.pbft.t10-loss-100-0_1.t100-send-0", 2_000);
  const later = frames.filter(({ timeMs }) => timeMs > 100);
  assert.deepEqual(ended(later, "delivered", { from: 0, to: 1 }), []);
  assert.ok(ended(later, "lost", { from: 0, to: 1 }).length > 0);
});

scene(["duplicate"], "messages arrive twice, and nobody counts twice", async () => {
  const { frames, last } = await playTo("1.pbft.t10-duplicate-100.t100-send-0", 2_000);
  const copies = ended(frames, "delivered").filter(({ copyOf }) => copyOf !== undefined);
  assert.ok(copies.length > 20);
  for (const { commits } of frames.map((frame) => pbftOf(frame, 0)))
    assert.equal(new Set(commits.voters).size, commits.voters.length);
  assert.deepEqual(heightsOf(last), [1, 1, 1, 1]);
});

scene(["hold", "deliver", "drop"], "one message waits, goes on, or is lost", async () => {
  const theatre = await openScene("1.pbft.t100-send-0");
  await theatre.run({ kind: "delivery", message: "prepare" });
  const [first, second] = theatre.frame.flights.filter(({ kind }) => kind === "prepare");
  assert.ok(first && second);
  await theatre.act({ kind: "hold", message: first.id });
  const { frame } = await theatre.act({ kind: "drop", message: second.id });
  assert.deepEqual(
    frame.ended.map(({ flight, how }) => [flight.id, how]),
    [[second.id, "dropped"]],
  );
  await theatre.run({ kind: "time", atMs: 1_500 });
  const held = theatre.frame.flights.find(({ id }) => id === first.id);
  assert.deepEqual([held?.held, held?.arrivesAt], [true, undefined]);
  await theatre.act({ kind: "deliver", message: first.id });
  const { frames } = await theatre.run({ kind: "steps", count: 1 });
  assert.deepEqual(
    frames[0]?.ended.map(({ flight, how }) => [flight.id, how]),
    [[first.id, "delivered"]],
  );
  const gone = await theatre.act({ kind: "drop", message: first.id });
  assert.deepEqual(gone.frame.events[0]?.values, { reason: "noSuchMessage", action: "drop" });
});

scene(
  ["hold", "deliver"],
  "what is held keeps its place: later messages wait behind it",
  async () => {
    const theatre = await openScene("1.pbft.load-300.t100-send-0");
    await theatre.run({ kind: "delivery", message: "prepare" });
    const first = theatre.frame.flights.find(({ kind }) => kind === "prepare");
    assert.ok(first);
    const { from, to } = first;
    await theatre.act({ kind: "hold", message: first.id });
    const during = await theatre.run({ kind: "time", atMs: 1_200 });
    const votes = (flights: readonly Flight[]) =>
      flights.filter(({ kind }) => CONSENSUS.has(kind)).map(({ id }) => id);
    assert.deepEqual(votes(ended(during.frames, "delivered", { from, to })), []);
    const waiting = theatre.frame.flights.filter((one) => one.from === from && one.to === to);
    const behind = waiting.filter(({ id, kind }) => id !== first.id && CONSENSUS.has(kind));
    assert.ok(behind.length > 0);
    for (const { held, arrivesAt } of behind)
      assert.deepEqual([held, arrivesAt], [false, undefined]);
    assert.ok(nodeOf(theatre.frame, (to + 1) % 4).height > 0, "the others go on");
    // The last of them brings all that was sent before it.
    const last = behind.at(-1);
    assert.ok(last);
    await theatre.act({ kind: "deliver", message: last.id });
    const after = await theatre.run({ kind: "time", atMs: 2_500 });
    const order = votes(ended(after.frames, "delivered", { from, to }));
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    );
    assert.deepEqual(order.slice(0, behind.length + 1), [first.id, ...behind.map(({ id }) => id)]);
    assert.deepEqual(theatre.frame.forks, []);
  },
);

scene(["hold"], "no caller waits behind what is held of a connection that is over", async () => {
  const theatre = await openScene("1.pbft.load-300.t100-send-0");
  await theatre.run({ kind: "delivery", message: "prepare" });
  const first = theatre.frame.flights.find(({ kind }) => kind === "prepare");
  assert.ok(first);
  await theatre.act({ kind: "hold", message: first.id });
  await theatre.run({ kind: "time", atMs: 1_200 });
  await theatre.act({ kind: "kill", node: first.to });
  await theatre.act({ kind: "restart", node: first.to });
  await theatre.run({ kind: "time", atMs: 9_000 });
  const heights = heightsOf(theatre.frame);
  assert.ok((heights[first.to] ?? 0) >= Math.max(...heights) - 1, `${heights}`);
});

scene(["lie", "honest"], "a leader with two stories delays, and nothing forks", async () => {
  const text = "1.pbft.t10-lie-0-equivocate.t100-send-0.load-1500.t9000-honest-0";
  const { frames, last } = await playTo(text, 16_000);
  const told = frames.flatMap(({ sent }) => sent).filter(({ kind }) => kind === "prepare");
  const hashes = (lie: boolean) =>
    new Set(told.filter((one) => one.lie === lie && one.height === 1).map(({ hash }) => hash));
  assert.ok(hashes(true).size > 0, "another proposal was sent");
  for (const hash of hashes(true)) assert.ok(!hashes(false).has(hash));
  assert.ok(eventsOf(frames, "timedOut").length > 0, "no proposal got a quorum");
  assert.deepEqual(last.forks, []);
  assert.equal(eventsOf(frames, "fork").length, 0);
  const heights = heightsOf(last);
  assert.ok(Math.min(...heights) >= 3, `${heights}`);
  const chains = last.nodes.slice(1).map(({ blocks }) => blocks.map(({ hash }) => hash).join());
  assert.equal(new Set(chains.map((chain) => chain.slice(0, 200))).size, 1);
  assert.equal(nodeOf(last, 0).lie, undefined);
});

scene(["lie"], "votes in another's name are taken by nobody", async () => {
  const { frames, last } = await playTo("1.pbft.t10-lie-3-forge.t100-send-0", 2_000);
  const forged = ended(frames, "delivered").filter(({ lie }) => lie);
  assert.ok(forged.length > 0);
  // Most come too late to be of any use, and nobody looks who made them.
  const rejected = eventsOf(frames, "messageRejected");
  assert.ok(rejected.length > 0);
  for (const { values } of rejected)
    assert.deepEqual(values, { peer: 3, reason: "consensus: invalid signature" });
  assert.deepEqual(heightsOf(last), [1, 1, 1, 1]);
  assert.deepEqual(last.forks, []);
});

scene(["lie"], "a silent sealer sends no vote", async () => {
  const { frames, last } = await playTo("1.pbft.t10-lie-2-silent.t100-send-0", 2_000);
  const votes = frames
    .filter(({ timeMs }) => timeMs > 10)
    .flatMap(({ sent }) => sent)
    .filter(({ from, kind }) => from === 2 && ["sign", "commit", "prepare"].includes(kind));
  assert.deepEqual(votes, []);
  assert.deepEqual(heightsOf(last), [1, 1, 1, 1]);
});

scene(["align"], "all stand for election at once; spread: one after the other", async () => {
  const theatre = await openScene("1.raft.nodes-3");
  const ends = () => [0, 1, 2].map((node) => raftOf(theatre.frame, node).electionAt ?? 0);
  const before = Math.min(...ends());
  await theatre.act({ kind: "align" });
  assert.deepEqual(ends(), [before, before, before]);
  await theatre.act({ kind: "spread" });
  const apart = ends().sort((left, right) => left - right);
  assert.equal(new Set(apart).size, 3);
  assert.ok(Math.min(...apart.slice(1).map((end, at) => end - (apart[at] ?? 0))) > 200);
  const { reached } = await theatre.run({ kind: "event", id: "becameLeader" }, { ms: 5_000 });
  assert.ok(reached);
  assert.equal(eventsOf([theatre.frame], "becameLeader").length, 1);
});
shown.add("spread");

scene(["addNode", "addObserver", "addSealer"], "a new node catches up and votes", async () => {
  const text = "1.pbft.t100-send-0.t1500-send-0.t3000-addNode.t6000-addSealer-4.t8000-send-1";
  const { frames, last } = await playTo(text, 11_000);
  assert.equal(last.nodes.length, 5);
  const joined = eventsOf(frames, "roleChanged", 4).map(({ values }) => values["role"]);
  assert.deepEqual(joined, ["observer", "sealer"]);
  assert.ok(eventsOf(frames, "syncEnded", 4).length > 0);
  assert.equal(pbftOf(last, 4).quorum, 4);
  assert.ok(ended(frames, "delivered", { from: 4 }).some(({ kind }) => kind === "sign"));
  assert.equal(new Set(heightsOf(last)).size, 1);
});

scene(["removeNode", "addObserver"], "a sealer leaves the list, and observes", async () => {
  const text = "1.pbft.t100-removeNode-3.t4000-addObserver-3";
  const { frames, last } = await playTo(text, 8_000);
  const gone = frames.findLast(({ timeMs }) => timeMs < 4_000) as Frame;
  assert.equal(nodeOf(gone, 3).role, "none");
  assert.equal(pbftOf(gone, 0).quorum, 3);
  assert.equal(pbftOf(gone, 0).maxFaulty, 0);
  assert.equal(nodeOf(last, 3).role, "observer");
});

scene(["group"], "a group stops, is removed, recovered and started; another is made", async () => {
  const text =
    "1.pbft.t100-group-2-stop.t1000-group-2-remove.t2000-group-2-recover" +
    ".t3000-group-2-start.t3500-send-0.t4000-group-0-generate-2.t5000-group-0-start-2";
  const { frames, last } = await playTo(text, 8_000);
  const words = eventsOf(frames, "groupStatus", 2).map(({ values }) => values["status"]);
  assert.deepEqual([...new Set(words)], ["STOPPING", "STOPPED", "DELETED", "RUNNING"]);
  assert.deepEqual(heightsOf(last), [1, 1, 1, 1]);
  assert.deepEqual(nodeOf(last, 0).groups, [
    { group: 1, status: "RUNNING" },
    { group: 2, status: "RUNNING" },
  ]);
  assert.equal(eventsOf(frames, "actionRefused").length, 0);
  const again = await playTo("1.pbft.t100-group-2-start", 1_000);
  assert.equal(eventsOf(again.frames, "actionRefused", 2).length, 1);
});

test("what cannot be done is reported, and everything that can be done was shown", async () => {
  const { frames } = await playTo("1.pbft.t10-resume-1.t20-kill-1.t30-kill-1.t40-send-1", 100);
  const reasons = eventsOf(frames, "actionRefused").map(({ values }) => values["reason"]);
  assert.deepEqual(reasons, ["isNotPaused", "isOff", "isOff"]);
  const theatre = await openScene("1.raft.nodes-3");
  await assert.rejects(theatre.act({ kind: "lie", node: 0, lie: "forge" }), /notInRaft/);
  await assert.rejects(theatre.act({ kind: "kill", node: 3 }), /noSuchNode/);
  assert.deepEqual([...shown].sort(), Object.keys(ACTION_WORDS).sort());
});
