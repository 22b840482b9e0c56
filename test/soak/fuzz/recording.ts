/**
 * What four nodes reported to each other in a real run: blocks, lost leaders, views, a node that
 * was away and fetched blocks, bodies and transactions that had to be asked for.
 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { MessageClass } from "../../../core/ports/network.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import type { StoreWrite } from "../../../core/ports/store.ts";
import { type Machine, NodeWorld, type Outgoing } from "../../support/world/node-world.ts";

/** One message of the run. */
export interface RecordedMessage {
  readonly from: NodeId;
  readonly kind: MessageClass;
  readonly bytes: Uint8Array;
}

/** One node of the run. */
export interface RecordedNode {
  readonly nodeId: NodeId;
  readonly privateKey: Uint8Array;
}

/** A run: its chain, one node's disk in its middle, and what was reported from then on. */
export interface Recording {
  readonly genesis: GenesisConfig;
  readonly nodes: readonly RecordedNode[];
  /** Everything that node 0 had on disk, its files included. */
  readonly disk: readonly StoreWrite[];
  readonly messages: readonly RecordedMessage[];
}

const BEFORE = 4;
const AFTER = 4;
const AWAY = 6;
const PATIENCE_MS = 240_000;
const EVERYTHING = { from: "", to: "\xff", limit: 1_000_000 };

async function diskOf(machine: Machine): Promise<StoreWrite[]> {
  const { from, to, limit } = EVERYTHING;
  const entries = await machine.disk.durable.range(from, to, limit);
  return entries.map(({ key, value }) => ({ key, value }));
}

/** A store with a copy of a disk. */
export function storeOf(disk: readonly StoreWrite[]) {
  const store = openMemoryStore();
  void store.commit(disk, { durable: true });
  return store;
}

/** Lets the chain grow by some blocks of two transactions. */
async function grow(world: NodeWorld, by: readonly number[], blocks: number): Promise<void> {
  const height = () => Math.min(...by.map((index) => world.group(index).ledger.head().number));
  const goal = height() + blocks;
  for (let i = 0; height() < goal; i++) {
    const before = height();
    for (const index of [by[i % by.length] ?? 0, by[(i + 1) % by.length] ?? 0])
      world.submit(index).outcome.catch(() => undefined);
    await world.until(() => height() > before, PATIENCE_MS, `block ${before + 1}`);
  }
}

/**
 * Of what is pushed to a node every third transaction is lost, so that bodies have to be asked for;
 * of the two that a block waits for each node has one.
 */
function losing(): (from: Machine, to: NodeId, message: Outgoing) => Uint8Array | undefined {
  const pushes = new Map<NodeId, number>();
  return (_from, to, { kind, bytes }) => {
    if (kind !== "transactions") return bytes;
    const count = (pushes.get(to) ?? 0) + 1;
    pushes.set(to, count);
    return count % 3 === 0 ? undefined : bytes;
  };
}

/** Runs a chain of four and writes down what is reported. */
export async function record(
  suite: CryptoSuite,
  consensusType: GenesisConfig["consensusType"],
): Promise<Recording> {
  const options = { suite, seed: 5, genesis: { consensusType }, tamper: losing() };
  const world = new NodeWorld(options);
  await world.startAll();
  await grow(world, [0, 1, 2, 3], BEFORE);
  const all = () => world.machines.map(({ index }) => world.group(index).ledger.head().number);
  await world.until(() => new Set(all()).size === 1, PATIENCE_MS, "one height");
  const disk = await diskOf(world.machine(0));
  const seen = new Set<string>();
  const messages: RecordedMessage[] = [];
  world.sendListeners.add((from, _to, kind, bytes) => {
    const key = `${kind}${from.index}${Buffer.from(bytes).toString("latin1")}`;
    if (seen.has(key)) return;
    seen.add(key);
    messages.push({ from: from.nodeId, kind, bytes: bytes.slice() });
  });
  await grow(world, [0, 1, 2, 3], AFTER);
  world.crash(world.machine(3));
  await grow(world, [0, 1, 2], AWAY);
  await world.start(3);
  const behind = () => world.group(3).ledger.head().number < world.group(0).ledger.head().number;
  await world.until(() => !behind(), PATIENCE_MS, "node 3 has caught up");
  await world.stopAll();
  const nodes = world.machines.map(({ nodeId, privateKey }) => ({ nodeId, privateKey }));
  return { genesis: world.genesis, nodes, disk, messages };
}
