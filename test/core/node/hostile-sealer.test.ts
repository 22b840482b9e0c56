/** One sealer lies about its proposals: no honest node ends, and the chain goes on. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../core/bytes/ids.ts";
import { createCodec } from "../../../core/consensus/pbft/codec.ts";
import { headerHash } from "../../../core/model/header.ts";
import { decodeConsensusMessage } from "../../../core/node/consensus-wire.ts";
import { BOOK_LIMIT } from "../../../core/node/proposal-book.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import { HostileSealer } from "../../support/hostile-sealer.ts";
import { NodeWorld } from "../../support/node-world.ts";

const suite = await createNodeSuite();

/** Three honest nodes and the sealer that leads at height 1. */
async function worldWithLiar(options: { latencyMs?: number } = {}) {
  const world = new NodeWorld({ suite, ...options });
  const liar = new HostileSealer(world, suite, 0);
  for (const { index } of liar.honest) await world.start(index);
  await liar.connect();
  await world.advance(50);
  return { world, liar };
}

/** Every honest node has the receipt. */
async function requireCommitted(world: NodeWorld, liar: HostileSealer, hash: Hash): Promise<void> {
  const end = world.now + 60_000;
  for (;;) {
    const ledgers = liar.honest.map(({ index }) => world.group(index).ledger);
    const found = await Promise.all(ledgers.map((ledger) => ledger.receipt(hash)));
    if (found.every(Boolean)) break;
    assert.ok(world.now < end, `the honest nodes commit: ${world.describe()}`);
    await world.advance(100);
  }
  assert.deepEqual(world.failures, [], world.describe());
}

test("a proposal that names a transaction twice ends no honest node", async () => {
  const { world, liar } = await worldWithLiar();
  const [first] = liar.honest;
  assert.ok(first);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.advance(100);
  const head = world.group(first.index).ledger.head();
  assert.equal(head.number, 0);
  for (const { nodeId } of liar.honest) liar.propose(liar.outline(head, [hash, hash]), nodeId);
  await requireCommitted(world, liar, hash);
  await world.stopAll();
});
/** Holds back what the executors find until it is let go. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const wrapExecutor = (executor: Executor): Executor => ({
    execute: async (request) => {
      const outcome = await executor.execute(request);
      await opened;
      return outcome;
    },
    cancel: () => executor.cancel(),
    write: (hash, seals) => executor.write(hash, seals),
    call: (request) => executor.call(request),
    close: () => executor.close(),
  });
  return { open, wrapExecutor };
}

test("a flood of proposals does not push out the one that is being executed", async () => {
  const { open, wrapExecutor } = gate();
  const world = new NodeWorld({ suite, wrapExecutor });
  const liar = new HostileSealer(world, suite, 3);
  for (const { index } of liar.honest) await world.start(index);
  await liar.connect();
  const [first] = liar.honest;
  assert.ok(first);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  const isExecuting = () =>
    world.log.some(({ message }) => message === "++++ block sealed") && world.now > 200;
  await world.until(isExecuting, 5_000, "a proposal");
  await world.advance(50);
  const head = world.group(first.index).ledger.head();
  for (let i = 0; i < 3 * BOOK_LIMIT; i++) {
    const timestamp = world.genesis.timestamp + BigInt(2_000 + i);
    const outline = liar.outline(head, [], { timestamp });
    for (const { nodeId } of liar.honest) liar.propose(outline, nodeId);
  }
  await world.advance(300);
  open();
  await requireCommitted(world, liar, hash);
  await world.stopAll();
});

test("a proposal whose header is not as proposed is not signed", async () => {
  const { world, liar } = await worldWithLiar();
  const [first] = liar.honest;
  assert.ok(first);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.advance(100);
  const head = world.group(first.index).ledger.head();
  const outline = liar.outline(head, [hash], { stateRoot: head.hash });
  const refused = headerHash(outline.header, suite);
  const signed: Hash[] = [];
  const codec = createCodec({ chainId: 1, groupId: 1, suite });
  liar.onMessage = ({ kind, bytes }) => {
    const message = kind === "consensus" && decodeConsensusMessage(bytes, codec)?.message;
    if (message && message.type === "sign") signed.push(message.proposal);
  };
  for (const { nodeId } of liar.honest) liar.propose(outline, nodeId);
  await requireCommitted(world, liar, hash);
  assert.ok(signed.length > 0 && !signed.includes(refused));
  await world.stopAll();
});

test("one sealer that claims a great height does not keep a node from taking transactions", async () => {
  const { world, liar } = await worldWithLiar();
  for (const { nodeId } of liar.honest) liar.claimHeight(1_000_000, nodeId);
  await world.advance(100);
  const [first] = liar.honest;
  assert.ok(first);
  assert.equal(world.group(first.index).syncStatus().knownHighestNumber, 1_000_000);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await requireCommitted(world, liar, hash);
  await world.stopAll();
});
