/** The Raft core step by step: elections, replication, commit, suspension. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { majority, maxFaultyLeader } from "../../../../core/consensus/quorum.ts";
import { raftStatus } from "../../../../core/consensus/raft/status.ts";
import { digest, HEAD, ids, messages, of, result, Subject } from "./group.ts";

// rules: raft 1, raft 3, raft 5, raft 6, raft 7, raft 8, raft 9

const MAJORITIES = [
  { sealers: 1, faulty: 0, quorum: 1 },
  { sealers: 2, faulty: 0, quorum: 2 },
  { sealers: 3, faulty: 1, quorum: 2 },
  { sealers: 4, faulty: 1, quorum: 3 },
  { sealers: 5, faulty: 2, quorum: 3 },
] as const;
for (const { sealers, faulty, quorum } of MAJORITIES) {
  test(`${sealers} sealers tolerate ${faulty} crashed and need ${quorum}`, () => {
    assert.deepEqual([maxFaultyLeader(sealers), majority(sealers)], [faulty, quorum]);
  });
}

test("a follower asks before it raises the term", () => {
  const node = new Subject();
  assert.deepEqual(messages(node.wait(999)), []);
  const asked = node.wait(1_001);
  assert.equal(messages(asked)[0]?.type, "preVote");
  assert.deepEqual(of(asked, "persist"), []);
  assert.equal(node.state.term, 0);
});

test("a late tick is one election, not a burst", () => {
  const node = new Subject();
  assert.equal(messages(node.wait(1_000_000)).length, 1);
});

test("a candidate's own vote is on disk before it asks for others", () => {
  const node = new Subject();
  node.wait(2_000);
  const effects = node.hear(1, { type: "preVoteReply", term: 0, asked: 0, granted: true });
  assert.equal(effects[0]?.type, "persist");
  assert.deepEqual(of(effects, "persist")[0]?.record, {
    term: 1,
    vote: ids(1)[0],
    entry: undefined,
  });
  assert.equal(messages(effects)[0]?.type, "vote");
});

test("a vote is given once in a term, on disk first, and again to the same candidate", () => {
  const node = new Subject();
  const vote = { type: "vote", term: 1, entryTerm: 0 } as const;
  const first = node.hear(1, vote);
  assert.equal(first[0]?.type, "persist");
  assert.deepEqual(
    messages(first).map((it) => it.type === "voteReply" && it.granted),
    [true],
  );
  const second = messages(node.hear(2, vote))[0];
  assert.equal(second?.type === "voteReply" && second.granted, false);
  const again = messages(node.hear(1, vote))[0];
  assert.equal(again?.type === "voteReply" && again.granted, true);
});

test("a restarted sealer keeps its term, vote and entry", () => {
  const entry = { term: 4, height: 1, proposal: digest("a"), proposer: 2 };
  const node = new Subject({ record: { term: 5, vote: ids(3)[2], entry } });
  const reply = messages(node.hear(1, { type: "vote", term: 5, entryTerm: 4 }))[0];
  assert.equal(reply?.type === "voteReply" && reply.granted, false);
  assert.deepEqual(node.state.entry, entry);
});

const BEHIND = [
  { entryTerm: 3, height: 0, granted: false },
  { entryTerm: 4, height: 0, granted: true },
  { entryTerm: 5, height: 0, granted: true },
  { entryTerm: 0, height: 1, granted: true },
] as const;
for (const { entryTerm, height, granted } of BEHIND) {
  const title = `a candidate at ${height} with an entry of term ${entryTerm}`;
  test(`${title} ${granted ? "gets" : "does not get"} the vote of a holder of term 4`, () => {
    const entry = { term: 4, height: 1, proposal: digest("a"), proposer: 2 };
    const node = new Subject({ record: { term: 5, vote: undefined, entry } });
    const head = height === 0 ? HEAD : digest("1");
    const asked = node.hear(1, { type: "vote", term: 6, entryTerm, height, head });
    const reply = messages(asked)[0];
    assert.equal(reply?.type === "voteReply" && reply.granted, granted);
  });
}

test("a node that hears its leader is not drawn into an election", () => {
  const node = new Subject();
  node.hear(1, { type: "append", term: 1, entry: undefined });
  node.now += 900;
  for (const type of ["preVote", "vote"] as const) {
    const reply = messages(node.hear(2, { type, term: 7, entryTerm: 0 }))[0];
    assert.equal(reply && "granted" in reply && reply.granted, false);
    assert.equal(node.state.term, 1);
  }
});

test("a leader of an older term is told the newer one and not followed", () => {
  const node = new Subject({ record: { term: 5, vote: undefined, entry: undefined } });
  const answer = messages(node.hear(1, { type: "append", term: 4, entry: undefined }))[0];
  assert.equal(answer?.term, 5);
  assert.equal(node.state.leader, undefined);
});

test("a follower acknowledges an entry once it is on disk with its block", () => {
  const node = new Subject();
  const block = node.block("a");
  const first = node.hear(1, { type: "append", term: 1, entry: block.hash }, block);
  assert.deepEqual(of(first, "assemble").length, 1);
  assert.ok(messages(first).every((it) => it.type === "acknowledgement" && !it.stored));
  const stored = node.execute("a");
  const persist = of(stored, "persist")[0];
  assert.equal(stored.indexOf(persist as never), 0);
  assert.equal(persist?.body, block.hash);
  const [answer] = messages(stored);
  assert.deepEqual(answer?.type === "acknowledgement" && answer.stored, {
    term: 1,
    proposal: block.hash,
  });
});

test("a follower asks for what is missing of an entry, then for it elsewhere", () => {
  const node = new Subject();
  const block = node.block("a");
  node.hear(1, { type: "append", term: 1, entry: block.hash }, block);
  const asked = node.give({ type: "assembled", proposal: block.hash, complete: false });
  assert.equal(of(asked, "requestBody")[0]?.to, ids(3)[1]);
  assert.equal(of(node.wait(500), "requestBody")[0]?.to, ids(3)[2]);
});

test("a block that arrives while its parts are asked for brings them", () => {
  const node = new Subject();
  const proposal = node.block("a");
  node.hear(1, { type: "append", term: 1, entry: proposal.hash }, proposal);
  node.give({ type: "assembled", proposal: proposal.hash, complete: false });
  const block = { proposal, executed: result("a") };
  const effects = node.give({ type: "block", from: ids(3)[1] as never, block });
  assert.equal(of(effects, "execute").length, 1);
});

test("an entry that does not extend the own head is not taken", () => {
  const node = new Subject();
  const block = { ...node.block("a"), parentHash: digest("9") };
  const effects = node.hear(1, { type: "append", term: 1, entry: block.hash }, block);
  assert.deepEqual(of(effects, "assemble"), []);
});

test("a follower writes its entry when the leader's head is what it executes to", () => {
  const node = new Subject();
  const block = node.block("a");
  node.hear(1, { type: "append", term: 1, entry: block.hash }, block);
  assert.deepEqual(of(node.execute("a"), "write"), []);
  const notice = { type: "append", term: 1, entry: undefined, height: 1 } as const;
  const effects = node.hear(1, { ...notice, head: result("a") });
  assert.deepEqual(of(effects, "write"), [
    { type: "write", height: 1, proposal: block.hash, executed: result("a") },
  ]);
});

test("a follower with another entry does not write it, it asks for the block", () => {
  const node = new Subject();
  const block = node.block("a");
  node.hear(1, { type: "append", term: 1, entry: block.hash }, block);
  node.execute("a");
  const notice = { type: "append", term: 1, entry: undefined, height: 1 } as const;
  assert.deepEqual(of(node.hear(1, { ...notice, head: result("b") }), "write"), []);
  assert.equal(of(node.wait(200), "requestBlock")[0]?.to, ids(3)[1]);
});

test("a leader writes after a majority has stored the entry under its own term", () => {
  const node = new Subject();
  node.lead();
  const { term } = node.state;
  const proposed = node.propose("a");
  assert.equal(
    proposed.find(({ type }) => type === "persist" || type === "broadcast")?.type,
    "persist",
  );
  const proposal = digest("a");
  const stale = { term: term - 1, proposal };
  const old = node.hear(1, { type: "acknowledgement", term, stored: stale });
  assert.deepEqual(of(old, "write"), []);
  const fresh = node.hear(1, { type: "acknowledgement", term, stored: { term, proposal } });
  assert.equal(of(fresh, "write").length, 1);
});

test("acknowledgements of one sealer count once", () => {
  const node = new Subject({ sealers: 5 });
  node.lead();
  node.propose("a");
  const { term } = node.state;
  const answer = {
    type: "acknowledgement",
    term,
    stored: { term, proposal: digest("a") },
  } as const;
  for (let times = 0; times < 3; times++) assert.deepEqual(of(node.hear(1, answer), "write"), []);
  assert.equal(of(node.hear(2, answer), "write").length, 1);
});

test("the followers learn of the commit with the next heartbeat", () => {
  const node = new Subject();
  node.lead();
  node.propose("a");
  const { term } = node.state;
  const stored = { term, proposal: digest("a") };
  node.hear(1, { type: "acknowledgement", term, stored });
  const config = node.config(0);
  const effects = node.give({ type: "written", height: 1, hash: result("a"), config });
  const [append] = messages(effects);
  assert.deepEqual([append?.type, append?.height, append?.head], ["append", 1, result("a")]);
});

test("a new leader issues an older entry again, the same block under its term", () => {
  const entry = { term: 4, height: 1, proposal: digest("a"), proposer: 2 };
  const node = new Subject({ record: { term: 5, vote: undefined, entry } });
  const effects = node.lead();
  const term = 6;
  assert.deepEqual(of(effects, "persist")[0]?.record.entry, { ...entry, term });
  assert.deepEqual(of(effects, "propose"), []);
  const [append] = messages(effects);
  assert.equal(append?.type === "append" && append.entry, digest("a"));
});

test("heartbeats leave every 250 ms and carry the entry only to those who lack it", () => {
  const node = new Subject({ sealers: 5 });
  node.lead();
  node.propose("a");
  const { term } = node.state;
  const stored = { term, proposal: digest("a") };
  node.hear(1, { type: "acknowledgement", term, stored });
  assert.deepEqual(messages(node.wait(249)), []);
  const sent = of(node.wait(1), "send");
  const entries = sent.map(({ to, message }) => [to, message.type === "append" && message.entry]);
  assert.deepEqual(
    entries,
    ids(5)
      .slice(1)
      .map((id, i) => [id, i === 0 ? undefined : digest("a")]),
  );
});

test("a leader without answers steps down within the lease and seals nothing", () => {
  const node = new Subject();
  node.lead();
  assert.equal(node.state.role, "leader");
  node.wait(999);
  assert.equal(node.state.role, "leader");
  const { term } = node.state;
  node.now += 1;
  const dropped = node.give({ type: "proposal", view: term, proposal: node.block("a", 0) });
  assert.equal(node.state.role, "follower");
  assert.deepEqual(of(dropped, "execute"), []);
});

test("a single sealer leads at the first timeout and commits alone", () => {
  const node = new Subject({ sealers: 1 });
  assert.equal(of(node.wait(2_000), "propose").length, 1);
  const effects = node.propose("a");
  const order = effects.map(({ type }) => type).filter((type) => /persist|write/.test(type));
  assert.deepEqual(order, ["persist", "write"]);
});

test("an empty block is not proposed; the leader asks again a second later", () => {
  const node = new Subject({ sealers: 1 });
  node.wait(2_000);
  const proposal = { ...node.block("a", 0), txCount: 0 };
  const offered = node.give({ type: "proposal", view: node.state.term, proposal });
  assert.deepEqual(of(offered, "propose"), []);
  assert.deepEqual(of(node.wait(999), "propose"), []);
  assert.equal(of(node.wait(1), "propose").length, 1);
});

test("a leader whose own block is refused proposes another one", () => {
  const node = new Subject({ sealers: 1 });
  node.wait(2_000);
  const view = node.state.term;
  node.give({ type: "proposal", view, proposal: node.block("a", 0) });
  node.give({ type: "assembled", proposal: digest("a"), complete: true });
  const token = { height: 1, view, proposal: digest("a") };
  node.give({ type: "executed", token, executed: undefined });
  assert.equal(node.state.entry, undefined);
  assert.equal(of(node.wait(1_000), "propose").length, 1);
});

test("a node that syncs takes no part", () => {
  const node = new Subject();
  node.give({ type: "syncing", active: true });
  assert.deepEqual(messages(node.wait(10_000)), []);
  assert.deepEqual(messages(node.hear(1, { type: "vote", term: 1, entryTerm: 0 })), []);
  node.give({ type: "syncing", active: false });
  assert.equal(messages(node.wait(2_000))[0]?.type, "preVote");
});

test("a node that is no sealer is suspended, and takes blocks of sealers only", () => {
  const node = new Subject({ self: 9 });
  assert.equal(node.state.role, "suspended");
  assert.deepEqual(messages(node.wait(10_000)), []);
  const block = { proposal: node.block("a"), executed: result("a") };
  node.give({ type: "block", from: ids(15)[8] as never, block });
  assert.equal(node.state.decision, undefined);
  node.give({ type: "block", from: ids(3)[1] as never, block });
  assert.equal(of(node.execute("a"), "write").length, 1);
});

test("a block that does not execute to its header is not written", () => {
  const node = new Subject();
  const block = { proposal: node.block("a"), executed: result("b") };
  node.give({ type: "block", from: ids(3)[1] as never, block });
  const effects = node.execute("a");
  assert.deepEqual(of(effects, "write"), []);
  assert.equal(node.state.decision, undefined);
});

test("a change of the sealer list ends the leadership", () => {
  const node = new Subject({ sealers: 1 });
  node.wait(2_000);
  const config = { ...node.config(0), sealers: ids(2) };
  node.give({ type: "written", height: 1, hash: result("a"), config });
  assert.deepEqual([node.state.role, node.state.quorum], ["follower", 2]);
});

test("back-off grows both bounds, then pins the upper one, and a leader forgets it", () => {
  const node = new Subject();
  const bounds = [];
  for (let failed = 0; failed < 5; failed++) {
    node.wait(4_000);
    bounds.push([node.state.electMinMs, node.state.electMaxMs]);
  }
  assert.deepEqual(bounds, [
    [1_000, 2_000],
    [1_250, 2_250],
    [1_500, 2_500],
    [1_500, 2_500],
    [1_500, 2_500],
  ]);
  node.lead();
  assert.deepEqual([node.state.electMinMs, node.state.electMaxMs], [1_000, 2_000]);
});

test("a leader that knows of a higher sealer waits for its block, not for a proposal", () => {
  const node = new Subject();
  node.lead();
  const { term } = node.state;
  const proposal = { ...node.block("a", 0), txCount: 0 };
  node.give({ type: "proposal", view: term, proposal });
  const [, ahead] = ids(3);
  node.give({ type: "peer", from: ahead as never, height: 1 });
  node.hear(2, { type: "acknowledgement", term, stored: undefined });
  for (let tick = 0; tick < 10; tick++) {
    const effects = node.wait(200);
    assert.deepEqual(of(effects, "propose"), []);
    const [deadline] = of(effects, "deadline");
    assert.ok(deadline?.at !== undefined && deadline.at > node.now, `tick ${tick} is due at once`);
    node.hear(2, { type: "acknowledgement", term, stored: undefined });
  }
  const config = node.config(0);
  const level = node.give({ type: "written", height: 1, hash: result("a"), config });
  assert.equal(of(level, "propose").length, 1);
});

test("a leader asks again in time once the sealer that was ahead is trusted no more", () => {
  const node = new Subject();
  node.lead();
  const { term } = node.state;
  const empty = { ...node.block("b", 0), txCount: 0 };
  node.give({ type: "proposal", view: term, proposal: empty });
  const from = ids(3)[1] as never;
  node.give({ type: "peer", from, height: 1 });
  const block = { proposal: node.block("a"), executed: result("b") };
  node.give({ type: "block", from, block });
  // What executes to something else is not taken, nor is its sender believed to be ahead.
  const effects = node.execute("a");
  assert.deepEqual(of(effects, "propose"), []);
  node.wait(500);
  node.hear(2, { type: "acknowledgement", term, stored: undefined });
  const [deadline] = of(node.wait(490), "deadline");
  assert.equal(deadline?.at, node.now + 10);
  assert.equal(of(node.wait(10), "propose").length, 1);
});

test("status names the leader once it is known", () => {
  const node = new Subject();
  assert.equal(raftStatus(node.state).leader, undefined);
  node.hear(1, { type: "append", term: 1, entry: undefined });
  const { kind, accountType, cfgErr, leader, ...rest } = raftStatus(node.state);
  assert.deepEqual([kind, accountType, cfgErr], ["raft", 1, false]);
  assert.deepEqual(leader, { nodeId: ids(3)[1], index: 1 });
  assert.deepEqual(rest, {
    consensusedBlockNumber: 1,
    highestblockHash: HEAD,
    highestblockNumber: 0,
    maxFaultyLeader: 1,
    nodeIndex: 0,
    sealers: ids(3),
    term: 1,
    role: "follower",
  });
});

test("status of a node that is no sealer reports so", () => {
  const { accountType, cfgErr, nodeIndex } = raftStatus(new Subject({ self: 9 }).state);
  assert.deepEqual([accountType, cfgErr, nodeIndex], [0, true, 65_535]);
});
