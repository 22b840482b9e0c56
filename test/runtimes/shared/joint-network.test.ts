/** A network in memory that is widened by one over sockets; here both are in memory. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type {
  PeerAdmission,
  Incoming,
  Network,
  NetworkEvents,
} from "../../../core/ports/network.ts";
import { createJointNetwork } from "../../../runtimes/shared/joint-network.ts";
import { createMemoryHub } from "../../../runtimes/shared/memory-network.ts";

const PEER = { endpoint: "127.0.0.1:1", agency: "a", node: "n", topics: [] };
const id = (digit: string) => digit.repeat(128) as NodeId;
const [SELF, NEAR, FAR] = [id("1"), id("2"), id("3")];
const TEXT = { groupId: 1, kind: "consensus", bytes: Uint8Array.of(7) } as const;

function place() {
  const schedule = (run: () => void) => void setImmediate(run);
  const [inside, outside] = [createMemoryHub({ schedule }), createMemoryHub({ schedule })];
  const joint = createJointNetwork(inside.join(SELF, PEER));
  const ends = { outer: outside.join(SELF, PEER), far: outside.join(FAR, PEER) };
  return { joint, near: inside.join(NEAR, PEER), twin: outside.join(NEAR, PEER), ...ends };
}

/** Starts a network and notes what it hears. */
async function listenTo(network: Network) {
  const heard: Incoming[] = [];
  const seen: string[] = [];
  await network.start({
    message: (message) => void heard.push(message),
    peerUp: (peer) => void seen.push(`up ${peer[0]}`),
    peerDown: (peer) => void seen.push(`down ${peer[0]}`),
  });
  return { heard, seen };
}

const turns = () => new Promise((resume) => setTimeout(resume, 20));

test("peers of both are one list, and each is reached where it is", async () => {
  const { joint, near, outer, far } = place();
  const own = await listenTo(joint);
  const [nearby, distant] = [await listenTo(near), await listenTo(far)];
  await joint.widen(outer);
  await turns();
  assert.deepEqual(
    joint
      .peers()
      .map(({ nodeId }) => nodeId)
      .sort(),
    [NEAR, FAR],
  );
  joint.send(NEAR, TEXT);
  joint.send(FAR, TEXT);
  far.send(SELF, TEXT);
  await turns();
  assert.deepEqual([nearby.heard.length, distant.heard.length], [1, 1]);
  assert.deepEqual(
    own.heard.map(({ from }) => from),
    [FAR],
  );
  assert.deepEqual(own.seen, ["up 2", "up 3"]);
  await joint.stop();
  await turns();
  assert.deepEqual(distant.seen, ["up 1", "down 1"]);
});

test("who is in memory is not reported of a second time, and is reached there", async () => {
  const { joint, near, twin, outer } = place();
  const own = await listenTo(joint);
  const [inside, outside] = [await listenTo(near), await listenTo(twin)];
  await joint.widen(outer);
  await turns();
  joint.send(NEAR, TEXT);
  await twin.stop();
  await turns();
  assert.deepEqual(own.seen, ["up 2"]);
  assert.deepEqual([inside.heard.length, outside.heard.length], [1, 0]);
  assert.equal(joint.peers().length, 1);
});

test("it is widened once; an attempt that fails leaves it as it was", async () => {
  const { joint, outer, far } = place();
  await listenTo(joint);
  await listenTo(far);
  const broken = { ...outer, start: () => Promise.reject(new RangeError("no port")) };
  await assert.rejects(joint.widen(broken), /no port/);
  await joint.widen(outer);
  await turns();
  assert.equal(joint.peers().length, 1);
  await assert.rejects(joint.widen(outer), /widened once/);
});

test("the network over sockets asks whether a message is heard", async () => {
  const { joint, outer } = place();
  const verdict: PeerAdmission = { isAdmitted: false, charge: 1 };
  await joint.start({
    message: () => undefined,
    admission: () => verdict,
    peerUp: () => undefined,
    peerDown: () => undefined,
  });
  const told: NetworkEvents[] = [];
  await joint.widen({ ...outer, start: async (events) => void told.push(events) });
  assert.deepEqual(told[0]?.admission?.({ from: FAR, ...TEXT }), verdict);
});
