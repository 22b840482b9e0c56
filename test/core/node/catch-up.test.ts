/** A node that was away asks its peers for blocks; some of them lie. */
// rules: pbft 16.3.9, sync 4
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  type BlockMessage,
  decodeBlockMessage,
  encodeBlockMessage,
} from "../../../core/sync/block-exchange.ts";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import { type Machine, NodeWorld, type Outgoing } from "../../support/node-world.ts";

const suite = await createNodeSuite();
const BLOCKS = 5;
const LAGGARD = 3;
const HONEST = 1;

type Block = Extract<BlockMessage, { type: "block" }>;
type Lie = (block: Block, earlier: Block | undefined) => BlockMessage;

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

for (const [name, lie] of Object.entries(LIES)) {
  test(`a node catches up from its one honest peer while the others send blocks with ${name}`, async () => {
    let lies = 0;
    let earlier: Block | undefined;
    const world = await worldWithLaggard(({ index }, _to, { kind, bytes }) => {
      const message = kind === "blocks" && index !== HONEST ? decodeBlockMessage(bytes) : undefined;
      if (message?.type !== "block") return bytes;
      lies++;
      const told = lie(message, earlier);
      earlier = message;
      return encodeBlockMessage(told);
    });
    await requireCaughtUp(world);
    assert.ok(lies > 0, "somebody lied");
  });
}

test("a liar that answers in the place of whoever is asked stops nobody", async () => {
  let lies = 0;
  const liarIndex = 2;
  const world: NodeWorld = await worldWithLaggard(({ index, nodeId }, _to, { kind, bytes }) => {
    const message = kind === "blocks" ? decodeBlockMessage(bytes) : undefined;
    // Its own answers are never right.
    if (index === liarIndex && message?.type === "block") return undefined;
    if (index !== LAGGARD || message?.type !== "requestBlock") return bytes;
    lies++;
    const header = { ...EMPTY_HEADER, number: message.number };
    const block = { type: "block", header, seals: [], transactions: [] } as const;
    const { network } = world.machine(liarIndex);
    network.send(nodeId, { groupId: 1, kind: "blocks", bytes: encodeBlockMessage(block) });
    return bytes;
  });
  await requireCaughtUp(world);
  assert.ok(lies > 0, "somebody lied");
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
