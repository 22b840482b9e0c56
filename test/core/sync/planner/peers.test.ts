/** The peer table and announcements: who is in it, who learns what when. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { isMember } from "../../../../core/sync/planner/state.ts";
import { syncStatus } from "../../../../core/sync/planner/status.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { trueHash } from "./chain.ts";
import { PEERS, PlannerDriver, SELF } from "./driver.ts";

const [P2, P3, P4] = PEERS;
const OUTSIDER = nodeIdOfNumber(9);

function known(driver: PlannerDriver): NodeId[] {
  return syncStatus(driver.state).peers.map(({ nodeId }) => nodeId);
}

/** Everybody a status went to, ascending. */
function told(driver: PlannerDriver): NodeId[] {
  return driver
    .sent("status")
    .flatMap(({ to }) => to)
    .sort();
}

// rules: sync 2, 8
test("a member that connects shows block 0 and the genesis hash, and hears our status", () => {
  const driver = new PlannerDriver({ height: 4, sessions: [] });
  driver.feed({ type: "peerUp", peer: P2 });
  const genesisHash = trueHash(0);
  assert.deepEqual(syncStatus(driver.state), {
    isSyncing: false,
    knownHighestNumber: 4,
    knownLatestHash: trueHash(4),
    peers: [{ nodeId: P2, number: 0, genesisHash, latestHash: genesisHash, isHeard: false }],
  });
  const message = { type: "status", number: 4, genesisHash, latestHash: trueHash(4) };
  assert.deepEqual(driver.of("send"), [{ type: "send", to: [P2], message }]);
});

test("a single node has no peers", () => {
  const driver = new PlannerDriver({ sessions: [], plan: { sealers: [SELF] } });
  driver.feed({ type: "peerUp", peer: SELF });
  assert.deepEqual(known(driver), []);
});

test("peers are ordered by node ID", () => {
  const driver = new PlannerDriver({ sessions: [P4, P2, P3] });
  assert.deepEqual(known(driver), [P2, P3, P4]);
});

test("a non-member enters only when it is higher, and stays only as long", () => {
  const driver = new PlannerDriver({ sessions: [OUTSIDER], height: 5 });
  assert.deepEqual(known(driver), []);
  driver.status(OUTSIDER, 5);
  assert.deepEqual(known(driver), []);
  driver.status(OUTSIDER, 6);
  assert.deepEqual(known(driver), [OUTSIDER]);
  driver.commit(6);
  assert.deepEqual(known(driver), []);
});

test("all sessions are peers where free nodes are allowed", () => {
  const driver = new PlannerDriver({ sessions: [OUTSIDER], tuning: { allowFreeNode: true } });
  assert.deepEqual(known(driver), [OUTSIDER]);
});

// rules: sync 1
test("a status of another chain, of no node or of this node itself is ignored", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  const status = { number: 9, genesisHash: hashOfNumber(77), latestHash: trueHash(9) };
  driver.feed({ type: "status", from: P2, status });
  assert.deepEqual(driver.reports(), [{ event: "ignored", from: P2, reason: "otherGenesis" }]);
  for (const from of [P3, SELF]) {
    driver.status(from, 9);
    assert.deepEqual(driver.reports(), [{ event: "ignored", from, reason: "unknownPeer" }]);
  }
  assert.equal(driver.state.downloading, false);
});

// rules: sync 3
test("a new height is announced within 200 ms, the same height every 5 s", () => {
  const driver = new PlannerDriver();
  driver.pass(4_999);
  assert.deepEqual(told(driver), []);
  driver.pass(1);
  assert.deepEqual(told(driver), PEERS);
  driver.commit(1);
  assert.deepEqual(told(driver), []);
  driver.commit(2);
  driver.pass(200);
  assert.deepEqual(told(driver), PEERS);
  assert.equal(driver.sent("status")[0]?.message.number, 2);
  driver.pass(4_999);
  assert.deepEqual(told(driver), []);
});

test("in a tree the neighbours learn of a block, and some by lot", () => {
  const observers = Array.from({ length: 20 }, (_, index) => nodeIdOfNumber(20 + index));
  const plan = { sealers: [SELF, P2], observers };
  const sessions = [P2, ...observers];
  const driver = new PlannerDriver({ plan, sessions, tuning: { statusByTree: true } });
  driver.commit(1);
  driver.pass(200);
  assert.deepEqual(told(driver), [P2, nodeIdOfNumber(20)]);
  driver.pass(800);
  assert.equal(new Set(told(driver)).size, 3);
  driver.pass(60_000);
  assert.deepEqual([...new Set(told(driver))].sort(), sessions);
});

/** A node that block 1 has taken out of the lists. */
function leaver(): PlannerDriver {
  // The last sealer is removed by block 1 and, here, is no observer either.
  const driver = new PlannerDriver({ plan: { sealers: [SELF, ...PEERS] } });
  const { config } = driver.state;
  driver.feed({
    type: "committed",
    number: 1,
    hash: trueHash(1),
    config: { ...config, sealers: PEERS },
  });
  return driver;
}

test("a node that left says so once more, and nothing to members that have its block", () => {
  const driver = leaver();
  assert.deepEqual(told(driver), PEERS);
  for (const peer of PEERS) driver.status(peer, 1);
  driver.pass(60_000);
  assert.deepEqual(told(driver), []);
});

test("a node that left tells members that may lack its block, more and more seldom", () => {
  const driver = leaver();
  const [behind, ...others] = PEERS;
  for (const peer of others) driver.status(peer, 2);
  const heard: number[] = [];
  for (let second = 1; second <= 3_600; second++) {
    driver.pass(1_000);
    const to = told(driver);
    if (to.length > 0) heard.push(second);
    assert.ok(to.every((peer) => peer === behind));
  }
  assert.deepEqual(heard.slice(0, 5), [5, 15, 35, 75, 135]);
  assert.ok(heard.length < 65, `${heard.length} times in an hour`);
  // A member that comes back is told at once: the pause is the shortest again.
  driver.feed({ type: "peerDown", peer: behind });
  driver.pass(10_000);
  driver.feed({ type: "peerUp", peer: behind });
  assert.deepEqual(told(driver), [behind]);
});

test("two nodes that are each in the other's list only find together", () => {
  // Block 1 exchanged the one sealer for the other, which has not learned of it.
  const ahead = new PlannerDriver({ height: 1, plan: { sealers: [P2] }, sessions: [P2] });
  const behind = new PlannerDriver({ plan: { sealers: [P2] }, sessions: [P2] });
  behind.pass(60_000);
  assert.deepEqual(told(behind), []);
  ahead.pass(5_000);
  assert.deepEqual(told(ahead), [P2]);
  behind.status(P2, 1);
  assert.deepEqual(behind.requests(), ["2: 1+1"]);
  ahead.pass(10_000);
  ahead.feed({ type: "requestRange", from: P2, first: 1, count: 1 });
  assert.equal(ahead.of("load").length, 1);
  // A node that asks is behind, and forgets what is older than fifteen seconds.
  for (let second = 0; second < 3; second++) {
    ahead.feed({ type: "requestRange", from: P2, first: 1, count: 1 });
    ahead.pass(5_000);
    assert.deepEqual(told(ahead), [P2]);
  }
});

test("a new node of a group, which is in no list yet, has nothing to tell", () => {
  const driver = new PlannerDriver({ plan: { sealers: PEERS } });
  driver.pass(60_000);
  assert.deepEqual(told(driver), []);
  assert.equal(driver.state.lastDeadline, undefined);
});

test("a member that is lower hears again where a node that left stands", () => {
  const driver = new PlannerDriver({ height: 8, plan: { sealers: PEERS } });
  driver.status(P2, 8);
  driver.status(OUTSIDER, 3);
  assert.deepEqual(told(driver), []);
  driver.status(P2, 7);
  assert.deepEqual(told(driver), [P2]);
});

// rules: groups 5
test("a node in no list downloads from members that still tell it, not from memory", () => {
  const driver = new PlannerDriver({ plan: { sealers: PEERS }, sessions: [P2] });
  driver.status(P2, 5);
  assert.deepEqual(driver.requests(), ["2: 1+5"]);
  driver.pass(60_000);
  assert.equal(driver.state.downloading, false);
  driver.status(P2, 6);
  assert.deepEqual(driver.requests(), ["2: 1+6"]);
});

test("a status is answered to a newcomer of the lists, and non-members leave them", () => {
  const driver = new PlannerDriver({ sessions: [P2, OUTSIDER] });
  const { config } = driver.state;
  const changed = { ...config, sealers: [SELF], observers: [OUTSIDER] };
  driver.feed({ type: "committed", number: 1, hash: trueHash(1), config: changed });
  assert.deepEqual(known(driver), [OUTSIDER]);
  assert.deepEqual(told(driver), [OUTSIDER]);
});

test("what is under way and who is excluded is counted", () => {
  const driver = new PlannerDriver({ sessions: [P2, P3] });
  driver.status(P2, 9);
  driver.feed({ type: "malformed", from: P3 });
  const { shards, peers, counters } = driver.state;
  assert.equal(shards.length, 1);
  assert.equal([...peers.values()].filter((peer) => driver.now < peer.excludedUntil).length, 1);
  assert.equal(counters.penalties, 1);
  assert.equal(isMember(driver.state), true);
});

test("a peer is excluded about as long as it took its messages back, not for minutes more", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  for (let second = 1; second <= 30; second++) {
    driver.status(P2, 700);
    driver.status(P2, 0);
    driver.pass(1_000);
  }
  // It was the only one that wrote block 1 meanwhile.
  driver.status(P2, 1);
  driver.requests();
  driver.pass(35_000);
  assert.deepEqual(driver.requests(), ["2: 1+1"]);
});

test("messages that overtake each other once in a while are no offence", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  for (let times = 0; times < 3; times++) {
    driver.status(P2, 1);
    driver.status(P2, 0);
    assert.deepEqual(driver.offences(), []);
    driver.pass(10_000);
  }
  driver.status(P2, 1);
  driver.status(P2, 0);
  driver.status(P2, 1);
  driver.status(P2, 0);
  assert.deepEqual(driver.offences(), ["2: silence"]);
});

/** What consensus learns of a peer. */
function hear(driver: PlannerDriver, from: NodeId, number: number): void {
  const status = { number, genesisHash: trueHash(0), latestHash: trueHash(number) };
  driver.feed({ type: "status", from, status, ofConsensus: true });
}

test("consensus messages overtake statuses that wait behind blocks: no node is to blame", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  for (const number of [3, 4, 5]) {
    hear(driver, P2, number + 2);
    driver.status(P2, number);
    assert.deepEqual(driver.offences(), []);
    assert.equal(driver.state.peers.get(P2)?.number, number + 2);
    assert.equal(driver.state.peers.get(P2)?.latestHash, trueHash(number + 2));
  }
});

test("what was reported in one way is not taken back in the other", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  const offences: string[] = [];
  for (let second = 0; second < 10; second++) {
    hear(driver, P2, 700);
    driver.status(P2, 0);
    assert.equal(driver.state.peers.get(P2)?.number, 700);
    driver.pass(1_000);
    offences.push(...driver.offences());
  }
  assert.deepEqual(offences, ["2: silence"], "it serves nothing of what it claims");
});

test("a number that stands is shown with the hash that was reported of it", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  const shown = () => {
    const [peer] = syncStatus(driver.state).peers;
    return [peer?.number, peer?.latestHash];
  };
  driver.status(P2, 9);
  hear(driver, P2, 5);
  assert.deepEqual(shown(), [9, trueHash(9)]);
  driver.status(P2, 2);
  assert.deepEqual(shown(), [5, trueHash(5)]);
  driver.status(P2, 5, hashOfNumber(77));
  assert.deepEqual(shown(), [5, hashOfNumber(77)]);
  hear(driver, P2, 1);
  assert.deepEqual(shown(), [5, hashOfNumber(77)]);
  driver.status(P2, 0);
  assert.deepEqual(shown(), [1, trueHash(1)]);
});

test("bad luck of long ago is forgotten", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  const failuresAfter = (ms: number) => {
    driver.pass(ms);
    for (const number of [700, 0, 700, 0]) driver.status(P2, number);
    return driver.state.peers.get(P2)?.failures;
  };
  assert.deepEqual([failuresAfter(0), failuresAfter(1_000), failuresAfter(2_000)], [1, 2, 3]);
  assert.equal(failuresAfter(700_000), 1);
});
