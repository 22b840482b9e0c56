/** A sealer whose store is older than its votes follows without a vote until it is past them. */
// rules: pbft 16.4, raft 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { createCodec } from "../../../../core/consensus/pbft/codec.ts";
import { readConsensusMessage } from "../../../../core/node/consensus/consensus-wire.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { cases } from "../../../support/runner/cases.ts";
import { HostileSealer } from "../../../support/world/hostile-sealer.ts";
import {
  type Machine,
  NodeWorld,
  type NodeWorldOptions,
} from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const codec = createCodec({ chainId: 1, groupId: 1, suite });
const SOON_MS = 30_000;
const VOTES = new Set(["prepare", "sign", "commit", "viewChange"]);

const headOf = (world: NodeWorld, { index }: Machine) => world.group(index).ledger.head();
const abstentionOf = (world: NodeWorld, { index }: Machine) => world.group(index).abstention?.();

/** Has blocks with one transaction each written on the machines that run. */
async function commit(world: NodeWorld, by: Machine, blocks: number): Promise<void> {
  const running = world.machines.filter(({ life }) => life !== undefined);
  for (let block = 0; block < blocks; block++) {
    const next = Math.max(...running.map((machine) => headOf(world, machine).number)) + 1;
    assert.equal((await world.settle(world.submit(by.index).outcome, "admission")).ok, true);
    const stands = () => running.every((machine) => headOf(world, machine).number >= next);
    await world.until(stands, SOON_MS, `block ${next}`);
  }
}

/** The PBFT votes that a machine has sent since this was asked for. */
function votesOf(world: NodeWorld, speaker: Machine): string[] {
  const votes: string[] = [];
  world.sendListeners.add((from, _to, kind, bytes) => {
    if (from !== speaker || kind !== "consensus") return;
    const message = readConsensusMessage(bytes, codec)?.message;
    if (message && VOTES.has(message.type)) votes.push(`${message.type} ${message.height}`);
  });
  return votes;
}

async function startedWorld(options: Partial<NodeWorldOptions> = {}) {
  const world = new NodeWorld({ suite, ...options });
  await world.startAll();
  const [first, second, third, restored] = world.machines;
  assert.ok(first && second && third && restored);
  return { world, first, second, third, restored };
}

/** The machine's node starts on an older state of its disk. */
async function restore(world: NodeWorld, machine: Machine, older: ReturnType<typeof backupOf>) {
  if (machine.life) world.crash(machine);
  world.putBack(machine, older);
  machine.disk.suspicion = "it was put back";
  await world.start(machine.index);
}

const backupOf = (machine: Machine) => machine.disk.backup();

/**
 * A sealer leads at height 5 and makes two proposals. The victim signs the first one; then an older
 * state of its disk is put back, and it is shown the second one.
 */
async function doubleVote(isGuarded: boolean) {
  const world = new NodeWorld({ suite });
  const byzantine = new HostileSealer(world, suite, 0);
  for (const { index } of byzantine.honest) await world.start(index);
  await byzantine.connect();
  const [victim, other] = byzantine.honest;
  assert.ok(victim && other);
  await commit(world, other, 4);
  const older = backupOf(victim);
  const { hash, outcome } = world.submit(victim.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  const head = headOf(world, victim);
  assert.equal(head.number, 4);
  const votes = votesOf(world, victim);
  byzantine.propose(byzantine.compact(head, [hash]), victim.nodeId);
  await world.until(() => votes.includes("sign 5"), 2_000, "the victim signs");
  if (isGuarded) {
    await restore(world, victim, older);
  } else {
    world.crash(victim);
    world.putBack(victim, older);
    await world.start(victim.index);
  }
  const again = world.submit(other.index).hash;
  const timestamp = world.genesis.timestamp + BigInt(Math.ceil(world.now)) + 2_000n;
  for (const at of [100, 400]) {
    await world.advance(at);
    byzantine.propose(byzantine.compact(head, [again], { timestamp }), victim.nodeId);
  }
  await world.advance(800);
  return { world, victim };
}

test("without its abstention a restored sealer signs a second proposal of the same round", async () => {
  await assert.rejects(doubleVote(false), /sign 5 0: .*, then /);
});

test("a restored sealer signs no second proposal of a round that it signed before", async () => {
  const { world, victim } = await doubleVote(true);
  assert.equal(abstentionOf(world, victim)?.cause, "copied");
  world.assertSound();
  await world.stopAll();
});

test("a restored sealer follows, serves and takes transactions, and votes once it is past", async () => {
  const { world, first, restored } = await startedWorld();
  await commit(world, first, 2);
  const older = backupOf(restored);
  await commit(world, first, 3);
  await restore(world, restored, older);
  const votes = votesOf(world, restored);
  await world.until(() => headOf(world, restored).number === 5, SOON_MS, "it follows");
  await world.advance(6_000);
  const view = abstentionOf(world, restored);
  assert.deepEqual([view?.until, view?.answered, view?.wanted], [7, 3, 3]);
  assert.equal(view?.needsOperator, false);
  const status = world.group(restored.index).consensusStatus();
  assert.deepEqual([status.cfgErr, "accountType" in status && status.accountType], [true, 0]);
  // Its own client's transaction is decided by the others.
  await commit(world, restored, 1);
  assert.deepEqual(votes, []);
  await commit(world, first, 1);
  await world.advance(3_000);
  assert.equal(abstentionOf(world, restored), undefined);
  assert.ok(votes.length > 0 && votes.every((vote) => !/ [0-6]$/.test(vote)), votes.join());
  world.assertSound();
  await world.stopAll();
});

test("an abstention outlives restarts, and a copy of the silent store is silent too", async () => {
  const { world, first, restored } = await startedWorld();
  await commit(world, first, 2);
  await restore(world, restored, backupOf(restored));
  const copy = backupOf(restored);
  world.crash(restored);
  await world.start(restored.index);
  assert.equal(abstentionOf(world, restored)?.since, 2);
  world.crash(restored);
  world.putBack(restored, copy);
  await world.start(restored.index);
  assert.equal(abstentionOf(world, restored)?.since, 2);
  await world.stopAll();
});

test("two of four restored: no block without the operator's word, and then again", async () => {
  const { world, first, second, restored } = await startedWorld();
  await commit(world, first, 2);
  for (const machine of [second, restored]) await restore(world, machine, backupOf(machine));
  const { outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.advance(20_000);
  assert.equal(headOf(world, first).number, 2);
  for (const { index } of [second, restored]) {
    const confirmed = world.node(index).confirmOnlyCopy([1]);
    assert.deepEqual(await world.settle(confirmed, "confirm"), [1]);
  }
  assert.deepEqual(await world.settle(world.node(first.index).confirmOnlyCopy(), "confirm"), []);
  await world.until(() => headOf(world, restored).number === 3, SOON_MS, "a block");
  await commit(world, restored, 4);
  await world.stopAll();
});

test("a block with its seal tells a sealer that its store is older than its votes", async () => {
  const { world, first, restored } = await startedWorld({ seed: 5 });
  await commit(world, first, 1);
  const older = backupOf(restored);
  await commit(world, first, 6);
  world.crash(restored);
  world.putBack(restored, older);
  await world.start(restored.index);
  await world.until(() => headOf(world, restored).number === 7, SOON_MS, "it follows");
  assert.equal(abstentionOf(world, restored)?.cause, "lostVotes");
  const line = world.log.find(({ message }) => /older than the votes/.test(message));
  assert.equal(line?.index, restored.index);
  // The next start knows.
  world.crash(restored);
  await world.start(restored.index);
  assert.equal(abstentionOf(world, restored)?.cause, "lostVotes");
  await world.stopAll();
});

test("a restored follower of a Raft group neither votes nor counts until it is past", async () => {
  const genesis = { consensusType: "raft" } as const;
  const { world, first, restored } = await startedWorld({ nodes: 5, genesis });
  await commit(world, first, 2);
  const older = backupOf(restored);
  await commit(world, first, 2);
  await restore(world, restored, older);
  const said: number[] = [];
  world.sendListeners.add((from, _to, kind) => {
    if (from === restored && kind === "consensus") said.push(world.now);
  });
  await world.until(() => headOf(world, restored).number === 4, SOON_MS, "it follows");
  await commit(world, first, 1);
  assert.deepEqual(said, []);
  await world.advance(6_000);
  await commit(world, first, 2);
  await world.advance(3_000);
  assert.equal(abstentionOf(world, restored), undefined);
  assert.ok(said.length > 0);
  world.assertSound();
  await world.stopAll();
});

/**
 * A Raft group of three, one of them off. The other two decide block 3; then the leader is off, and
 * the follower's disk, which held that block, is put back to an older state.
 */
async function lostAcknowledgement(isGuarded: boolean) {
  const world = new NodeWorld({ suite, nodes: 3, genesis: { consensusType: "raft" } });
  await world.startAll();
  const [some] = world.machines;
  assert.ok(some);
  await commit(world, some, 2);
  const isLeader = ({ index }: Machine) => {
    const status = world.group(index).consensusStatus();
    return status.kind === "raft" && status.role === "leader";
  };
  const leader = world.machines.find(isLeader);
  const [follower, absent] = world.machines.filter((machine) => machine !== leader);
  assert.ok(leader && follower && absent);
  world.crash(absent);
  const older = backupOf(follower);
  await commit(world, leader, 1);
  world.crash(leader);
  world.crash(follower);
  world.putBack(follower, older);
  if (isGuarded) follower.disk.suspicion = "it was put back";
  await world.start(follower.index);
  await world.start(absent.index);
  await world.settle(world.submit(absent.index).outcome, "admission");
  await world.advance(20_000);
  return { world, leader, follower, absent };
}

test("without its abstention a restored Raft follower helps to decide another block 3", async () => {
  await assert.rejects(lostAcknowledgement(false), /at 3, another node/);
});

test("a restored Raft follower decides nothing anew; with the others back it goes on", async () => {
  const { world, leader, follower, absent } = await lostAcknowledgement(true);
  assert.equal(headOf(world, absent).number, 2);
  assert.equal(abstentionOf(world, follower)?.cause, "copied");
  await world.start(leader.index);
  await world.until(() => headOf(world, absent).number >= 4, SOON_MS, "the others go on");
  await world.advance(6_000);
  await commit(world, leader, 2);
  assert.equal(abstentionOf(world, follower), undefined);
  world.assertSound();
  await world.stopAll();
});

/**
 * Backups at any time, put back at any time, one machine after the other: whatever a machine has
 * said of a height, it never says another thing. The world checks each word as it leaves.
 */
async function restoreRounds(consensusType: "pbft" | "raft", seed: number): Promise<number> {
  const { world, first } = await startedWorld({ seed, genesis: { consensusType } });
  const { random } = world;
  await commit(world, first, 1);
  let silences = 0;
  for (let round = 0; round < 4; round++) {
    const machine = world.machine(random.below(4));
    const other = world.machine((machine.index + 1) % 4);
    const older = backupOf(machine);
    for (let block = random.below(3); block > 0; block--) await commit(world, other, 1);
    const { outcome } = world.submit(other.index);
    await world.settle(outcome, "admission");
    await world.advance(random.below(200));
    await restore(world, machine, older);
    if (abstentionOf(world, machine)) silences++;
    for (let block = 0; abstentionOf(world, machine) && block < 16; block++) {
      await world.advance(random.below(3_000));
      await commit(world, other, 1);
    }
    assert.equal(abstentionOf(world, machine), undefined, world.describe());
    await commit(world, machine, 1);
  }
  assert.deepEqual(world.failures, []);
  world.assertSound();
  await world.stopAll();
  return silences;
}

for (const consensusType of ["pbft", "raft"] as const) {
  test(`restored again and again, nodes of a ${consensusType} group never say two things`, async () => {
    const seeds = Number(process.env["SILENT_SEEDS"] ?? cases(2, 1));
    for (let seed = 1; seed <= seeds; seed++)
      assert.ok((await restoreRounds(consensusType, seed)) >= 3);
  }, 600_000);
}
