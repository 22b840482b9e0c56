/** A sealer that keeps quiet of its own accord, as in a tab that no node examines. */
// rules: pbft 16.2, raft 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { createCodec } from "../../../../core/consensus/pbft/codec.ts";
import { decodeMessage, encodeMessage } from "../../../../core/consensus/raft/codec.ts";
import { readConsensusMessage } from "../../../../core/node/consensus/consensus-wire.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import type { SubmitOutcome } from "../../../../core/api/node-api.ts";
import { cases } from "../../../support/runner/cases.ts";
import { type Machine, NodeWorld } from "../../../support/world/node-world.ts";
import { Random } from "../../../simulation/random.ts";

const suite = await createNodeSuite();
const codec = createCodec({ chainId: 1, groupId: 1, suite });
const SOON_MS = 120_000;
const raftCodec = { encode: encodeMessage, decode: decodeMessage };
const VOTES = new Set(["prepare", "sign", "commit", "viewChange"]);
const TYPES = ["pbft", "raft"] as const;

const headOf = (world: NodeWorld, { index }: Machine) => world.group(index).ledger.head();

/** Has blocks with one transaction each written on all machines that run. */
async function commit(world: NodeWorld, by: Machine, blocks: number): Promise<void> {
  const running = world.machines.filter(({ life }) => life !== undefined);
  for (let block = 0; block < blocks; block++) {
    const next = Math.max(...running.map((one) => headOf(world, one).number)) + 1;
    assert.equal((await world.settle(world.submit(by.index).outcome, "admission")).ok, true);
    const stands = () => running.every((one) => headOf(world, one).number >= next);
    await world.until(stands, SOON_MS, `block ${next}`);
  }
}

/** What a machine has sent in consensus since this was asked for; statuses are no votes. */
function votesOf(world: NodeWorld, speaker: Machine): string[] {
  const isRaft = world.genesis.consensusType === "raft";
  const votes: string[] = [];
  world.sendListeners.add((from, _to, kind, bytes) => {
    if (from !== speaker || kind !== "consensus") return;
    const message = isRaft
      ? readConsensusMessage(bytes, raftCodec)?.message
      : readConsensusMessage(bytes, codec)?.message;
    if (message && (isRaft || VOTES.has(message.type)))
      votes.push(`${message.type} ${message.height}`);
  });
  return votes;
}

/** Begins as a tab does that no node examines. */
async function startAbstaining(world: NodeWorld, machine: Machine): Promise<void> {
  const started = world.start(machine.index);
  mute(machine, true);
  await started;
}

function mute({ life }: Machine, isAbstaining: boolean): void {
  assert.ok(life);
  life.node.setAbstaining(isAbstaining);
}

test("an abstaining sealer gives no vote, follows the blocks, and votes when it is asked to", async () => {
  const world = new NodeWorld({ suite });
  await world.startAll();
  const [first, , , quiet] = world.machines;
  assert.ok(first && quiet);
  await commit(world, first, 2);
  const votes = votesOf(world, quiet);
  mute(quiet, true);
  await commit(world, first, 6);
  assert.equal(votes.length, 0, votes.join());
  assert.equal(world.group(quiet.index).abstention?.(), undefined);
  mute(quiet, false);
  await commit(world, first, 4);
  assert.ok(votes.some((vote) => vote.startsWith("commit")));
  world.assertSound();
});

for (const consensusType of TYPES) {
  test(`sealers of a ${consensusType} group that come and go say nothing twice`, async () => {
    for (let seed = 1; seed <= cases(3, 1); seed++) {
      const world = new NodeWorld({ suite, seed, genesis: { consensusType } });
      await world.startAll();
      const random = new Random(seed);
      const [first] = world.machines;
      assert.ok(first);
      for (let round = 0; round < 12; round++) {
        // At most one is quiet at a time, at any moment of a block.
        const chosen = world.machines[random.below(4)];
        const sent: Promise<SubmitOutcome> = world.submit(first.index).outcome;
        await world.advance(random.below(600));
        if (chosen) mute(chosen, true);
        await world.advance(random.below(4_000));
        if (chosen) mute(chosen, false);
        assert.equal((await world.settle(sent, "admission")).ok, true);
      }
      await commit(world, first, 2);
      world.assertSound();
      assert.deepEqual(world.failures, []);
      const errors = world.log.filter(({ level }) => level === "error");
      assert.deepEqual(errors, [], "no node takes another one for a copy of itself");
    }
  });
}

/** A world in which one machine's word is in blocks 3 to 5; its disk as it was at block 2. */
async function spokenWorld(consensusType: (typeof TYPES)[number]) {
  const world = new NodeWorld({ suite, genesis: { consensusType } });
  await world.startAll();
  const [first, second] = world.machines;
  assert.ok(first && second);
  await commit(world, first, 2);
  const status = world.group(first.index).consensusStatus();
  const leader = status.kind === "raft" ? status.leader?.nodeId : undefined;
  const speaker = leader ? world.machines.find(({ nodeId }) => nodeId === leader) : second;
  const others = world.machines.filter((machine) => machine !== speaker);
  const [other, absent] = others;
  assert.ok(speaker && other && absent);
  const older = speaker.disk.backup();
  // Of three that run each one's seal is needed; the leader of Raft stays the same.
  world.crash(absent);
  await commit(world, other, 3);
  await world.start(absent.index);
  return { world, speaker, other, older };
}

for (const consensusType of TYPES) {
  test(`an abstaining ${consensusType} sealer that finds lost messages is silent after it`, async () => {
    const { world, speaker, other, older } = await spokenWorld(consensusType);
    world.crash(speaker);
    world.putBack(speaker, older);
    const votes = votesOf(world, speaker);
    await startAbstaining(world, speaker);
    assert.equal(headOf(world, speaker).number, 2);
    const head = () => headOf(world, other).number;
    await world.until(() => headOf(world, speaker).number >= head(), SOON_MS, "it follows");
    mute(speaker, false);
    assert.equal(world.group(speaker.index).abstention?.()?.cause, "lostVotes");
    await commit(world, other, 1);
    assert.deepEqual(votes, []);
    assert.equal(world.group(speaker.index).abstention?.()?.mode, "silent");
    world.assertSound();
  });

  test(`an abstaining ${consensusType} sealer with all its messages falls silent over none`, async () => {
    const { world, speaker, other } = await spokenWorld(consensusType);
    world.crash(speaker);
    await startAbstaining(world, speaker);
    await commit(world, other, 3);
    assert.equal(world.group(speaker.index).abstention?.(), undefined);
    const votes = votesOf(world, speaker);
    mute(speaker, false);
    await commit(world, other, 4);
    assert.equal(world.group(speaker.index).abstention?.(), undefined);
    assert.notEqual(votes.length, 0);
    world.assertSound();
  });
}

test("a seal that was given before the power went is known to the abstaining sealer", async () => {
  let cut: Machine | undefined;
  const world: NodeWorld = new NodeWorld({
    suite,
    // It never learns that block 3 is decided, nor gets it from the others.
    tamper: (_from, to, { kind, bytes }) => {
      if (to !== cut?.nodeId) return bytes;
      const message = kind === "consensus" && readConsensusMessage(bytes, codec)?.message;
      const isCommit = message && message.type === "commit";
      return isCommit || kind === "blocks" ? undefined : bytes;
    },
  });
  await world.startAll();
  const [first, second, third, absent] = world.machines;
  assert.ok(first && second && third && absent);
  await commit(world, first, 2);
  world.crash(absent);
  cut = third;
  const sent = world.submit(first.index).outcome;
  assert.equal((await world.settle(sent, "admission")).ok, true);
  const decided = () => [first, second].every((one) => headOf(world, one).number === 3);
  await world.until(decided, SOON_MS, "the block with all three seals");
  assert.equal(headOf(world, third).number, 2);
  world.crash(third);
  cut = undefined;
  await startAbstaining(world, third);
  await world.until(() => headOf(world, third).number === 3, SOON_MS, "it follows");
  assert.equal(world.group(third.index).abstention?.(), undefined);
  mute(third, false);
  await world.start(absent.index);
  await commit(world, first, 2);
  assert.equal(world.group(third.index).abstention?.(), undefined);
  world.assertSound();
});
