/** A certified node that is in no list of a group: where it stands is heard, nothing else. */
// rules: sync 1, 2, node-network 8
import assert from "node:assert/strict";
import { test } from "vitest";
import type { LogFields } from "../../../../core/ports/log.ts";
import type { Incoming, MessageClass } from "../../../../core/ports/network.ts";
import { signTransaction } from "../../../../core/model/transaction.ts";
import {
  ANSWER_BYTES_LIMIT,
  decodeTransactionsMessage,
  encodeAnswers,
  encodeHashes,
  encodeTransactions,
} from "../../../../core/sync/gossip.ts";
import { encodeSyncMessage, isBlocksMessage } from "../../../../core/sync/sync-message.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

const suite = await createNodeSuite();
const OUTSIDER = nodeIdOfNumber(99);
const PEER = { endpoint: "10.0.9.9:1", agency: "x", node: "x", topics: [] };

/** A transaction that a member's push would bring into the pool. */
function someTransaction(): Uint8Array {
  const fields = {
    nonce: 1_000_000n,
    gasPrice: 1n,
    gas: 300_000_000n,
    blockLimit: 400n,
    to: null,
    value: 0n,
    input: Uint8Array.of(0x60, 0, 0x60, 0, 0xf3),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  return signTransaction(fields, new Uint8Array(32).fill(7), suite).raw;
}

/** A world of four sealers with a block, and somebody else with a session to all of them. */
async function worldWithNonMember(consensusType: "pbft" | "raft" = "pbft") {
  const world = new NodeWorld({ suite, seed: 5, genesis: { consensusType } });
  await world.startAll();
  world.submit(0).outcome.catch(() => undefined);
  await world.until(() => world.group(0).ledger.head().number >= 1, 60_000, "block 1");
  const received: Incoming[] = [];
  const network = world.hub.join(OUTSIDER, PEER);
  await network.start({
    message: (message) => received.push(message),
    peerUp: () => undefined,
    peerDown: () => undefined,
  });
  await world.advance(500);
  const send = (kind: MessageClass, bytes: Uint8Array) =>
    network.send(world.machine(0).nodeId, { groupId: 1, kind, bytes });
  return { world, send, received };
}

/** What node 0 said of blocks that it cannot take of anybody. */
function alarms(world: NodeWorld): LogFields[] {
  const text = "another node speaks of newer blocks, the sealers that this node needs are silent";
  return world.log
    .filter(({ index, message }) => index === 0 && message.startsWith(text))
    .map(({ fields }) => fields ?? {});
}

test("a non-member's transactions are not imported, and it gets none", async () => {
  const { world, send, received } = await worldWithNonMember();
  // Only one of four: no node seals it.
  for (const index of [1, 2, 3]) world.crash(world.machine(index));
  const { hash, outcome } = world.submit(0);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  const before = world.group(0).pendingCount();
  send("transactions", encodeTransactions("push", [someTransaction()]));
  send("transactions", encodeHashes("request", [hash]));
  await world.advance(1_000);
  assert.equal(world.group(0).pendingCount(), before);
  assert.deepEqual(
    received.filter(({ kind }) => kind === "transactions"),
    [],
  );
  await world.stopAll();
});

test("the same push of a member is imported", async () => {
  const { world } = await worldWithNonMember();
  for (const index of [1, 2, 3]) world.crash(world.machine(index));
  const { nodeId, network } = world.machine(1);
  await network.start({
    message: () => undefined,
    peerUp: () => undefined,
    peerDown: () => undefined,
  });
  await world.advance(500);
  const bytes = encodeTransactions("push", [someTransaction()]);
  network.send(world.machine(0).nodeId, { groupId: 1, kind: "transactions", bytes });
  await world.until(() => world.group(0).pendingCount() === 1, 5_000, `the push of ${nodeId}`);
  await world.stopAll();
});

test("a non-member is entered when it is higher, but served no block", async () => {
  const { world, send, received } = await worldWithNonMember();
  const { ledger } = world.group(0);
  const genesisHash = ledger.genesisHash();
  const status = { number: 1_000_000, genesisHash, latestHash: genesisHash };
  send("blocks", encodeSyncMessage({ type: "status", ...status }));
  send("blocks", encodeSyncMessage({ type: "requestRange", from: 1, count: 1 }));
  await world.advance(1_000);
  assert.equal(
    received.some(({ bytes, kind }) => kind === "blocks" && isBlocksMessage(bytes)),
    false,
  );
  await world.stopAll();
});

test("a peer with another genesis block is named once, with what to compare", async () => {
  const { world, send } = await worldWithNonMember();
  const { hash } = world.group(0).ledger.head();
  for (const number of [5, 6, 7])
    send(
      "blocks",
      encodeSyncMessage({ type: "status", number, genesisHash: hash, latestHash: hash }),
    );
  await world.advance(1_000);
  const said = world.log.filter(({ level }) => level === "error").map(({ message }) => message);
  assert.deepEqual(said, [
    "a peer has another genesis block: compare group.1.genesis on both nodes",
  ]);
  const outsiders = () => world.group(0).syncStatus().otherGenesis;
  assert.deepEqual(outsiders(), [OUTSIDER]);
  assert.deepEqual(world.group(1).syncStatus().otherGenesis, []);
  const genesisHash = world.group(0).ledger.genesisHash();
  const status = { number: 0, genesisHash, latestHash: genesisHash };
  send("blocks", encodeSyncMessage({ type: "status", ...status }));
  await world.advance(1_000);
  assert.deepEqual(outsiders(), []);
  await world.stopAll();
});

test("a node that no node reports anything knows for how long", async () => {
  const { world } = await worldWithNonMember();
  const quiet = () => world.group(0).syncStatus().quietMs ?? Number.NaN;
  await world.advance(20_000);
  assert.ok(quiet() < 11_000, `${quiet()}`);
  for (const index of [1, 2, 3]) {
    const { api } = world.machine(index).life?.node ?? assert.fail();
    await world.settle(api.manageGroup("stopGroup", 1), "stop");
  }
  await world.advance(40_000);
  assert.ok(quiet() >= 30_000, `${quiet()}`);
  assert.ok(world.group(0).syncStatus().peers.length > 0);
  await world.stopAll();
});

test("a node outside of the group that speaks does not hide that no member does", async () => {
  const { world, send } = await worldWithNonMember();
  const quiet = () => world.group(0).syncStatus().quietMs ?? Number.NaN;
  const genesisHash = world.group(0).ledger.genesisHash();
  const say = (number: number) =>
    send(
      "blocks",
      encodeSyncMessage({ type: "status", number, genesisHash, latestHash: genesisHash }),
    );
  for (const index of [1, 2, 3]) {
    const { api } = world.machine(index).life?.node ?? assert.fail();
    await world.settle(api.manageGroup("stopGroup", 1), "stop");
  }
  for (let second = 0; second < 40; second += 5) {
    say(0);
    await world.advance(5_000);
  }
  assert.ok(quiet() >= 30_000, `${quiet()}`);
  // Of one that is higher this node's own lists may be too old to know.
  say(9);
  await world.advance(1_000);
  assert.ok(quiet() < 5_000, `${quiet()}`);
  await world.stopAll();
});

test("who claims blocks and takes it back again and again is left aside, and fills no log", async () => {
  const { world, send } = await worldWithNonMember();
  const genesisHash = world.group(0).ledger.genesisHash();
  const lines = () =>
    world.log.filter(
      ({ index, level, message }) =>
        index === 0 && (level === "info" || level === "warning") && !message.includes("++++"),
    );
  const before = lines().length;
  let times = 0;
  for (let round = 0; round < 200; round++) {
    for (const number of [1_000_000, 0]) {
      const status = { number, genesisHash, latestHash: genesisHash };
      send("blocks", encodeSyncMessage({ type: "status", ...status }));
      await world.advance(100);
      if (world.group(0).syncStatus().isSyncing) times++;
    }
  }
  assert.ok(times < 30, `${times}`);
  assert.ok(lines().length - before <= 8, JSON.stringify(lines().slice(before)));
  await world.stopAll();
});

test("without seals operators learn of newer blocks now and then, with who is silent", async () => {
  const { world, send } = await worldWithNonMember("raft");
  const genesisHash = world.group(0).ledger.genesisHash();
  for (const index of [1, 2, 3]) world.crash(world.machine(index));
  const toldAt: number[] = [];
  for (let round = 0; round < 24; round++) {
    // Abstention for the last twenty seconds ends what there was to tell: the next round is news.
    for (let second = 0; second < 60; second += 5) {
      const status = { number: 1_000_000, genesisHash, latestHash: genesisHash };
      if (second < 40) send("blocks", encodeSyncMessage({ type: "status", ...status }));
      await world.advance(5_000);
      if (alarms(world).length > toldAt.length) toldAt.push(world.now);
    }
  }
  const [start = 0, ...later] = toldAt;
  assert.equal(later.length, 2, `${toldAt}`);
  assert.equal(alarms(world).length, toldAt.length);
  const [second = 0, third = 0] = later;
  for (const gap of [second - start, third - second])
    assert.ok(gap >= 600_000 && gap <= 700_000, `${toldAt}`);
  const [first] = alarms(world);
  const silent = [1, 2, 3].map((index) => world.machine(index).nodeId.slice(0, 8));
  assert.deepEqual(String(first?.["sealers"]).split(",").sort(), silent.sort());
  assert.equal(first?.["peer"], OUTSIDER.slice(0, 8));
  assert.equal(first?.["number"], 1_000_000);
  await world.stopAll();
});

test("one request is answered with no more than it is worth", () => {
  const raw = new Uint8Array(1_000_000);
  const messages = encodeAnswers(Array.from({ length: 1_000 }, () => raw));
  const bytes = messages.reduce((sum, message) => sum + message.length, 0);
  assert.ok(bytes <= ANSWER_BYTES_LIMIT + 1_000, `${bytes}`);
});

test("an answer holds a single transaction whatever its size", () => {
  const [message, ...others] = encodeAnswers([new Uint8Array(ANSWER_BYTES_LIMIT + 1)]);
  assert.deepEqual(others, []);
  const decoded = message && decodeTransactionsMessage(message);
  assert.ok(decoded?.ok && decoded.message.type === "answer");
  assert.equal(decoded.message.transactions.length, 1);
});
