/**
 * One run of a chain whose machines lose power at random effects; the checks that must hold in
 * every such run.
 */
import assert from "node:assert/strict";
import type { Hash } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { type Machine, NodeWorld } from "../world/node-world.ts";

/** What a run is made with. */
export interface PowerLossOptions {
  readonly suite: CryptoSuite;
  readonly seed: number;
  /** Rounds in which one or two machines lose power. */
  readonly rounds: number;
  /** The disks say that a batch is synced when it is not. */
  readonly disksLie?: boolean;
  /** PBFT when absent. */
  readonly consensusType?: "pbft" | "raft";
}

/** What a run has seen. */
export interface PowerLossSights {
  readonly crashes: number;
  readonly lostBatches: number;
  readonly keptBatches: number;
  readonly blocks: number;
  readonly receipts: number;
}

/** Most effects between two losses of power. */
const MOST_EFFECTS = 250;
/** Most effects of a start that is cut short. */
const MOST_START_EFFECTS = 10;
/** A machine stays without power for at most this long. */
const MOST_DOWN_MS = 4_000;
const CRASH_WAIT_MS = 300_000;
/** After the faults all nodes have a new block within this time. */
const SETTLE_MS = 120_000;
const LOOK_MS = 250;

/** Receipts that some node served, and the blocks they named. */
class Served {
  readonly blocks = new Map<Hash, Hash>();
  readonly #sent: Hash[] = [];

  note(hash: Hash): void {
    this.#sent.push(hash);
  }

  /** Asks every node that runs for every receipt. */
  async look(world: NodeWorld): Promise<void> {
    for (const { life } of world.machines) {
      const ledger = life?.node.api.group(1)?.ledger;
      for (const hash of ledger ? this.#sent : []) {
        const blockHash = (await ledger?.receipt(hash))?.blockHash;
        if (blockHash === undefined) continue;
        const before = this.blocks.get(hash) ?? blockHash;
        assert.equal(before, blockHash, "a transaction is in one block");
        this.blocks.set(hash, blockHash);
      }
    }
  }

  /** Every receipt that was ever served is there on every node. */
  async requireAll(world: NodeWorld): Promise<void> {
    for (const { index } of world.machines) {
      const { ledger } = world.group(index);
      for (const [hash, blockHash] of this.blocks) {
        const found = (await ledger.receipt(hash))?.blockHash;
        assert.equal(found, blockHash, `the receipt of ${hash} on ${index}`);
      }
      for (const [number, hash] of world.blocks) {
        assert.equal(await ledger.hashOf(number), hash, `block ${number} on ${index}`);
      }
    }
  }
}

function submitSome(world: NodeWorld, served: Served): void {
  for (const { index, life } of world.machines) {
    if (!life?.node.api.group(1) || world.random.chance(0.5)) continue;
    const { hash, outcome } = world.submit(index);
    served.note(hash);
    outcome.catch(() => undefined);
  }
}

/** Power may go again while a machine starts. */
async function restart(world: NodeWorld, machine: Machine): Promise<void> {
  if (world.random.chance(0.3)) machine.effectsLeft = 1 + world.random.below(MOST_START_EFFECTS);
  while (!machine.life) await world.start(machine.index);
  machine.effectsLeft = undefined;
}

async function crashAndRestart(world: NodeWorld, served: Served): Promise<void> {
  const chosen = new Set([world.random.pick(world.machines)]);
  if (world.random.chance(0.3)) chosen.add(world.random.pick(world.machines));
  for (const machine of chosen) machine.effectsLeft = 1 + world.random.below(MOST_EFFECTS);
  submitSome(world, served);
  await world.until(() => [...chosen].every(({ life }) => !life), CRASH_WAIT_MS, "loss of power");
  await served.look(world);
  await world.advance(world.random.below(MOST_DOWN_MS));
  for (const machine of chosen) await restart(world, machine);
  await served.look(world);
}

async function requireProgress(world: NodeWorld, served: Served): Promise<void> {
  const { hash, outcome } = world.submit(0);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  served.note(hash);
  const end = world.now + SETTLE_MS;
  for (;;) {
    const found = await Promise.all(
      world.machines.map(({ index }) => world.group(index).ledger.receipt(hash)),
    );
    if (found.every(Boolean)) return;
    assert.ok(world.now < end, `all nodes commit after the faults: ${world.describe()}`);
    await world.advance(LOOK_MS);
  }
}

/** Runs it; throws when something does not hold. */
export async function runPowerLoss(options: PowerLossOptions): Promise<PowerLossSights> {
  const { suite, seed, rounds, disksLie = false, consensusType = "pbft" } = options;
  const world = new NodeWorld({ suite, seed, disksLie, genesis: { consensusType } });
  const served = new Served();
  await world.startAll();
  for (let round = 0; round < rounds; round++) await crashAndRestart(world, served);
  await requireProgress(world, served);
  await served.look(world);
  await served.requireAll(world);
  assert.deepEqual(world.failures, []);
  await world.stopAll();
  return {
    crashes: world.machines.reduce((sum, machine) => sum + machine.crashes, 0),
    lostBatches: world.lost.batches,
    keptBatches: world.lost.kept,
    blocks: world.blocks.size,
    receipts: served.blocks.size,
  };
}
