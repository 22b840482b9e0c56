/** Whatever arrives in whatever order, the planner does not throw and keeps its invariants. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { Random } from "../../../simulation/random.ts";
import { cases } from "../../../support/runner/cases.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { KINDS } from "./chain.ts";
import { PEERS, PlannerDriver, upTo } from "./driver.ts";

const RUNS = cases(150);
const INPUTS = 120;

function feedAnything(driver: PlannerDriver, random: Random): void {
  const from: NodeId = random.chance(0.9) ? random.pick(PEERS) : nodeIdOfNumber(random.below(9));
  const { height, nextToken } = driver.state;
  const near = () => Math.max(0, height + random.below(40) - 5);
  const token = Math.max(0, nextToken - random.below(4));
  const first = near();
  driver.now += random.chance(0.1) ? random.below(20_000) : random.below(50);
  const inputs = [
    () => driver.feed({ type: "tick" }),
    () => driver.feed({ type: random.chance(0.5) ? "peerUp" : "peerDown", peer: from }),
    () => driver.status(from, random.chance(0.1) ? Number.MAX_SAFE_INTEGER : near()),
    () => {
      const wanted = 1 + random.below(height + 2);
      driver.feed({ type: "requestRange", from, first: wanted, count: 1 + random.below(32) });
    },
    () => driver.blocks(from, upTo(first, first + random.below(20)), random.pick(KINDS)),
    () => driver.blocks(from, [near(), near()]),
    () => driver.answerAll(),
    () => driver.feed({ type: "malformed", from }),
    () => driver.feed({ type: "sealing", number: random.chance(0.3) ? 0 : near() }),
    () => driver.commit(height + 1 + (random.chance(0.1) ? random.below(5) : 0)),
    () => driver.commit(near()),
    () => driver.feed({ type: "verified", token }),
    () => driver.feed({ type: "verified", token, defect: { number: near(), reason: "badBody" } }),
    () => driver.feed({ type: "imported", token, fault: random.pick(["peer", "busy", undefined]) }),
    () => driver.feed({ type: "loaded", token, blocks: [new Uint8Array(random.below(99))] }),
    () => {
      const { loading } = driver;
      const blocks = [new Uint8Array(1), new Uint8Array(2)];
      if (loading) driver.feed({ type: "loaded", token: loading.token, blocks });
    },
  ];
  random.pick(inputs)();
}

// rules: sync 9
test(`${RUNS} runs of random inputs keep the invariants`, () => {
  const totals = { asked: 0, penalties: 0, served: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = new Random(seed);
    const maxMemoryBytes = 500 + random.below(20_000);
    const plan = { changeAt: random.below(40) };
    const driver = new PlannerDriver({
      height: random.below(20),
      plan,
      tuning: { maxMemoryBytes },
    });
    for (let count = 0; count < INPUTS; count++) feedAnything(driver, random);
    const { requestsSent, penalties, blocksServed } = driver.state.counters;
    totals.asked += requestsSent;
    totals.penalties += penalties;
    totals.served += blocksServed;
  }
  assert.ok(Math.min(totals.asked, totals.penalties, totals.served) > 100, JSON.stringify(totals));
});
