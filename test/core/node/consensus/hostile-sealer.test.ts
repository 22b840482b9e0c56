/** One sealer lies about its proposals: no honest node ends, and the chain goes on. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { createCodec, createSigner } from "../../../../core/consensus/pbft/codec.ts";
import { DEFAULT_GENESIS_TIMESTAMP } from "../../../../core/model/genesis.ts";
import { headerHash } from "../../../../core/model/header.ts";
import {
  readConsensusMessage,
  encodeConsensusMessage,
} from "../../../../core/node/consensus/consensus-wire.ts";
import { EVIDENCE_A_SECOND } from "../../../../core/node/consensus/pbft-gate.ts";
import { PROPOSAL_LIMIT } from "../../../../core/node/proposals/proposal-cache.ts";
import type { Executor } from "../../../../core/ports/executor.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { HostileSealer } from "../../../support/world/hostile-sealer.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();

/** Three honest nodes and the sealer that leads at height 1. */
async function worldWithByzantine(options: { latencyMs?: number } = {}) {
  const world = new NodeWorld({ suite, ...options });
  const byzantine = new HostileSealer(world, suite, 0);
  for (const { index } of byzantine.honest) await world.start(index);
  await byzantine.connect();
  await world.advance(50);
  return { world, byzantine };
}

/** Every honest node has the receipt. */
async function requireCommitted(
  world: NodeWorld,
  byzantine: HostileSealer,
  hash: Hash,
): Promise<void> {
  const end = world.now + 60_000;
  for (;;) {
    const ledgers = byzantine.honest.map(({ index }) => world.group(index).ledger);
    const found = await Promise.all(ledgers.map((ledger) => ledger.receipt(hash)));
    if (found.every(Boolean)) break;
    assert.ok(world.now < end, `the honest nodes commit: ${world.describe()}`);
    await world.advance(100);
  }
  assert.deepEqual(world.failures, [], world.describe());
}

/**
 * A world with a Byzantine node in which every node has one transaction that no block holds yet.
 */
async function worldWithPending() {
  const { world, byzantine } = await worldWithByzantine();
  const [first] = byzantine.honest;
  assert.ok(first);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await world.advance(100);
  return { world, byzantine, first, hash, head: world.group(first.index).ledger.head() };
}

test("a proposal that names a transaction twice ends no honest node", async () => {
  const { world, byzantine, hash, head } = await worldWithPending();
  assert.equal(head.number, 0);
  for (const { nodeId } of byzantine.honest)
    byzantine.propose(byzantine.compact(head, [hash, hash]), nodeId);
  await requireCommitted(world, byzantine, hash);
  await world.stopAll();
});

test("a proposal at the end of time is refused, so that later blocks have room", async () => {
  const { world, byzantine, first, hash, head } = await worldWithPending();
  for (const timestamp of [2n ** 64n - 1n, 2n ** 63n - 1n, 2n ** 53n]) {
    const compact = byzantine.compact(head, [hash], { timestamp });
    for (const { nodeId } of byzantine.honest) byzantine.propose(compact, nodeId);
  }
  await requireCommitted(world, byzantine, hash);
  const written = await world.settle(world.group(first.index).ledger.receipt(hash), "receipt");
  const at = written?.blockHash ?? head.hash;
  const sealed = await world.settle(world.group(first.index).ledger.header(at), "header");
  assert.ok(sealed && sealed.header.timestamp < 2n ** 53n, `${sealed?.header.timestamp}`);
  const second = world.submit(first.index);
  assert.equal((await world.settle(second.outcome, "admission")).ok, true);
  await requireCommitted(world, byzantine, second.hash);
  await world.stopAll();
});

for (const consensusType of ["pbft", "raft"] as const)
  test(`a ${consensusType} chain whose genesis block is at the end of time goes on`, async () => {
    const genesis = { consensusType, timestamp: DEFAULT_GENESIS_TIMESTAMP };
    const world = new NodeWorld({ suite, genesis });
    await world.startAll();
    for (const index of [0, 1, 2]) {
      const { hash, outcome } = world.submit(index);
      assert.equal((await world.settle(outcome, "admission")).ok, true);
      await world.until(() => world.group(0).ledger.head().number > index, 60_000, `${hash}`);
      const number = world.group(0).ledger.head().number;
      await world.until(
        () => [1, 2, 3].every((at) => world.group(at).ledger.head().number >= number),
        60_000,
        "all nodes",
      );
    }
    for (const machine of world.machines) world.crash(machine);
    await world.startAll();
    const { hash, header } = await headerOfHead(world);
    assert.equal(header.timestamp, DEFAULT_GENESIS_TIMESTAMP + BigInt(header.number), hash);
    await world.stopAll();
  });

/** The header of node 0's last block, as its store has it. */
async function headerOfHead(world: NodeWorld) {
  const { ledger } = world.group(0);
  const { hash } = ledger.head();
  const sealed = await world.settle(ledger.header(hash), "header");
  assert.ok(sealed);
  return { hash, header: sealed.header };
}

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
  const byzantine = new HostileSealer(world, suite, 3);
  for (const { index } of byzantine.honest) await world.start(index);
  await byzantine.connect();
  const [first] = byzantine.honest;
  assert.ok(first);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  const isExecuting = () =>
    world.log.some(({ message }) => message === "[g:1] ++++ block sealed") && world.now > 200;
  await world.until(isExecuting, 5_000, "a proposal");
  await world.advance(50);
  const head = world.group(first.index).ledger.head();
  for (let i = 0; i < 3 * PROPOSAL_LIMIT; i++) {
    const timestamp = world.genesis.timestamp + BigInt(2_000 + i);
    const compact = byzantine.compact(head, [], { timestamp });
    for (const { nodeId } of byzantine.honest) byzantine.propose(compact, nodeId);
  }
  await world.advance(300);
  open();
  await requireCommitted(world, byzantine, hash);
  await world.stopAll();
});

test("a proposal whose header is not as proposed is not signed", async () => {
  const { world, byzantine, hash, head } = await worldWithPending();
  const compact = byzantine.compact(head, [hash], { stateRoot: head.hash });
  const refused = headerHash(compact.header, suite);
  const signed: Hash[] = [];
  const codec = createCodec({ chainId: 1, groupId: 1, suite });
  byzantine.onMessage = ({ kind, bytes }) => {
    const message = kind === "consensus" && readConsensusMessage(bytes, codec)?.message;
    if (message && message.type === "sign") signed.push(message.proposal);
  };
  for (const { nodeId } of byzantine.honest) byzantine.propose(compact, nodeId);
  await requireCommitted(world, byzantine, hash);
  assert.ok(signed.length > 0 && !signed.includes(refused));
  await world.stopAll();
});

test("one sealer that claims a great height does not keep a node from taking transactions", async () => {
  const { world, byzantine } = await worldWithByzantine();
  for (const { nodeId } of byzantine.honest) byzantine.claimHeight(1_000_000, nodeId);
  await world.advance(100);
  const [first] = byzantine.honest;
  assert.ok(first);
  assert.equal(world.group(first.index).syncStatus().knownHighestNumber, 1_000_000);
  const { hash, outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  await requireCommitted(world, byzantine, hash);
  await world.stopAll();
});

test("votes under the name of another sealer count against who sends them", async () => {
  const { world, byzantine } = await worldWithByzantine();
  const [first, other] = byzantine.honest;
  assert.ok(first && other);
  const { hash } = world.group(first.index).ledger.head();
  const codec = createCodec({ chainId: 1, groupId: 1, suite });
  const index = world.genesis.sealers.indexOf(other.nodeId);
  const place = { height: 1, view: 60, index };
  const content = { type: "sign", ...place, proposal: hash, executed: hash } as const;
  const signature = createSigner(codec, suite, byzantine.machine.privateKey).sign(content);
  const message = { ...content, signature, signer: byzantine.machine.nodeId };
  const bytes = encodeConsensusMessage({ message, compact: undefined }, codec);
  const blamed = () =>
    world.log.filter(({ fields }) => fields?.["reason"] === "consensus: otherSigner").length;
  // No more of a Byzantine node's are examined in a second.
  const seconds = 100 / EVIDENCE_A_SECOND;
  for (let second = 0; second < seconds; second++) {
    for (let sending = 0; sending < EVIDENCE_A_SECOND; sending++)
      byzantine.send(first.nodeId, "consensus", bytes);
    await world.advance(1_100);
  }
  assert.equal(blamed(), 100);
  for (let sending = 0; sending < 100; sending++) byzantine.send(first.nodeId, "consensus", bytes);
  await world.advance(900);
  assert.equal(blamed(), 100 + EVIDENCE_A_SECOND);
  await world.stopAll();
});
