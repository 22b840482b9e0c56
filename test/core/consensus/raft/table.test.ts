/** What each role does with each message: terms, and what is ignored. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "vitest";
import type { Message } from "../../../../core/consensus/raft/message.ts";
import type { Role } from "../../../../core/consensus/raft/state.ts";
import { PROTOCOLS } from "../../../simulation/rows/protocols.ts";
import { refuseUndeclared, remember } from "../../../simulation/rows/rows.ts";
import { digest, HEAD, messages, of, Subject } from "./group.ts";

// rules: raft 5, raft 8

let restore: () => void = () => undefined;
beforeEach(() => {
  const { raft } = PROTOCOLS;
  assert.ok(raft);
  restore = remember(raft);
  refuseUndeclared(raft);
});
afterEach(() => restore());

/** A node of three in a role; the quorum is two. */
function inRole(role: Role): Subject {
  const node = new Subject();
  if (role === "suspended") node.give({ type: "syncing", active: true });
  if (role === "leader") node.lead();
  if (role === "preCandidate" || role === "candidate") node.wait(4_000);
  if (role === "candidate")
    node.hear(1, { type: "preVoteReply", term: 0, asked: 0, granted: true });
  assert.equal(node.state.role, role);
  return node;
}

const PLACE = { height: 0, head: HEAD };
const KINDS = [
  "preVote",
  "preVoteReply",
  "vote",
  "voteReply",
  "append",
  "acknowledgement",
] as const;

/** A message of a kind and a term. */
function message(type: (typeof KINDS)[number], term: number): Message {
  const all: Readonly<Record<typeof type, Message>> = {
    preVote: { type: "preVote", ...PLACE, term, entryTerm: 0 },
    preVoteReply: { type: "preVoteReply", ...PLACE, term, asked: term, granted: true },
    vote: { type: "vote", ...PLACE, term, entryTerm: 0 },
    voteReply: { type: "voteReply", ...PLACE, term, granted: true },
    append: { type: "append", ...PLACE, term, entry: undefined },
    acknowledgement: { type: "acknowledgement", ...PLACE, term, stored: undefined },
  };
  return all[type];
}

function reasons(effects: Parameters<typeof of>[0]): readonly string[] {
  return of(effects, "report").flatMap(({ report }) =>
    report.event === "ignored" ? [report.reason] : [],
  );
}

const TAKING_PART = ["follower", "preCandidate", "candidate", "leader"] as const;
for (const role of TAKING_PART)
  for (const kind of KINDS) {
    const isRefused = role === "leader" && (kind === "preVote" || kind === "vote");
    test(`a ${role} ${isRefused ? "refuses" : "follows"} the higher term of a ${kind}`, () => {
      const node = inRole(role);
      const { term } = node.state;
      const effects = node.hear(2, message(kind, term + 5));
      assert.equal(node.state.term, isRefused ? term : term + 5);
      assert.equal(node.state.role, isRefused ? "leader" : "follower");
      const [answer] = messages(effects);
      if (kind !== "preVote" && kind !== "vote") return;
      assert.ok(answer && "granted" in answer);
      assert.equal(answer.granted, !isRefused);
    });
  }

for (const kind of KINDS) {
  test(`a suspended node ignores a ${kind}`, () => {
    const node = inRole("suspended");
    assert.deepEqual(reasons(node.hear(2, message(kind, 5))), ["suspended"]);
    assert.equal(node.state.term, 0);
  });
}

/** Terms relative to the own one. */
const IGNORED = [
  ["leader", "append", 0, "secondLeader"],
  ["leader", "append", -1, "stale"],
  ["leader", "preVoteReply", 0, "stale"],
  ["leader", "voteReply", 0, "stale"],
  ["leader", "acknowledgement", -1, "stale"],
  ["candidate", "voteReply", -1, "stale"],
  ["candidate", "append", -1, "stale"],
  ["candidate", "preVoteReply", 0, "stale"],
  ["candidate", "acknowledgement", 0, "notLeader"],
  ["preCandidate", "preVoteReply", -1, "stale"],
  ["preCandidate", "voteReply", 0, "stale"],
  ["preCandidate", "acknowledgement", 0, "notLeader"],
  ["follower", "preVoteReply", 0, "stale"],
  ["follower", "voteReply", 0, "stale"],
  ["follower", "acknowledgement", 0, "notLeader"],
] as const;
for (const [role, kind, ago, reason] of IGNORED) {
  test(`a ${role} ignores a ${kind} of its term ${ago} as ${reason}`, () => {
    const node = inRole(role);
    const effects = node.hear(2, message(kind, node.state.term + ago));
    assert.deepEqual(reasons(effects), [reason]);
    assert.equal(node.state.role, role);
  });
}

test("a follower hears one leader in a term, and none of an older one", () => {
  const node = inRole("follower");
  node.hear(1, message("append", 3));
  assert.deepEqual(reasons(node.hear(2, message("append", 3))), ["secondLeader"]);
  assert.deepEqual(reasons(node.hear(2, message("append", 2))), ["stale"]);
  assert.equal(node.state.leader, node.sealers[1]);
});

test("what stands on another head does not count for a leader", () => {
  const node = inRole("leader");
  const { term } = node.state;
  const other = { ...message("acknowledgement", term), head: digest("f") };
  assert.deepEqual(reasons(node.hear(1, other)), ["otherHead"]);
});

test("only a leader proposes, in its own term, on its own head", () => {
  const follower = inRole("follower");
  const view = 1;
  const proposal = follower.block("a", 0);
  assert.deepEqual(reasons(follower.give({ type: "proposal", view, proposal })), ["notLeader"]);
  const leader = inRole("leader");
  const { term } = leader.state;
  const late = leader.give({ type: "proposal", view: term - 1, proposal });
  assert.deepEqual(reasons(late), ["notLeader"]);
  const high = { ...proposal, number: 9 };
  const wrong = leader.give({ type: "proposal", view: term, proposal: high });
  assert.deepEqual(reasons(wrong), ["wrongProposal"]);
});

test("a block that was written already is no news", () => {
  const node = inRole("follower");
  const written = {
    type: "written",
    height: 1,
    hash: digest("b"),
    config: node.config(0),
  } as const;
  node.give(written);
  assert.deepEqual(node.give(written), []);
});

/** A node whose ledger bounds the time of blocks, and a block beyond. */
function withFuture(role: Role) {
  const node = inRole(role);
  node.state.config = { ...node.state.config, time: { parent: 0, maxFutureMs: 100 } };
  const proposal = { ...node.block("a", role === "leader" ? 0 : 1) };
  return { node, proposal: { ...proposal, time: { timestamp: 9_000, reference: 0 } } };
}

for (const role of ["follower", "preCandidate", "candidate"] as const) {
  test(`a ${role} does not hear a leader whose block is ahead of time`, () => {
    for (const ahead of [0, 1]) {
      const { node, proposal } = withFuture(role);
      const term = node.state.term + ahead;
      const append = { ...message("append", term), entry: proposal.hash } as Message;
      assert.deepEqual(reasons(node.hear(1, append, proposal)), ["aheadOfTime"]);
      assert.equal(node.state.leader, undefined);
    }
  });
}

test("a leader whose own block is ahead of time gives way to another one", () => {
  const { node, proposal } = withFuture("leader");
  const effects = node.give({ type: "proposal", view: node.state.term, proposal });
  assert.deepEqual(reasons(effects), ["aheadOfTime"]);
  assert.equal(node.state.role, "follower");
});

/** A follower that is given a block of a peer, which its executor refuses. */
function refusing(role: Role, isHeld: boolean) {
  const node = inRole(role);
  const proposal = node.block("a");
  if (isHeld) node.state.entry = { term: 0, height: 1, proposal: proposal.hash, proposer: 1 };
  const from = node.sealers[1] ?? node.state.config.self;
  node.give({ type: "block", from, block: { proposal, executed: digest("b") } });
  node.give({ type: "assembled", proposal: proposal.hash, complete: true });
  const token = node.state.work?.token;
  assert.ok(token);
  return { node, effects: node.give({ type: "executed", token, executed: undefined }) };
}

test("a final block that this node holds and refuses stops the group on it", () => {
  const { node, effects } = refusing("follower", true);
  assert.equal(of(effects, "stopGroup").length, 1);
  assert.equal(node.state.role, "stopped");
  assert.deepEqual(node.wait(10_000), []);
});

test("a block of a peer that this node refuses is not taken", () => {
  const { node, effects } = refusing("follower", false);
  assert.deepEqual(reasons(effects), ["refused"]);
  assert.equal(node.state.decision, undefined);
});

test("an entry that came while the block below was being written is taken after it", () => {
  const node = inRole("follower");
  const [first, next] = [digest("a"), digest("c")];
  node.hear(1, { type: "append", term: 1, entry: first }, node.block("a"));
  node.execute("a");
  const head = digest("d");
  const proposal = { ...node.block("c"), number: 2, parentHash: head };
  node.state.decision = { proposal: first, executed: undefined, from: undefined, writing: true };
  node.hear(1, { type: "append", term: 1, height: 1, head, entry: next }, proposal);
  const incoming = () => node.state.incoming?.proposal;
  assert.equal(incoming(), undefined);
  node.give({ type: "written", height: 1, hash: head, config: node.config(0) });
  assert.equal(incoming(), next);
});
