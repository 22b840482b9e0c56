/** The life of a Raft group on whole nodes, under a clock that the test moves. */
// rules: raft 1, 3, 7, 8, 9, 10
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "vitest";
import { encodeCall } from "../../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { RaftStatus } from "../../../../core/consensus/raft/status.ts";
import { encodeMessage } from "../../../../core/consensus/raft/codec.ts";
import { encodeConsensusMessage } from "../../../../core/node/consensus/consensus-wire.ts";
import { decodeBlockMessage } from "../../../../core/sync/block-exchange.ts";
import {
  decodeSyncBlock,
  decodeSyncMessage,
  encodeSyncBlock,
  encodeSyncMessage,
  isSyncMessage,
} from "../../../../core/sync/sync-message.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import {
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../../../support/world/group-machine.ts";
import { NodeWorld, type NodeWorldOptions } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const CONSENSUS = addressOfNumber(0x1003);
const NODES = [0, 1, 2, 3];
/** An election, its back-off, and a block interval. */
const SOON_MS = 15_000;

function raftWorld(options: Partial<NodeWorldOptions> = {}): NodeWorld {
  const { genesis, ...rest } = options;
  return new NodeWorld({ suite, ...rest, genesis: { ...genesis, consensusType: "raft" } });
}

async function startedWorld(options: Partial<NodeWorldOptions> = {}): Promise<NodeWorld> {
  const world = raftWorld(options);
  await world.startAll();
  return world;
}

function statusOf(world: NodeWorld, index: number): RaftStatus {
  const status = world.group(index).consensusStatus();
  assert.equal(status.kind, "raft");
  return status;
}

const running = (world: NodeWorld) =>
  world.machines.filter(({ life }) => life !== undefined).map(({ index }) => index);

const heightOf = (world: NodeWorld, index: number) => world.group(index).ledger.head().number;

/** Everybody who runs stands at least there. */
async function untilHeight(world: NodeWorld, height: number, limitMs = SOON_MS): Promise<void> {
  const stands = () => running(world).every((index) => heightOf(world, index) >= height);
  await world.until(stands, limitMs, `block ${height}`);
}

async function untilLeader(world: NodeWorld): Promise<number> {
  const leaders = () => running(world).filter((index) => statusOf(world, index).role === "leader");
  await world.until(() => leaders().length === 1, SOON_MS, "a leader");
  return leaders()[0] ?? assert.fail();
}

/** Has a block with one transaction written on every node that runs. */
async function commitFrom(world: NodeWorld, index: number): Promise<number> {
  const next = Math.max(...running(world).map((at) => heightOf(world, at))) + 1;
  assert.equal((await world.settle(world.submit(index).outcome, "admission")).ok, true);
  await untilHeight(world, next);
  return next;
}

async function changeRole(world: NodeWorld, method: string, node: NodeId): Promise<void> {
  const input = encodeCall(`${method}(string)`, [node], suite.hash);
  const { hash, outcome } = world.submit(0, { to: CONSENSUS, input });
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await untilHeight(world, heightOf(world, 0) + 1);
  const located = await world.settle(world.group(0).ledger.receipt(hash), "receipt");
  assert.equal(located?.receipt.status, 0);
}

async function requireSound(world: NodeWorld): Promise<void> {
  const height = Math.max(...running(world).map((index) => heightOf(world, index)));
  await untilHeight(world, height);
  await world.until(() => world.blocks.has(height), SOON_MS, "the announcement of the head");
  for (const index of running(world))
    assert.equal(world.group(index).ledger.head().hash, world.blocks.get(height));
  assert.deepEqual(world.failures, []);
  await world.stopAll();
}

test("blocks carry no seals, come a second apart, and an idle group makes none", async () => {
  const world = await startedWorld({ seed: 1 });
  const leader = await untilLeader(world);
  const times: number[] = [];
  for (const index of [leader, (leader + 1) % 4, (leader + 2) % 4]) {
    await commitFrom(world, index);
    times.push(world.now);
  }
  const [first = 0, second = 0, third = 0] = times;
  assert.ok(second - first >= 900 && third - second >= 900, times.join());
  const { ledger } = world.group(leader);
  const sealed = await world.settle(ledger.header(ledger.head().hash), "header");
  assert.deepEqual(sealed?.seals, []);
  assert.equal(sealed?.header.sealerList[sealed.header.sealer], world.machine(leader).nodeId);
  await world.advance(15_000);
  assert.equal(heightOf(world, leader), 3);
  assert.equal(await untilLeader(world), leader, "an idle leader stays");
  await requireSound(world);
});

// rules: sync 5
test("a transaction whose push to the leader was lost is sealed although the leader stays", async () => {
  let isLost = false;
  let pushes = 0;
  const world: NodeWorld = await startedWorld({
    seed: 6,
    tamper: (_from, to, { kind, bytes }) => {
      if (kind !== "transactions" || !isLost || to !== world.machine(leader).nodeId) return bytes;
      pushes++;
      return undefined;
    },
  });
  const leader = await untilLeader(world);
  isLost = true;
  const { outcome } = world.submit((leader + 1) % 4);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.advance(1_000);
  isLost = false;
  assert.equal(pushes, 1);
  await untilHeight(world, 1);
  assert.equal(await untilLeader(world), leader);
  await requireSound(world);
});

test("the status names the leader on every node, and none while there is none", async () => {
  const world = await startedWorld({ seed: 2 });
  assert.equal(statusOf(world, 0).leader, undefined);
  const leader = await untilLeader(world);
  await world.advance(1_000);
  const { nodeId } = world.machine(leader);
  for (const index of NODES) {
    const status = statusOf(world, index);
    const at = status.sealers.indexOf(nodeId);
    assert.deepEqual(status.leader, { nodeId, index: at });
    assert.equal(status.sealers[status.nodeIndex], world.machine(index).nodeId);
    assert.deepEqual([status.maxFaultyLeader, status.cfgErr, status.accountType], [1, false, 1]);
  }
  await requireSound(world);
});

test("a group of one leads itself and commits", async () => {
  const world = await startedWorld({ seed: 3, nodes: 1 });
  await commitFrom(world, 0);
  await commitFrom(world, 0);
  assert.equal(statusOf(world, 0).role, "leader");
  await requireSound(world);
});

test("after the leader dies another one leads, and the dead one catches up from its disk", async () => {
  const world = await startedWorld({ seed: 4 });
  const leader = await untilLeader(world);
  await commitFrom(world, leader);
  const { term } = statusOf(world, leader);
  world.crash(world.machine(leader));
  const other = await untilLeader(world);
  assert.ok(statusOf(world, other).term > term);
  for (let i = 0; i < 3; i++) await commitFrom(world, other);
  await world.start(leader);
  await untilHeight(world, 4);
  await commitFrom(world, leader);
  await requireSound(world);
});

test("what the old leader took in is committed by the next one", async () => {
  const world = await startedWorld({ seed: 5 });
  const leader = await untilLeader(world);
  const { hash, outcome } = world.submit(leader);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  // Long enough to be spread, too short to be in a block.
  await world.advance(100);
  world.crash(world.machine(leader));
  await untilHeight(world, 1);
  const [first] = running(world);
  const receipt = world.group(first ?? 0).ledger.receipt(hash);
  assert.equal((await world.settle(receipt, "receipt"))?.blockNumber, 1);
  await requireSound(world);
});

test("without a majority nothing happens, nothing is lost, and it goes on when one returns", async () => {
  const world = await startedWorld({ seed: 6 });
  await commitFrom(world, 0);
  world.crash(world.machine(2));
  world.crash(world.machine(3));
  const { hash, outcome } = world.submit(0);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.advance(60_000);
  assert.deepEqual(
    running(world).map((index) => heightOf(world, index)),
    [1, 1],
  );
  assert.ok(running(world).every((index) => statusOf(world, index).role !== "leader"));
  await world.start(3);
  await untilHeight(world, 2);
  const receipt = await world.settle(world.group(3).ledger.receipt(hash), "receipt");
  assert.equal(receipt?.blockNumber, 2);
  await requireSound(world);
});

test("after a power cut of all nodes each one keeps its term and its vote", async () => {
  const world = await startedWorld({ seed: 7 });
  await commitFrom(world, 1);
  const terms = NODES.map((index) => statusOf(world, index).term);
  for (const machine of world.machines) world.crash(machine);
  await world.startAll();
  const after = NODES.map((index) => statusOf(world, index).term);
  assert.ok(
    after.every((term, i) => term >= Number(terms[i])),
    `${terms.join()}: ${after.join()}`,
  );
  await commitFrom(world, 2);
  await requireSound(world);
});

test("a node that was away for many blocks fetches them by block sync", async () => {
  const world = await startedWorld({ seed: 8 });
  world.crash(world.machine(3));
  for (let i = 0; i < 12; i++) await commitFrom(world, i % 3);
  await world.start(3);
  assert.equal(heightOf(world, 3), 0);
  await untilHeight(world, 12, 60_000);
  await commitFrom(world, 3);
  await requireSound(world);
});

test("a downloaded block that is not what it says, or has seals, is fetched from another", async () => {
  let lies = 0;
  const honest = 1;
  const world = await startedWorld({
    seed: 12,
    tamper: ({ index }, _to, { kind, bytes }) => {
      if (kind !== "blocks" || index === honest || !isSyncMessage(bytes)) return bytes;
      const message = decodeSyncMessage(bytes);
      if (message?.type !== "blocks") return bytes;
      lies++;
      const lie = index === 0 ? withOtherState : withSeal;
      return encodeSyncMessage({ type: "blocks", blocks: message.blocks.map(lie) });
    },
  });
  world.crash(world.machine(3));
  for (let i = 0; i < 4; i++) await commitFrom(world, i % 3);
  await world.start(3);
  await untilHeight(world, 4, 120_000);
  assert.ok(lies > 0, "somebody lied");
  await requireSound(world);
});

function withOtherState(bytes: Uint8Array): Uint8Array {
  const { header, ...rest } = decodeSyncBlock(bytes) ?? assert.fail();
  return encodeSyncBlock({ ...rest, header: { ...header, stateRoot: header.parentHash } });
}

function withSeal(bytes: Uint8Array): Uint8Array {
  const block = decodeSyncBlock(bytes) ?? assert.fail();
  return encodeSyncBlock({ ...block, seals: [{ index: 0, signature: new Uint8Array(65) }] });
}

test("a follower that missed the transactions asks for the body of the block", async () => {
  let blind: NodeId | undefined;
  const bodies: NodeId[] = [];
  const world = await startedWorld({
    seed: 9,
    tamper: ({ nodeId }, to, { kind, bytes }) => {
      if (kind === "blocks" && decodeBlockMessage(bytes)?.type === "requestBody")
        bodies.push(nodeId);
      return kind === "transactions" && to === blind ? undefined : bytes;
    },
  });
  const leader = await untilLeader(world);
  blind = world.machine((leader + 1) % 4).nodeId;
  await commitFrom(world, leader);
  await commitFrom(world, (leader + 2) % 4);
  assert.ok(bodies.length >= 2 && bodies.every((nodeId) => nodeId === blind));
  await requireSound(world);
});

test("roles change with the next block: observer, sealer, removed", async () => {
  const keys = NODES.map(keyOf);
  const world = await startedWorld({ seed: 10, genesis: { sealers: keys.slice(0, 3).sort() } });
  const fourth = world.machine(3);
  assert.equal(world.group(3).isMember(), false);
  await changeRoleWithout(world, "addObserver", fourth.nodeId);
  await untilHeight(world, 1);
  assert.equal(world.group(3).isMember(), true);
  assert.deepEqual([statusOf(world, 3).role, statusOf(world, 3).cfgErr], ["suspended", true]);
  await commitFrom(world, 3);
  await changeRole(world, "addSealer", fourth.nodeId);
  assert.equal(statusOf(world, 3).sealers.length, 4);
  await commitFrom(world, 3);
  // Three of four are a majority now: the newcomer's vote counts.
  const [gone] = NODES.filter((index) => index !== 3 && statusOf(world, index).role !== "leader");
  world.crash(world.machine(gone ?? 0));
  await commitFrom(world, 3);
  await world.start(gone ?? 0);
  await commitFrom(world, 3);
  const leader = await untilLeader(world);
  await changeRole(world, "remove", world.machine(leader).nodeId);
  assert.equal(world.group(leader).isMember(), false);
  const stay = NODES.filter((index) => index !== leader);
  world.submit(stay[0] ?? 0).outcome.catch(() => undefined);
  const next = heightOf(world, stay[0] ?? 0) + 1;
  const stands = () => stay.every((index) => heightOf(world, index) >= next);
  await world.until(stands, SOON_MS, "a block without the removed leader");
  assert.deepEqual(world.failures, []);
  await world.stopAll();
});

/** As {@link changeRole}, while some node does not follow the group yet. */
async function changeRoleWithout(world: NodeWorld, method: string, node: NodeId): Promise<void> {
  const input = encodeCall(`${method}(string)`, [node], suite.hash);
  const { outcome } = world.submit(0, { to: CONSENSUS, input });
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.until(() => heightOf(world, 0) >= 1, SOON_MS, "the block of the change");
}

test("an observer that speaks as a leader is not listened to", async () => {
  const keys = NODES.map(keyOf);
  const world = await startedWorld({ seed: 11, genesis: { sealers: keys.slice(0, 3).sort() } });
  await changeRoleWithout(world, "addObserver", keyOf(3));
  await untilHeight(world, 1);
  const leader = await untilLeader(world);
  const { term } = statusOf(world, leader);
  const { head } = world.group(0).ledger;
  for (const type of ["preVote", "vote"] as const) {
    const { number: height, hash } = head();
    const message = { type, term: 1_000, height: height + 5, head: hash, entryTerm: 999 } as const;
    const bytes = encodeConsensusMessage(
      { message, compact: undefined },
      { encode: encodeMessage, decode: () => undefined },
    );
    const byzantine = world.machine(3).network;
    for (const to of keys.slice(0, 3)) byzantine.send(to, { groupId: 1, kind: "consensus", bytes });
  }
  await world.advance(2_000);
  assert.equal(statusOf(world, leader).term, term);
  assert.equal(await untilLeader(world), leader);
  await commitFrom(world, 0);
  await requireSound(world);
});

function keyOf(index: number): NodeId {
  return identityOf(suite, index).nodeId;
}
test("a PBFT group and a Raft group run side by side on three nodes", async () => {
  const hub = immediateHub();
  const sealers = [0, 1, 2].map((index) => identityOf(suite, index).nodeId);
  const times = { minElectTimeMs: 150, maxElectTimeMs: 300 };
  const raft = { ...genesisOf(2, sealers), ...times, consensusType: "raft" } as const;
  const fixed = [genesisOf(1, sealers), raft];
  const entropy = { bytes: (count: number) => Uint8Array.from(randomBytes(count)) };
  const machines = sealers.map(
    (_, index) => new GroupMachine({ suite, hub, index, fixed, ports: { entropy } }),
  );
  await Promise.all(machines.map((machine) => machine.start()));
  const [first, second] = machines;
  assert.ok(first && second);
  await Promise.all([first.commitOne(1), second.commitOne(2)]);
  for (const machine of machines) {
    const types = [1, 2].map((id) => machine.node.api.group(id)?.consensusStatus().kind);
    assert.deepEqual(types, ["pbft", "raft"]);
    assert.deepEqual(machine.failures, []);
  }
  assert.deepEqual(await first.manage("stopGroup", 2), ["0x0", "Group 2 stopped successfully"]);
  await first.commitOne(1);
  assert.equal((await first.manage("startGroup", 2))[0], "0x0");
  await first.commitOne(2);
  for (const machine of machines) await machine.stop();
});
