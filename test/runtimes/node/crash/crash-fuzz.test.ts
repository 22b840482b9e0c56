/** A sealer that sends anything: nothing that it sends ends an honest node or stops the chain. */
// rules: pbft 16.1, pbft 16.3.10, sync 7
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import type { MessageClass } from "../../../../core/ports/network.ts";
import { cases } from "../../../support/runner/cases.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import type { Random } from "../../../simulation/random.ts";

const suite = await createNodeSuite();
const MESSAGES = cases(20_000, 2_000);
/** Below the bound of any queue. */
const BURST = 200;
/** A peer that is blocked for its rejections comes back with a new session. */
const BURSTS_PER_SESSION = 4;
const HOSTILE = 3;
const KEPT = 400;
const LARGEST_RANDOM = 600;
const OVERSIZE = 9 * 1024 * 1024;

/** Real messages of a class, to mutate and to send again. */
class Samples {
  readonly #kept: Uint8Array[] = [];

  add(bytes: Uint8Array, random: Random): void {
    if (this.#kept.length < KEPT) this.#kept.push(bytes);
    else this.#kept[random.below(KEPT)] = bytes;
  }

  get size(): number {
    return this.#kept.length;
  }

  pick(random: Random): Uint8Array {
    return random.pick(this.#kept);
  }
}

type Mutation = (bytes: Uint8Array, random: Random) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  // Sent again as it is: a replay, and a word of somebody else.
  (bytes) => bytes,
  (bytes, random) => flip(bytes, random, 1),
  (bytes, random) => flip(bytes, random, 8),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => Uint8Array.from([...bytes, ...noise(random, 1 + random.below(40))]),
  (bytes, random) => splice(bytes, noise(random, random.below(33)), random),
  (_, random) => noise(random, random.below(LARGEST_RANDOM)),
  (_, random) => Uint8Array.from([0xf9, 0xff, 0xff, ...noise(random, random.below(100))]),
];

function noise(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

function flip(bytes: Uint8Array, random: Random, count: number): Uint8Array {
  const copy = bytes.slice();
  for (let i = 0; i < count; i++) {
    const at = random.below(copy.length);
    copy[at] = random.below(256);
  }
  return copy;
}

function splice(bytes: Uint8Array, piece: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  copy.set(piece.subarray(0, copy.length), random.below(Math.max(1, copy.length - piece.length)));
  return copy;
}

async function commitOne(world: NodeWorld, what: string): Promise<void> {
  const before = world.group(0).ledger.head().number;
  const { outcome } = world.submit(before % HOSTILE);
  outcome.catch(() => undefined);
  const heads = () => [0, 1, 2].map((index) => world.group(index).ledger.head().number);
  await world.until(() => heads().every((head) => head > before), 120_000, what);
}

/** Real messages of every class: blocks are asked for by a node that was away. */
async function gather(
  world: NodeWorld,
  samples: ReadonlyMap<MessageClass, Samples>,
): Promise<void> {
  const listen = (_from: unknown, _to: unknown, kind: MessageClass, bytes: Uint8Array) =>
    samples.get(kind)?.add(bytes, world.random);
  world.sendListeners.add(listen);
  await world.startAll();
  for (let i = 0; i < 5; i++) await commitOne(world, "a block");
  world.crash(world.machine(2));
  // A quorum of three is left.
  const before = world.group(0).ledger.head().number;
  world.submit(0).outcome.catch(() => undefined);
  await world.until(() => world.group(0).ledger.head().number > before, 60_000, "a block of three");
  await world.start(2);
  await world.until(() => world.group(2).ledger.head().number > before, 60_000, "catching up");
  world.crash(world.machine(HOSTILE));
  for (let i = 0; i < 2; i++) await commitOne(world, "a block of the honest");
  world.sendListeners.delete(listen);
}

const CLASSES = ["consensus", "transactions", "blocks"] as const satisfies readonly MessageClass[];

for (const [seed, kind] of CLASSES.entries()) {
  test(`${MESSAGES} random, mutated and replayed messages of class ${kind} stop nobody`, async () => {
    const world = new NodeWorld({ suite, seed: 31 + seed });
    const samples = new Map(CLASSES.map((name) => [name, new Samples()]));
    await gather(world, samples);
    const known = samples.get(kind);
    assert.ok(known && known.size > 0, "there are messages to mutate");
    const { network, nodeId } = world.machine(HOSTILE);
    const deaf = { message: () => undefined, peerUp: () => undefined, peerDown: () => undefined };
    const honest = world.machines.filter((machine) => machine.nodeId !== nodeId);
    for (let sent = 0, burst = 0; sent < MESSAGES; burst++) {
      if (burst % BURSTS_PER_SESSION === 0) {
        await network.stop();
        await network.start(deaf);
        await world.advance(20);
      }
      for (let i = 0; i < BURST; i++, sent++) {
        const mutate = world.random.pick(MUTATIONS);
        const bytes = mutate(known.pick(world.random), world.random);
        network.send(world.random.pick(honest).nodeId, { groupId: 1, kind, bytes });
      }
      await world.advance(20);
    }
    for (const { nodeId: to } of honest) {
      network.send(to, { groupId: 1, kind, bytes: new Uint8Array(OVERSIZE) });
    }
    await commitOne(world, "a block after all that");
    const rejected = world.log.filter(({ message }) => message === "message rejected").length;
    process.stdout.write(`${kind}: ${MESSAGES} sent, ${rejected} rejected and counted\n`);
    assert.ok(rejected > MESSAGES / 10, "malformed messages are counted");
    assert.deepEqual(world.failures, []);
    world.assertSound();
  });
}
