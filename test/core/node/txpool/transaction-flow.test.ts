/** Transactions of peers: what is recovered, the room that each may have, what is answered. */
// rules: txpool 3.1, sync 5
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "vitest";
import { startSupervised } from "../../../../core/actors/supervise.ts";
import { txpoolMachine } from "../../../../core/actors/txpool.machine.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { signTransaction, type TransactionFields } from "../../../../core/model/transaction.ts";
import { SenderRecovery } from "../../../../core/node/txpool/sender-recovery.ts";
import { TransactionFlow } from "../../../../core/node/txpool/transaction-flow.ts";
import {
  type DecodedGossip,
  decodeTransactionsMessage,
  encodeHashes,
  encodePassedOn,
  encodeTransactions,
} from "../../../../core/sync/gossip.ts";
import {
  SERVED_BURST_BYTES,
  SERVED_BYTES_PER_SECOND,
} from "../../../../core/sync/serving-budget.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { buildPool, nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

const suite = await createNodeSuite();
const [SELF, PEER, OTHER] = [1, 2, 3].map(nodeIdOfNumber) as [NodeId, NodeId, NodeId];
const KEY = new Uint8Array(32).fill(9);
const settled = () => new Promise((resume) => setTimeout(resume, 20));

function signed(nonce: number, changes: Partial<TransactionFields> = {}) {
  const fields = {
    nonce: BigInt(nonce),
    gasPrice: 1n,
    gas: 300_000n,
    blockLimit: 600n,
    to: null,
    value: 0n,
    input: new Uint8Array(4),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
    ...changes,
  };
  return signTransaction(fields, KEY, suite);
}

/** A flow at head 100 whose time the test moves; `hold` keeps senders from becoming known. */
function flowAt({ hold = false, sealers = [SELF], distant = [] as NodeId[] } = {}) {
  const pool = buildPool(100, {}, [77n]);
  const actor = startSupervised(txpoolMachine, {
    id: "txpool",
    input: { pool },
    log: { write: () => undefined },
    onError: (cause) => assert.fail(String(cause)),
  });
  const inline = createInlineCompute(suite, { schedule: (run) => void setImmediate(run) });
  let recovered = 0;
  let now = 0;
  const sent: { readonly to: NodeId; readonly length: number }[] = [];
  const messages: DecodedGossip[] = [];
  const rejected: string[] = [];
  const compute = {
    ...inline,
    recover: (items: Parameters<typeof inline.recover>[0]) => {
      recovered += items.length;
      return hold ? new Promise<never>(() => undefined) : inline.recover(items);
    },
  };
  const flow = new TransactionFlow({
    groupId: 1,
    chainId: 1,
    self: SELF,
    pool,
    actor,
    recovery: new SenderRecovery({ suite, compute }),
    network: {
      self: SELF,
      peers: () => [],
      start: async () => undefined,
      stop: async () => undefined,
      send: (to, { bytes }) => {
        sent.push({ to, length: bytes.length });
        messages.push(decodeTransactionsMessage(bytes));
      },
    },
    clock: { now: () => now, steady: () => now, after: () => () => undefined },
    log: { write: () => undefined },
    view: {
      head: () => 100,
      knownHighest: () => 100,
      isMember: () => true,
      sealers: () => sealers,
      isConnected: (peer) => !distant.includes(peer),
      passesOn: () => true,
    },
    onImported: () => undefined,
    onRejected: (_, reason) => rejected.push(reason),
  });
  const push = (from: NodeId, raws: readonly Uint8Array[]) =>
    flow.onMessage(from, encodeTransactions("push", raws));
  const pass = (ms: number) => {
    now += ms;
  };
  return { flow, pool, sent, messages, rejected, push, pass, recovered: () => recovered };
}

test("nothing is recovered of a peer's transactions that may not enter", async () => {
  const { pool, push, recovered, rejected } = flowAt();
  const useless = [
    signed(1, { chainId: 2n }),
    signed(2, { groupId: 2n }),
    signed(3, { blockLimit: 100n }),
    signed(4, { blockLimit: 1_101n }),
    signed(77),
  ];
  for (let times = 0; times < 3; times++)
    push(
      PEER,
      useless.map(({ raw }) => raw),
    );
  await settled();
  assert.equal(recovered(), 0);
  const good = signed(5);
  push(PEER, [...useless.map(({ raw }) => raw), good.raw]);
  await settled();
  assert.equal(recovered(), 1);
  assert.deepEqual([...pool.byHash.keys()], [good.hash]);
  push(PEER, [good.raw, signed(5, { value: 1n }).raw]);
  await settled();
  assert.equal(recovered(), 1, "known, and one with the nonce of one that waits");
  assert.deepEqual(rejected, []);
});

test("what nobody else has learned of goes out when the flow is closed", async () => {
  const { flow, sent } = flowAt({ sealers: [SELF, PEER, OTHER] });
  const outcome = await flow.submit(signed(1).raw);
  assert.equal(outcome.ok, true);
  assert.deepEqual(sent, [], "it waits a moment for others to travel with it");
  flow.close();
  assert.deepEqual(sent.map(({ to }) => to).sort(), [PEER, OTHER].sort());
  flow.close();
  assert.equal(sent.length, 2);
  assert.equal((await flow.submit(signed(2).raw)).ok, false);
});

test("one peer does not fill the room in which transactions wait for their senders", async () => {
  const { push, recovered } = flowAt({ hold: true });
  const large = new Uint8Array(8 * 1024 * 1024);
  let nonce = 1;
  const give = (from: NodeId) => push(from, [signed(nonce++, { input: large }).raw]);
  for (let times = 0; times < 12; times++) give(PEER);
  const ofPeer = recovered();
  assert.ok(ofPeer >= 8 && ofPeer <= 9, `${ofPeer}`);
  give(OTHER);
  assert.equal(recovered(), ofPeer + 1);
});

test("a question of a few bytes is answered within what a peer is served", async () => {
  const { flow, sent, push, pass } = flowAt();
  const input = new Uint8Array(randomBytes(4 * 1024 * 1024));
  const { raw, hash } = signed(1, { input });
  push(PEER, [raw]);
  await settled();
  const ask = (from: NodeId) => flow.onMessage(from, encodeHashes("request", [hash]));
  const got = (peer: NodeId) =>
    sent.filter(({ to }) => to === peer).reduce((sum, { length }) => sum + length, 0);
  for (let times = 0; times < 100; times++) ask(PEER);
  assert.ok(got(PEER) >= SERVED_BURST_BYTES && got(PEER) < SERVED_BURST_BYTES + 2 * raw.length);
  ask(OTHER);
  assert.ok(got(OTHER) >= raw.length, "others are answered");
  const before = got(PEER);
  for (let second = 0; second < 10; second++) {
    pass(1_000);
    for (let times = 0; times < 10; times++) ask(PEER);
  }
  const rate = (got(PEER) - before) / 10;
  assert.ok(rate > 0 && rate <= SERVED_BYTES_PER_SECOND + raw.length, `${rate}`);
});

const FOURTH = nodeIdOfNumber(4);

test("transactions name the sealers that they were not sent to", async () => {
  const { flow, sent, messages } = flowAt({ sealers: [SELF, PEER, OTHER], distant: [OTHER] });
  await flow.submit(signed(1).raw);
  flow.push();
  assert.deepEqual(
    sent.map(({ to }) => to),
    [PEER],
  );
  const [first] = messages;
  assert.ok(first?.ok && first.message.type === "passOn");
  assert.deepEqual(first.message.missing, [OTHER]);
});

test("what is new here goes on once, to those that its origin has not reached", async () => {
  const sealers = [SELF, PEER, OTHER, FOURTH];
  const { flow, sent, messages } = flowAt({ sealers, distant: [FOURTH] });
  const { raw } = signed(1);
  const bytes = encodePassedOn([OTHER, FOURTH], encodeTransactions("push", [raw]));
  for (let times = 0; times < 2; times++) {
    flow.onMessage(PEER, bytes);
    await settled();
  }
  assert.deepEqual(
    sent.map(({ to }) => to),
    [OTHER],
  );
  const [first] = messages;
  assert.ok(first?.ok && first.message.type === "passOn");
  assert.deepEqual(first.message.missing, [FOURTH]);
});

test("a transaction that may not enter goes no further", async () => {
  const { flow, sent } = flowAt({ sealers: [SELF, PEER, OTHER] });
  const { raw } = signed(1, { chainId: 2n });
  flow.onMessage(PEER, encodePassedOn([OTHER], encodeTransactions("push", [raw])));
  await settled();
  assert.deepEqual(sent, []);
});
