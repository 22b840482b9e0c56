/** What sealers report each other of their votes, over both versions of the peer protocol. */
// rules: sync 1, pbft 11
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Incoming, NetworkEvents } from "../../../../core/ports/network.ts";
import {
  decodeSyncMessage,
  encodeSyncMessage,
  isBlocksMessage,
  type SyncMessage,
} from "../../../../core/sync/sync-message.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { keyOf } from "../../../support/world/world-parts.ts";

const suite = await createNodeSuite();
const SOON_MS = 60_000;
const PEER = { endpoint: "10.0.9.9:1", agency: "x", node: "x", topics: [] };

const FOURTH = nodeIdOfNumber(99);

type Status = Extract<SyncMessage, { type: "status" }>;

/** Three machines of four sealers, and the fourth played by a test. */
async function worldOfThree(version: 2 | 3) {
  const keys = [0, 1, 2].map((index) => keyOf(suite, index).nodeId);
  const world = new NodeWorld({ suite, nodes: 3, genesis: { sealers: [...keys, FOURTH].sort() } });
  await world.startAll();
  const heard: Status[] = [];
  const network = world.hub.join(FOURTH, { ...PEER, version });
  const events: NetworkEvents = {
    message: ({ bytes }: Incoming) => {
      const message = decodeSyncMessage(bytes);
      if (message?.type === "status") heard.push(message);
    },
    peerUp: () => undefined,
    peerDown: () => undefined,
  };
  await network.start(events);
  const say = (words: Partial<Status>) => {
    const { number, hash } = world.group(0).ledger.head();
    const genesisHash = world.group(0).ledger.genesisHash();
    const status = { number, genesisHash, latestHash: hash, time: world.trueTime(), ...words };
    const bytes = encodeSyncMessage({ type: "status", ...status });
    network.send(world.machine(0).nodeId, { groupId: 1, kind: "blocks", bytes });
  };
  return { world, heard, say };
}

/** What machine 0 knows of a sealer: a machine, or the one that a test plays. */
function votingOf(world: NodeWorld, index: number) {
  const nodeId = world.machines[index]?.nodeId ?? FOURTH;
  return world
    .group(0)
    .voting?.()
    .find((sealer) => sealer.nodeId === nodeId)?.voting;
}

async function becomes(world: NodeWorld, index: number, voting: string): Promise<void> {
  await world.until(() => votingOf(world, index) === voting, SOON_MS, `${index}: ${voting}`);
}

test("sealers report that they vote, keep quiet, or that their group stops", async () => {
  const { world } = await worldOfThree(3);
  assert.equal(votingOf(world, 0), "votes");
  await becomes(world, 1, "votes");
  const { life } = world.machine(1);
  life?.node.setAbstaining(true);
  await becomes(world, 1, "muted");
  life?.node.setAbstaining(false);
  await becomes(world, 1, "votes");
  const stopped = life?.node.api.manageGroup("stopGroup", 1);
  await becomes(world, 1, "stopped");
  assert.equal((await stopped)?.code, 0);
  world.crash(world.machine(1));
  await becomes(world, 1, "unknown");
  await world.stopAll();
});

test("a node of version 2 is told nothing of votes, and is taken to vote", async () => {
  const { world, heard, say } = await worldOfThree(2);
  await world.until(() => heard.length >= 6, SOON_MS, "statuses");
  assert.deepEqual(new Set(heard.map(({ voting }) => voting)), new Set([undefined]));
  assert.ok(heard.every(({ time }) => time !== undefined));
  say({});
  await world.advance(1_000);
  assert.equal(votingOf(world, 3), "unknown");
  // It has a session, and says nothing of the group any more.
  await becomes(world, 3, "quiet");
  await world.stopAll();
});

test("of version 3 reasons are read that this version does not have", async () => {
  const { world, heard, say } = await worldOfThree(3);
  await world.until(() => heard.length >= 6, SOON_MS, "statuses");
  assert.deepEqual(new Set(heard.map(({ voting }) => voting)), new Set([0]));
  for (const [code, voting] of [
    [3, "silent"],
    [200, "other"],
    [0, "votes"],
  ] as const) {
    say({ voting: code });
    await becomes(world, 3, voting);
  }
  await world.stopAll();
});

test("a sealer that lacks blocks says that it is behind until it has them", async () => {
  let isHeld = true;
  const world = new NodeWorld({
    suite,
    tamper: (_from, _to, { bytes }) => (isHeld && isBlocksMessage(bytes) ? undefined : bytes),
  });
  await world.startAll();
  world.crash(world.machine(3));
  for (let block = 1; block <= 6; block++) {
    assert.equal((await world.settle(world.submit(0).outcome, "admission")).ok, true);
    const stands = () => world.group(0).ledger.head().number >= block;
    await world.until(stands, SOON_MS, `block ${block}`);
  }
  await world.start(3);
  await becomes(world, 3, "behind");
  isHeld = false;
  await becomes(world, 3, "votes");
  await world.stopAll();
});
