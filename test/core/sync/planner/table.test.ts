/** What block sync ignores on purpose, where schedules cannot see it. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "vitest";
import { PROTOCOLS } from "../../../simulation/rows/protocols.ts";
import { refuseUndeclared, remember } from "../../../simulation/rows/rows.ts";
import { PEERS, PlannerDriver } from "./driver.ts";

let restore: () => void = () => undefined;
beforeEach(() => {
  const { sync } = PROTOCOLS;
  assert.ok(sync);
  restore = remember(sync);
  refuseUndeclared(sync);
});
afterEach(() => restore());

const [P2, P3] = PEERS;

// rules: sync 9
test("blocks of a node without a session are ignored, and operators can see it", () => {
  const driver = new PlannerDriver({ sessions: [P3] });
  driver.blocks(P2, [1]);
  assert.deepEqual(driver.reports(), [{ event: "ignored", from: P2, reason: "unknownPeer" }]);
});

test("a block that was written already is no news", () => {
  const driver = new PlannerDriver();
  driver.commit(1);
  assert.deepEqual(driver.commit(1), []);
});

test("blocks that were read for a peer that has left go nowhere", () => {
  const driver = new PlannerDriver({ height: 5 });
  driver.feed({ type: "requestRange", from: P2, first: 1, count: 2 });
  const token = driver.loading?.token ?? 0;
  driver.feed({ type: "peerDown", peer: P2 });
  assert.deepEqual(driver.feed({ type: "loaded", token, blocks: [new Uint8Array(9)] }), []);
});

test("the answer to a verification that was given up changes nothing", () => {
  const driver = new PlannerDriver();
  driver.status(P2, 5);
  driver.blocks(P2, [1, 2, 3, 4, 5]);
  const [asked] = driver.of("verify");
  assert.ok(asked);
  driver.feed({ type: "verified", token: asked.token - 1, defect: undefined });
  assert.equal(driver.state.verifying?.token, asked.token);
});
