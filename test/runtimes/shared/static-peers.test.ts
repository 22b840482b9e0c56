// Configured endpoints: when each is dialled again, whatever came of it.
// rules: node-network 2, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  FIRST_SELF_PAUSE_MS,
  LONGEST_SELF_PAUSE_MS,
  selfPauseMs,
} from "../../../core/network/admission.ts";
import {
  dialFaultLevel,
  type DialOutcome,
  StaticPeers,
} from "../../../runtimes/shared/p2p/static-peers.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";

const ENDPOINT = "127.0.0.1:30300";
const PEER = "ab".repeat(64) as NodeId;
const SELF: DialOutcome = { type: "self" };
const FAILED: DialOutcome = { type: "failed", reason: "nothing listens" };
const CONNECTED: DialOutcome = { type: "connected", nodeId: PEER };

/** A caller that waits for a dial has learned of it. */
const settled = () => new Promise((resume) => setImmediate(resume));

/** One endpoint, whose dials come to this one after the other, and no chance in its pauses. */
function arrange(outcomes: readonly DialOutcome[]) {
  const clock = createHandClock();
  const dialledAt: number[] = [];
  const peers = new StaticPeers(
    {
      clock,
      entropy: { bytes: (count) => new Uint8Array(count) },
      dial: async () => outcomes[dialledAt.push(clock.steady()) - 1] ?? FAILED,
      hasSession: (nodeId) => nodeId === PEER,
    },
    [ENDPOINT],
  );
  const pass = async (ms: number) => {
    clock.move(ms);
    await settled();
  };
  const state = () => peers.states()[0]?.state;
  return { peers, clock, dialledAt, pass, state };
}

test("the pause of an endpoint that is this node doubles from two minutes to sixteen", () => {
  const minutes = [1, 2, 3, 4, 5, 100].map((times) => selfPauseMs(times, 0) / 60_000);
  assert.deepEqual(minutes, [2, 4, 8, 16, 16, 16]);
  assert.equal(selfPauseMs(1, 0.5), FIRST_SELF_PAUSE_MS * 0.75);
  assert.equal(selfPauseMs(9, 1), LONGEST_SELF_PAUSE_MS / 2);
});

test("an endpoint that was this node is asked again after minutes, then less and less often", async () => {
  const { peers, dialledAt, pass, state } = arrange([SELF, SELF, SELF]);
  await peers.start();
  assert.equal(state(), "self");
  await pass(FIRST_SELF_PAUSE_MS - 1);
  assert.equal(dialledAt.length, 1);
  await pass(1);
  assert.equal(state(), "self");
  await pass(2 * FIRST_SELF_PAUSE_MS);
  assert.deepEqual(dialledAt, [0, FIRST_SELF_PAUSE_MS, 3 * FIRST_SELF_PAUSE_MS]);
});

test("one that is another node's by then has its session", async () => {
  const { peers, dialledAt, pass, state, clock } = arrange([SELF, FAILED, CONNECTED]);
  await peers.start();
  await pass(FIRST_SELF_PAUSE_MS);
  assert.deepEqual(peers.states(), [
    { endpoint: ENDPOINT, state: "waiting", reason: "nothing listens" },
  ]);
  // As after any dial that failed once.
  await pass(1_000);
  assert.equal(state(), "connected");
  assert.equal(dialledAt.length, 3);
  assert.equal(clock.waiting, 0);
});

test("a node that starts again asks at once who is there", async () => {
  const { peers, dialledAt, clock, state } = arrange([SELF, SELF]);
  await peers.start();
  peers.stop();
  assert.equal(clock.waiting, 0);
  await peers.start();
  assert.equal(dialledAt.length, 2);
  assert.equal(state(), "self");
});

test("an endpoint that was this node and is erased is not asked again", async () => {
  const { peers, dialledAt, pass } = arrange([SELF]);
  await peers.start();
  assert.equal(peers.erase(ENDPOINT), true);
  await pass(LONGEST_SELF_PAUSE_MS);
  assert.equal(dialledAt.length, 1);
});

test("a reason is a warning from the third time on, once, and again when it is another one", () => {
  const levels = ["refused", "refused", "refused", "refused", "no way", "no way"].map(
    (reason, failures, all) =>
      dialFaultLevel({ failures, reason: failures === 0 ? undefined : all[failures - 1] }, reason),
  );
  assert.deepEqual(levels, ["info", "info", "warning", "info", "warning", "info"]);
});
