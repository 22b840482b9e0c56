/** A node that was away asks its peers for blocks; some of them lie. */
// rules: pbft 16.3.9, sync 1, 4, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import {
  decodeSyncBlock,
  decodeSyncMessage,
  encodeSyncBlock,
  encodeSyncMessage,
  isSyncMessage,
  type SyncBlockParts as Block,
  type SyncMessage,
} from "../../../../core/sync/sync-message.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { type Machine, NodeWorld, type Outgoing } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const BLOCKS = 5;
const LAGGARD = 3;
const HONEST = 1;

type Lie = (block: Block, earlier: Block | undefined) => Block;

const LIES: Readonly<Record<string, Lie>> = {
  "no transactions": (block) => ({ ...block, transactions: [] }),
  "a transaction twice": (block) => ({
    ...block,
    transactions: [...block.transactions, ...block.transactions],
  }),
  "bytes that are no transaction": (block) => ({
    ...block,
    transactions: [Uint8Array.of(0xc1, 0x80)],
  }),
  "a root of its own": (block) => ({
    ...block,
    header: { ...block.header, stateRoot: block.header.parentHash },
  }),
  "forged seals": (block) => ({
    ...block,
    seals: block.seals.map((seal) => ({ ...seal, signature: seal.signature.toReversed() })),
  }),
  "one seal three times": (block) => ({
    ...block,
    seals: block.seals.flatMap((seal, i) => (i === 0 ? [seal, seal, seal] : [])),
  }),
  "too few seals": (block) => ({ ...block, seals: block.seals.slice(1) }),
  "another height": (block) => ({
    ...block,
    header: { ...block.header, number: block.header.number + 1 },
  }),
  "the block before": (block, earlier) => earlier ?? block,
};

/** A world in which one node missed some blocks while the others went on. */
async function worldWithLaggard(
  tamper: (from: Machine, to: NodeId, message: Outgoing) => Uint8Array | undefined,
): Promise<NodeWorld> {
  const world = new NodeWorld({ suite, seed: 11, tamper });
  await world.startAll();
  world.crash(world.machine(LAGGARD));
  for (let number = 1; number <= BLOCKS; number++) {
    world.submit(number % LAGGARD).outcome.catch(() => undefined);
    const heads = () => [0, 1, 2].map((index) => world.group(index).ledger.head().number);
    await world.until(() => heads().every((head) => head >= number), 60_000, `block ${number}`);
  }
  return world;
}

async function requireCaughtUp(world: NodeWorld): Promise<void> {
  await world.start(LAGGARD);
  const head = () => world.group(LAGGARD).ledger.head();
  await world.until(() => head().number >= BLOCKS, 120_000, "catching up");
  assert.equal(head().hash, world.blocks.get(head().number));
  assert.deepEqual(world.failures, []);
  await world.stopAll();
}

function syncMessageOf({ kind, bytes }: Outgoing): SyncMessage | undefined {
  return kind === "blocks" && isSyncMessage(bytes) ? decodeSyncMessage(bytes) : undefined;
}

for (const [name, lie] of Object.entries(LIES)) {
  test(`a node catches up from its one honest peer while the others send blocks with ${name}`, async () => {
    let lies = 0;
    let earlier: Block | undefined;
    const tell = (encoded: Uint8Array): Uint8Array => {
      const block = decodeSyncBlock(encoded);
      assert.ok(block);
      lies++;
      const told = lie(block, earlier);
      earlier = block;
      return encodeSyncBlock(told);
    };
    const world = await worldWithLaggard(({ index }, _to, message) => {
      const sent = index === HONEST ? undefined : syncMessageOf(message);
      if (sent?.type !== "blocks") return message.bytes;
      return encodeSyncMessage({ type: "blocks", blocks: sent.blocks.map(tell) });
    });
    await requireCaughtUp(world);
    assert.ok(lies > 0, "somebody lied");
  });
}

test("a Byzantine node that answers in place of the node that is asked stops no node", async () => {
  let lies = 0;
  const byzantineIndex = 2;
  const world: NodeWorld = await worldWithLaggard(({ index, nodeId }, _to, message) => {
    const sent = syncMessageOf(message);
    // Its own answers are never right.
    if (index === byzantineIndex && sent?.type === "blocks") return undefined;
    if (index !== LAGGARD || sent?.type !== "requestRange") return message.bytes;
    lies++;
    const header = { ...EMPTY_HEADER, number: sent.from };
    const block = encodeSyncBlock({ header, seals: [], transactions: [] });
    const { network } = world.machine(byzantineIndex);
    const bytes = encodeSyncMessage({ type: "blocks", blocks: [block] });
    network.send(nodeId, { groupId: 1, kind: "blocks", bytes });
    return message.bytes;
  });
  await requireCaughtUp(world);
  assert.ok(lies > 0, "somebody lied");
});

test("a status of a height that does not exist stops no node", async () => {
  const byzantineIndex = 2;
  const world = await worldWithLaggard(({ index }, _to, message) => {
    const sent = syncMessageOf(message);
    if (index !== byzantineIndex || sent?.type !== "status") return message.bytes;
    return encodeSyncMessage({ ...sent, number: sent.number + 1_000 });
  });
  await world.start(LAGGARD);
  const head = () => world.group(LAGGARD).ledger.head();
  await world.until(() => head().number >= BLOCKS, 240_000, "catching up");
  assert.deepEqual(world.failures, []);
  await world.stopAll();
});

const EMPTY_HEADER = genesisLike();

function genesisLike(): Block["header"] {
  const zero = `0x${"0".repeat(64)}` as Block["header"]["parentHash"];
  return {
    parentHash: zero,
    stateRoot: zero,
    transactionsRoot: zero,
    receiptsRoot: zero,
    dbHash: zero,
    logsBloom: new Uint8Array(256),
    number: 0,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: 1n,
    extraData: [],
    sealer: 0,
    sealerList: [],
  };
}
