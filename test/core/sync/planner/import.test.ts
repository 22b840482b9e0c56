/** Verification before import, in order, and who is to blame for a block that does not pass. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { believableHeight } from "../../../../core/sync/planner/status.ts";
import type { SyncEffect, SyncReport } from "../../../../core/sync/planner/effect.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { trueHash } from "./chain.ts";
import { PEERS, PlannerDriver, SELF, upTo } from "./driver.ts";

const [P2, P3, P4] = PEERS;
const [P5, P6] = [5, 6].map(nodeIdOfNumber) as [NodeId, NodeId];

/** A planner that has asked peer 2 for blocks 1 to `count`. */
function asking(count: number, setting: ConstructorParameters<typeof PlannerDriver>[0] = {}) {
  const driver = new PlannerDriver({ sessions: [P2, P3], ...setting });
  driver.status(P2, count);
  assert.deepEqual(driver.requests(), [`2: 1+${count}`]);
  return driver;
}

function numbersOf(effects: readonly SyncEffect[]): number[][] {
  return effects.map((effect) => {
    if (effect.type !== "verify" && effect.type !== "import") return [];
    return effect.blocks.map(({ number }) => number);
  });
}

function reportsOf(effect: SyncEffect): SyncReport[] {
  return effect.type === "report" ? [effect.report] : [];
}

/** The token of the last effect of a type. */
function token(driver: PlannerDriver, type: "verify" | "import"): number {
  return driver.of(type).at(-1)?.token ?? 0;
}

// rules: sync 9, pbft 8
test("nothing is imported that was not verified, and that only in order", () => {
  const driver = asking(4);
  driver.blocks(P2, [3, 4]);
  assert.deepEqual([driver.of("verify"), driver.of("import")], [[], []]);
  driver.blocks(P2, [1, 2]);
  assert.deepEqual(numbersOf(driver.of("verify")), [[1, 2, 3, 4]]);
  assert.deepEqual(driver.of("verify")[0]?.sealers, driver.plan.sealers);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  assert.deepEqual(numbersOf(driver.of("import")), [[1, 2, 3, 4]]);
});

test("the next run is verified while one is imported", () => {
  const driver = asking(5);
  driver.blocks(P2, [1, 2]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  const running = token(driver, "import");
  driver.blocks(P2, [3, 4, 5]);
  assert.deepEqual(numbersOf(driver.of("verify")), [[3, 4, 5]]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  assert.deepEqual(driver.of("import"), []);
  for (const number of [1, 2]) driver.commit(number);
  driver.feed({ type: "imported", token: running });
  assert.deepEqual(numbersOf(driver.of("import")), [[3, 4, 5]]);
});

test("an answer with an old token changes nothing", () => {
  const driver = asking(2);
  driver.blocks(P2, [1, 2]);
  driver.feed({ type: "verified", token: token(driver, "verify") + 1 });
  assert.deepEqual(driver.of("import"), []);
  driver.feed({ type: "imported", token: 99 });
  assert.equal(driver.state.importing, undefined);
});

test("the sender of a block without a good certificate is excluded, others are asked", () => {
  const driver = asking(4);
  driver.status(P3, 4);
  driver.blocks(P2, [1, 2, 3, 4]);
  const defect = { number: 3, reason: "badCertificate" } as const;
  driver.feed({ type: "verified", token: token(driver, "verify"), defect });
  assert.deepEqual(driver.offences(), ["2: badBlock"]);
  assert.deepEqual(numbersOf(driver.of("import")), [[1, 2]]);
  assert.deepEqual(driver.requests(), ["3: 3+2"]);
  assert.equal(believableHeight(driver.state), 4);
});

test("a Byzantine node is excluded twice as long each time, and comes back", () => {
  const driver = asking(4);
  driver.feed({ type: "malformed", from: P2 });
  assert.deepEqual(driver.offences(), ["2: malformed"]);
  assert.equal(driver.state.downloading, false);
  driver.pass(29_999);
  assert.deepEqual(driver.requests(), []);
  driver.pass(1);
  assert.deepEqual(driver.requests(), ["2: 1+4"]);
  driver.feed({ type: "malformed", from: P2 });
  driver.pass(59_999);
  assert.deepEqual(driver.requests(), []);
  driver.pass(1);
  assert.deepEqual(driver.requests(), ["2: 1+4"]);
});

const PACKETS = [
  { name: "a gap", numbers: [1, 3], offence: "2: wrongNumbers" },
  { name: "numbers that go down", numbers: [2, 1], offence: "2: wrongNumbers" },
  { name: "the same number twice", numbers: [1, 1], offence: "2: wrongNumbers" },
  { name: "blocks no caller asked for", numbers: [5], offence: "2: unasked" },
  { name: "block 0", numbers: [0, 1], offence: "2: unasked" },
];
for (const { name, numbers, offence } of PACKETS) {
  test(`a packet with ${name} is refused as a whole`, () => {
    const driver = asking(4);
    driver.blocks(P2, numbers);
    assert.deepEqual(driver.offences(), [offence]);
    assert.equal(driver.state.queue.size, 0);
  });
}

test("a block that does not stand on the head is its sender's lie", () => {
  const driver = asking(2);
  driver.blocks(P2, [1], "wrongParent");
  assert.deepEqual(driver.offences(), ["2: wrongParent"]);
});

test("where two blocks do not fit, the second is blamed once the first is verified", () => {
  const driver = new PlannerDriver({ sessions: [P2, P3] });
  driver.status(P2, 20);
  driver.status(P3, 20);
  assert.deepEqual(driver.requests(), ["3: 13+8"]);
  driver.blocks(P3, [13], "wrongParent");
  driver.blocks(P2, upTo(1, 12));
  assert.deepEqual(driver.offences(), []);
  assert.deepEqual(numbersOf(driver.of("verify")), [upTo(1, 12)]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  assert.deepEqual(driver.offences(), ["3: wrongParent"]);
});

test("a block that names other sealers than those in force is a lie", () => {
  const driver = asking(2);
  driver.blocks(P2, [1], "wrongSealers");
  assert.deepEqual(driver.offences(), ["2: wrongSealers"]);
});

test("a run ends where other sealers come into force, and goes on after the import", () => {
  const driver = asking(4, { plan: { changeAt: 2 } });
  driver.blocks(P2, [1, 2, 3, 4]);
  assert.deepEqual(numbersOf(driver.of("verify")), [[1, 2]]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  const running = token(driver, "import");
  for (const number of [1, 2]) driver.commit(number);
  assert.deepEqual(numbersOf(driver.of("verify")), [[3, 4]]);
  assert.equal(driver.of("verify")[0]?.sealers.length, 3);
  driver.feed({ type: "imported", token: running });
  assert.deepEqual(driver.offences(), []);
});

test("a block that consensus writes first leaves the queue and its request", () => {
  const driver = asking(5);
  driver.blocks(P2, [2, 3]);
  driver.commit(1);
  assert.deepEqual(numbersOf(driver.of("verify")), [[2, 3]]);
  driver.commit(2);
  driver.commit(3);
  assert.equal(driver.state.queue.size, 0);
  assert.deepEqual([...(driver.state.shards[0]?.waiting ?? [])], [4, 5]);
});

test("a block that differs from the one consensus wrote is its sender's lie", () => {
  const driver = asking(2);
  driver.blocks(P2, [1], "forged");
  driver.commit(1);
  assert.deepEqual(driver.offences(), ["2: badBlock"]);
});

test("a busy height is tried again, verified again, and no node is blamed", () => {
  const driver = asking(1, { plan: { sealers: PEERS, observers: [SELF] } });
  driver.blocks(P2, [1]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  driver.feed({ type: "imported", token: token(driver, "import"), fault: "busy" });
  assert.deepEqual(driver.offences(), []);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  assert.deepEqual(driver.of("import"), []);
  driver.pass(200);
  assert.deepEqual(numbersOf(driver.of("import")), [[1]]);
});

test("a run of blocks to verify has no gap where others are verified already", () => {
  const driver = asking(5);
  driver.blocks(P2, [1, 2]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  const running = token(driver, "import");
  driver.blocks(P2, [3, 4]);
  const second = token(driver, "verify");
  driver.blocks(P2, [5]);
  driver.feed({ type: "imported", token: running, fault: "busy" });
  driver.feed({ type: "verified", token: second });
  assert.deepEqual(numbersOf(driver.of("verify")), [[1, 2]]);
});

test("a block that the import refuses is its sender's lie", () => {
  const driver = asking(2);
  driver.blocks(P2, [1, 2]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  driver.feed({ type: "imported", token: token(driver, "import"), fault: "peer" });
  assert.deepEqual(driver.offences(), ["2: badBlock"]);
});

test("a certified block that gives other results here stops the planner", () => {
  const driver = asking(2);
  driver.blocks(P2, [1, 2]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  driver.feed({ type: "imported", token: token(driver, "import"), fault: "own" });
  assert.deepEqual(driver.of("stop"), [{ type: "stop", number: 1 }]);
  assert.deepEqual(driver.status(P3, 9), []);
});

test("without certificates the sealers of a header are not compared", () => {
  const base = new PlannerDriver().state.config;
  const driver = asking(1, {
    plan: { sealers: PEERS, observers: [SELF] },
    beginning: { config: { ...base, sealers: PEERS, observers: [SELF], certified: false } },
  });
  driver.blocks(P2, [1], "wrongSealers");
  assert.deepEqual(numbersOf(driver.of("verify")), [[1]]);
});

test("without certificates only sealers are asked for blocks", () => {
  const driver = new PlannerDriver({
    plan: { sealers: [SELF, P2], observers: [P3] },
    beginning: {
      config: { self: SELF, sealers: [SELF, P2], observers: [P3], maxFaulty: 0, certified: false },
    },
  });
  driver.status(P3, 5);
  assert.deepEqual(driver.requests(), []);
  driver.status(P2, 5);
  assert.deepEqual(driver.requests(), ["2: 1+5"]);
});

/** A node without certificates whose list names only itself and node 2. */
function uncertified(certified = false): PlannerDriver {
  const config = { self: SELF, sealers: [SELF, P2], observers: [], maxFaulty: 0, certified };
  return new PlannerDriver({ beginning: { config }, sessions: [P2, P3] });
}

/**
 * Reports of blocks that no node can prove while peers report every five seconds where they stand.
 */
function unprovable(node: PlannerDriver, seconds: number, heights: ReadonlyMap<NodeId, number>) {
  const all: SyncEffect[] = [];
  for (let second = 0; second < seconds; second += 5) {
    for (const [peer, height] of heights) all.push(...node.status(peer, height));
    all.push(...node.pass(5_000));
  }
  return all.flatMap(reportsOf).filter(({ event }) => event === "unprovable");
}

test("without certificates operators learn of blocks when all sealers are silent", () => {
  const node = uncertified();
  const outsider = new Map([[P3, 5]]);
  const report = [{ event: "unprovable", peer: P3, number: 5, silent: [P2] }];
  assert.deepEqual(unprovable(node, 25, outsider), []);
  assert.deepEqual(unprovable(node, 100, outsider), report);
  // The sealer is back for a moment.
  assert.deepEqual(unprovable(node, 5, new Map([[P2, 0]])), []);
  assert.deepEqual(unprovable(node, 20, outsider), []);
  assert.deepEqual(unprovable(node, 60, outsider), report);
  assert.deepEqual(unprovable(uncertified(true), 100, outsider), []);
});

test("a sealer that speaks is enough: it may be slow, and a node that is above it may lie", () => {
  const lying = new Map([...[[P2, 0] as const, [P3, 1_000_000] as const]]);
  assert.deepEqual(unprovable(uncertified(), 600, lying), []);
  // It says that it has blocks, serves none, and is excluded for longer and longer.
  const node = uncertified();
  assert.deepEqual(unprovable(node, 600, new Map([[P2, 15]])), []);
  assert.ok((node.state.peers.get(P2)?.failures ?? 0) > 5);
});

test("sealers that were left behind together are told too, as long as they are no majority", () => {
  const others = [P2, P4, P5, P6];
  const config = { self: SELF, sealers: [SELF, ...others], observers: [], maxFaulty: 0 };
  const driver = () =>
    new PlannerDriver({
      beginning: { config: { ...config, certified: false } },
      sessions: [P2, P3, P4],
    });
  const together = [[P2, 0] as const, [P3, 5] as const];
  const report = [{ event: "unprovable", peer: P3, number: 5, silent: [P4, P5, P6] }];
  assert.deepEqual(unprovable(driver(), 100, new Map(together)), report);
  // A third one can make blocks with them, or has those that the peer speaks of.
  assert.deepEqual(unprovable(driver(), 100, new Map([...together, [P4, 0]])), []);
  assert.deepEqual(unprovable(driver(), 100, new Map([...together, [P2, 5]])), []);
});

test("what a peer reported long ago is no reason: it does not count this node in any more", () => {
  const node = uncertified();
  node.status(P3, 5);
  assert.deepEqual(unprovable(node, 120, new Map()), []);
  assert.equal(node.state.lastDeadline, node.state.announcedAt + 5_000);
});

test("without certificates the blocks of a former sealer are asked of another one", () => {
  const config = { self: SELF, observers: [], maxFaulty: 0, certified: false };
  const sealers = [SELF, P2, P3];
  const driver = new PlannerDriver({
    plan: { sealers },
    sessions: [P2],
    beginning: { config: { ...config, sealers } },
  });
  driver.status(P2, 3);
  driver.blocks(P2, [1, 2, 3]);
  driver.feed({ type: "verified", token: token(driver, "verify") });
  const importing = token(driver, "import");
  driver.feed({ type: "peerUp", peer: P3 });
  driver.status(P3, 3);
  const after = { ...config, sealers: [SELF, P3], observers: [P2] };
  driver.feed({ type: "committed", number: 1, hash: trueHash(1), config: after });
  driver.feed({ type: "imported", token: importing });
  assert.deepEqual(driver.requests(), ["3: 2+2"]);
  assert.deepEqual(driver.offences(), []);
});

test("an equal height with another hash is reported", () => {
  const driver = new PlannerDriver({ height: 3 });
  driver.status(P2, 3, trueHash(9));
  assert.deepEqual(driver.reports(), [{ event: "otherHash", peer: P2, number: 3 }]);
});
