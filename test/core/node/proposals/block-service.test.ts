/** Bodies of proposals that arrive: which are examined, and which one counts. */
// rules: pbft 9, 16.3.3
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import { headerHash } from "../../../../core/model/header.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { BlockService } from "../../../../core/node/proposals/block-service.ts";
import { SenderRecovery } from "../../../../core/node/txpool/sender-recovery.ts";
import { ProposalCache } from "../../../../core/node/proposals/proposal-cache.ts";
import type { Clock } from "../../../../core/ports/clock.ts";
import { decodeBlockMessage, encodeBlockMessage } from "../../../../core/sync/block-exchange.ts";
import { SERVED_BURST_BYTES } from "../../../../core/sync/serving-budget.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { createMemoryHub } from "../../../../runtimes/shared/memory-network.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { PROPOSAL_RULES, proposalHeader } from "../../../support/world/proposals.ts";
import { smallTransaction } from "../../../support/ledger/small-chain.ts";

const { suite } = PROPOSAL_RULES;
const [SELF, HOLDER, BYZANTINE] = [1, 2, 3].map(nodeIdOfNumber) as [NodeId, NodeId, NodeId];
const later = (run: () => void) => void setImmediate(run);
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

const TRANSACTIONS = [1n, 2n].map((nonce) => smallTransaction({ nonce }));
const RAWS = TRANSACTIONS.map(({ raw }) => raw);
const HEADER = proposalHeader({
  transactionsRoot: transactionsRoot(TRANSACTIONS, PROPOSAL_RULES),
});
const PROPOSAL = headerHash(HEADER, suite);
const TRUE_BODY = encodeBlockMessage({ type: "body", header: HEADER, transactions: RAWS });

function serviceAt(
  self: NodeId,
  hub = createMemoryHub({ schedule: later }),
  clock: Clock = createNodeClock(),
  isNamed = false,
) {
  const completed: Hash[] = [];
  const travelling = new Set<Hash>();
  const rejected: string[] = [];
  const cache = new ProposalCache(PROPOSAL_RULES);
  const compute = createInlineCompute(suite, { schedule: later });
  const peer = { endpoint: "127.0.0.1:1", agency: "test", node: "node", topics: [] };
  const network = hub.join(self, peer);
  const service = new BlockService({
    groupId: 1,
    rules: PROPOSAL_RULES,
    cache,
    recovery: new SenderRecovery({ suite, compute }),
    network,
    clock,
    neighbours: () => [HOLDER, BYZANTINE],
    isNamed: () => isNamed,
    isTravelling: (hash) => travelling.has(hash),
    onComplete: ({ proposal }) => completed.push(proposal),
    onRejected: (_, reason) => rejected.push(reason),
    onError: (cause) => assert.fail(String(cause)),
  });
  return { service, cache, network, completed, rejected, travelling };
}

test("a body that was asked for completes its proposal, once", async () => {
  const { service, completed, rejected } = serviceAt(SELF);
  service.requestBody(PROPOSAL, HOLDER);
  service.onMessage(HOLDER, TRUE_BODY);
  await settled();
  service.onMessage(HOLDER, TRUE_BODY);
  await settled();
  assert.deepEqual([completed, rejected], [[PROPOSAL], []]);
});

test("a body that no caller asked for is not examined", async () => {
  const { service, completed, rejected } = serviceAt(SELF);
  service.onMessage(HOLDER, TRUE_BODY);
  await settled();
  assert.deepEqual([completed, rejected], [[], []]);
});

test("a wrong body does not hide the right one", async () => {
  const { service, completed, rejected } = serviceAt(SELF);
  service.requestBody(PROPOSAL, BYZANTINE);
  const wrong = { type: "body", header: HEADER, transactions: RAWS.slice(1) } as const;
  service.onMessage(BYZANTINE, encodeBlockMessage(wrong));
  await settled();
  assert.deepEqual([completed, rejected], [[], ["block: transactions do not fit the root"]]);
  service.onMessage(HOLDER, TRUE_BODY);
  await settled();
  assert.deepEqual(completed, [PROPOSAL]);
});

test("a node that holds all of a proposal serves it", async () => {
  const hub = createMemoryHub({ schedule: later });
  const { service, cache, network, travelling } = serviceAt(SELF, hub);
  const asker = serviceAt(HOLDER, hub);
  const received: Uint8Array[] = [];
  const events = { peerUp: () => undefined, peerDown: () => undefined };
  await network.start({ ...events, message: () => undefined });
  await asker.network.start({ ...events, message: ({ bytes }) => received.push(bytes) });
  const byHash = new Map(TRANSACTIONS.map((transaction) => [transaction.hash, transaction]));
  cache.add({ header: HEADER, hashes: [...byHash.keys()] }, (hash) => byHash.get(hash));
  const question = encodeBlockMessage({ type: "requestBody", proposal: PROPOSAL });
  for (const hash of byHash.keys()) travelling.add(hash);
  service.onMessage(HOLDER, question);
  await settled();
  assert.deepEqual(received, [], "what is pushed to everybody is not sent next to it");
  travelling.clear();
  service.onMessage(HOLDER, question);
  service.onMessage(HOLDER, question);
  await settled();
  const [answer, ...again] = received;
  assert.deepEqual(again, [], "a node that asks again at once is not answered");
  assert.deepEqual(answer && decodeBlockMessage(answer), decodeBlockMessage(TRUE_BODY));
});

test("who has had its share of bodies is not answered, others are", async () => {
  // A share grows with the time: here none passes.
  const { service, cache, network } = serviceAt(SELF, undefined, createHandClock());
  const sent: NodeId[] = [];
  network.send = (to) => void sent.push(to);
  const raw = new Uint8Array((3 * SERVED_BURST_BYTES) / 4);
  const [small] = TRANSACTIONS;
  assert.ok(small);
  const large = Object.defineProperty(Object.create(small), "raw", { value: raw });
  const question = (index: number) => {
    const root = transactionsRoot([small], PROPOSAL_RULES);
    const header = { ...HEADER, transactionsRoot: root, timestamp: BigInt(index) };
    const entry = cache.add({ header, hashes: [small.hash] }, () => large);
    assert.ok(entry);
    return encodeBlockMessage({ type: "requestBody", proposal: entry.proposal });
  };
  for (const index of [1, 2, 3, 4]) service.onMessage(HOLDER, question(index));
  service.onMessage(BYZANTINE, question(4));
  await settled();
  assert.deepEqual(sent, [HOLDER, HOLDER, BYZANTINE]);
  assert.equal(service.refused(), 2);
});

test("a proposal that became whole by another way is told to a node that waits for it", async () => {
  const { service, cache, completed } = serviceAt(SELF);
  const byHash = new Map(TRANSACTIONS.map((transaction) => [transaction.hash, transaction]));
  cache.add({ header: HEADER, hashes: [...byHash.keys()] }, (hash) => byHash.get(hash));
  service.requestBody(PROPOSAL, HOLDER);
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.deepEqual(completed, [PROPOSAL]);
});

test("a closed service neither asks nor answers", async () => {
  const { service, cache, completed } = serviceAt(SELF);
  const byHash = new Map(TRANSACTIONS.map((transaction) => [transaction.hash, transaction]));
  cache.add({ header: HEADER, hashes: [...byHash.keys()] }, (hash) => byHash.get(hash));
  service.requestBody(PROPOSAL, HOLDER);
  service.close();
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.deepEqual(completed, []);
});

const QUESTION = encodeBlockMessage({ type: "requestBody", proposal: PROPOSAL });

/** A service whose messages are kept. */
function keptService(isNamed: boolean) {
  const place = serviceAt(SELF, undefined, createHandClock(), isNamed);
  const sent: [NodeId, string | undefined][] = [];
  place.network.send = (to, { bytes }) => void sent.push([to, decodeBlockMessage(bytes)?.type]);
  return { ...place, sent };
}

test("a sealer without a session is asked through a neighbour, each in turn", () => {
  const { service, sent } = keptService(false);
  const distant = nodeIdOfNumber(9);
  for (let times = 0; times < 3; times++) service.requestBody(PROPOSAL, distant);
  assert.deepEqual(
    sent.map(([to]) => to),
    [HOLDER, BYZANTINE, HOLDER],
  );
});

test("a body that a quorum signed is asked on, and goes to a node that asked once it is here", async () => {
  const { service, sent } = keptService(true);
  service.onMessage(HOLDER, QUESTION);
  await settled();
  assert.deepEqual(sent, [[BYZANTINE, "requestBody"]]);
  service.onMessage(BYZANTINE, TRUE_BODY);
  await settled();
  service.serveWaiting(PROPOSAL);
  await settled();
  assert.deepEqual(sent.slice(1), [[HOLDER, "body"]]);
});

test("no node has a body looked for that no node has learned of", async () => {
  const { service, sent } = keptService(false);
  service.onMessage(HOLDER, QUESTION);
  await settled();
  assert.deepEqual(sent, []);
});
