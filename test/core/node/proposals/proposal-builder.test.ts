/** Building proposals: when, of what, and what is learnt from those that took too long. */
// rules: pbft 4, pbft 5, pbft 16.3.8, txpool 4
import assert from "node:assert/strict";
import { beforeEach, test } from "vitest";
import { sealingMachine } from "../../../../core/actors/sealing.machine.ts";
import { startSupervised } from "../../../../core/actors/supervise.ts";
import { DEFAULT_TUNING } from "../../../../core/model/config.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { ProposalCache } from "../../../../core/node/proposals/proposal-cache.ts";
import {
  type SealedProposal,
  ProposalBuilder,
} from "../../../../core/node/proposals/proposal-builder.ts";
import { importBatch } from "../../../../core/txpool/pool.ts";
import type { TxPool } from "../../../../core/txpool/state.ts";
import {
  buildPool,
  buildTransaction,
  contextAt,
  hashOfNumber,
  nodeIdOfNumber,
} from "../../../support/world/pool-builders.ts";
import { PROPOSAL_RULES } from "../../../support/world/proposals.ts";

const HEAD = 100;
const WALL_MS = 1_700_000_000_000;
const PAUSE_MS = 500;
const EMPTY_MS = 1_000;
const SEALERS = [1, 2, 3, 4].map(nodeIdOfNumber);

let now: number;
let timers: { readonly at: number; readonly run: () => void }[];
let pool: TxPool;
let sealed: SealedProposal[];
let builder: ProposalBuilder;
let limit: number;
let errors: unknown[];
let areClocksKnown: boolean;
let onSealed: (proposal: SealedProposal) => void;

beforeEach(() => {
  [now, timers, sealed, limit] = [0, [], [], 1_000];
  errors = [];
  areClocksKnown = true;
  onSealed = (proposal) => void sealed.push(proposal);
  pool = buildPool(HEAD);
  const log = { write: () => undefined };
  const onError = (cause: unknown) => assert.fail(String(cause));
  builder = new ProposalBuilder({
    self: SEALERS[2] ?? nodeIdOfNumber(0),
    rules: PROPOSAL_RULES,
    pool,
    tuning: { ...DEFAULT_TUNING, minBlockGenerationTimeMs: PAUSE_MS },
    clock: {
      now: () => WALL_MS + now,
      steady: () => now,
      after(delay, run) {
        const timer = { at: now + delay, run };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
      },
    },
    actor: startSupervised(sealingMachine, { id: "sealing", input: undefined, log, onError }),
    config: () => ({
      number: HEAD,
      txCountLimit: limit,
      txGasLimit: 1n,
      consensusTimeoutSeconds: 3,
      sealers: SEALERS,
      observers: [],
    }),
    sealers: () => SEALERS,
    parent: () => ({ number: HEAD, hash: hashOfNumber(HEAD), timestamp: BigInt(WALL_MS) }),
    referenceTime: () => WALL_MS + now,
    knowsClocks: () => areClocksKnown,
    onAhead: () => assert.fail("the clock is right"),
    onSealed: (proposal) => onSealed(proposal),
    onError: (cause) => errors.push(cause),
  });
});

/** Lets time pass; timers run when they are due. */
function pass(ms: number): void {
  const end = now + ms;
  for (;;) {
    const due = timers.toSorted((left, right) => left.at - right.at)[0];
    if (!due || due.at > end) break;
    timers.splice(timers.indexOf(due), 1);
    now = due.at;
    due.run();
  }
  now = end;
}

function arrive(...ids: readonly number[]): void {
  const items = ids.map((id) => ({ transaction: buildTransaction(id) }));
  const outcomes = importBatch(pool, items, contextAt(HEAD, now));
  assert.ok(outcomes.every(({ ok }) => ok));
  builder.look();
}

function ask(view = 0, height = HEAD + 1): void {
  builder.ask({ height, view, emptyFrom: now + EMPTY_MS });
}

function idsOf(proposal: SealedProposal | undefined): number[] | undefined {
  return proposal?.transactions.map(({ hash }) => Number(BigInt(hash)));
}

/** The last proposal, as an entry of the book. */
function lastEntry() {
  const proposal = sealed.at(-1);
  assert.ok(proposal);
  const { header, transactions } = proposal;
  const hashes = transactions.map(({ hash }) => hash);
  const entry = new ProposalCache(PROPOSAL_RULES).add({ header, hashes }, () => undefined);
  assert.ok(entry);
  return entry;
}

test("a proposal that cannot be built is a failure of its group, not the end of the process", () => {
  const cause = new RangeError("no proposal");
  onSealed = () => {
    throw cause;
  };
  builder.ask({ height: HEAD + 1, view: 0, emptyFrom: 0 });
  assert.deepEqual(errors, [cause]);
});

test("a proposal waits for the pause between blocks and takes what came meanwhile", () => {
  ask();
  arrive(1);
  pass(PAUSE_MS - 1);
  assert.equal(sealed.length, 0);
  arrive(2);
  pass(1);
  assert.deepEqual(idsOf(sealed[0]), [1, 2]);
});

test("a full block does not wait", () => {
  limit = 2;
  ask();
  arrive(1, 2, 3);
  assert.deepEqual(sealed.map(idsOf), [[1, 2]]);
});

test("with nothing to seal an empty proposal comes after one second, not before", () => {
  ask();
  pass(EMPTY_MS - 1);
  assert.equal(sealed.length, 0);
  pass(1);
  assert.deepEqual(sealed.map(idsOf), [[]]);
});

test("one ask gives one proposal", () => {
  ask();
  arrive(1);
  pass(10_000);
  arrive(2);
  pass(10_000);
  assert.equal(sealed.length, 1);
});

test("an ask for another height is not answered", () => {
  ask(0, HEAD + 2);
  arrive(1);
  pass(10_000);
  assert.deepEqual(sealed, []);
});

test("a view that was left withdraws the ask", () => {
  ask();
  builder.onRoundLeft();
  arrive(1);
  pass(10_000);
  assert.deepEqual(sealed, []);
});

test("the header names parent, sealers, own index and the root, and is later than its parent", () => {
  ask(3);
  arrive(1, 2);
  pass(PAUSE_MS);
  const [proposal] = sealed;
  assert.ok(proposal);
  const { header, transactions, view } = proposal;
  assert.equal(view, 3);
  assert.equal(header.number, HEAD + 1);
  assert.equal(header.parentHash, hashOfNumber(HEAD));
  assert.equal(header.sealer, 2);
  assert.deepEqual(header.sealerList, SEALERS);
  assert.equal(header.transactionsRoot, transactionsRoot(transactions, PROPOSAL_RULES));
  assert.ok(header.timestamp > BigInt(WALL_MS));
});

test("each time-out halves what the next proposal takes", () => {
  // 1000, 500, 250, 125, 62, 31, 15, 7, 3.
  for (let i = 0; i < 8; i++) builder.onRoundLeft(1_000);
  ask(1);
  arrive(1, 2, 3, 4, 5);
  assert.deepEqual(idsOf(sealed[0]), [1, 2, 3]);
});

test("a transaction that the executor names in a block with others is alone in the next proposal", () => {
  ask();
  arrive(1, 2, 3);
  pass(PAUSE_MS);
  builder.onOutlived(lastEntry(), hashOfNumber(2));
  ask(1);
  pass(PAUSE_MS);
  assert.deepEqual(idsOf(sealed[1]), [2]);
  ask(2);
  pass(PAUSE_MS);
  assert.deepEqual(idsOf(sealed[2]), [1, 3], "then it is the turn of the others");
});

test("without a name, transactions are packed alone after two proposals that outlived their views", () => {
  ask();
  arrive(1, 2);
  pass(PAUSE_MS);
  builder.onOutlived(lastEntry(), undefined);
  ask(1);
  pass(PAUSE_MS);
  assert.deepEqual(idsOf(sealed[1]), [1, 2]);
  builder.onOutlived(lastEntry(), undefined);
  ask(2);
  pass(PAUSE_MS);
  assert.equal(sealed[2]?.transactions.length, 1);
});

test("after an own proposal that would have kept too much, what fitted is proposed", () => {
  limit = 5;
  ask();
  arrive(1, 2, 3, 4, 5);
  builder.onTooHeavy(lastEntry(), hashOfNumber(3));
  for (const share of [0.9, 0.4, 0.26]) {
    ask(1);
    assert.deepEqual(idsOf(sealed.at(-1)), [1, 2]);
    builder.onExecuted(lastEntry(), share);
  }
  builder.onExecuted(lastEntry(), 0.2);
  ask(1);
  assert.deepEqual(idsOf(sealed.at(-1)), [3], "the one that passed the bound, alone");
  ask(2);
  assert.deepEqual(idsOf(sealed.at(-1)), [1, 2, 4, 5], "there is room for more");
});

test("what fitted is forgotten after a proposal that had room for more", () => {
  limit = 5;
  ask();
  arrive(1, 2, 3, 4, 5);
  builder.onTooHeavy(lastEntry(), hashOfNumber(4));
  const { hashes, ...rest } = lastEntry();
  builder.onExecuted({ ...rest, hashes: hashes.slice(0, 1) }, 0.9);
  ask();
  assert.deepEqual(idsOf(sealed[1]), [1, 2, 3], "one alone says nothing");
  builder.onExecuted({ ...rest, hashes: hashes.slice(0, 2) }, 0.9);
  ask();
  assert.deepEqual(idsOf(sealed[2]), [4]);
  ask();
  assert.deepEqual(idsOf(sealed[3]), [1, 2, 3, 5]);
});

test("one that keeps too much by itself is alone in the next proposal", () => {
  ask();
  arrive(1, 2, 3);
  pass(PAUSE_MS);
  builder.onTooHeavy(lastEntry(), hashOfNumber(1));
  ask(1);
  pass(PAUSE_MS);
  assert.deepEqual(idsOf(sealed[1]), [1]);
  ask(2);
  pass(PAUSE_MS);
  assert.deepEqual(idsOf(sealed[2]), [2, 3]);
});

test("what another leader proposed counts for the next block only", () => {
  limit = 5;
  ask();
  arrive(1, 2, 3, 4, 5);
  const { header, ...rest } = lastEntry();
  const others = { ...rest, header: { ...header, sealer: 1 } };
  builder.onTooHeavy(others, hashOfNumber(3));
  ask(1);
  assert.deepEqual(idsOf(sealed[1]), [1, 2]);
  builder.onWritten(others, 0);
  ask();
  assert.deepEqual(idsOf(sealed[2]), [3], "the one that passed the bound, alone");
  ask(1);
  assert.deepEqual(idsOf(sealed[3]), [1, 2, 4, 5]);
});

test("an ask that wants no empty proposal waits for a transaction, however long", () => {
  builder.ask({ height: HEAD + 1, view: 0, emptyFrom: now + EMPTY_MS, neverEmpty: true });
  pass(60_000);
  assert.deepEqual(sealed, []);
  arrive(1);
  assert.deepEqual(sealed.map(idsOf), [[1]]);
});

test("an ask that wants no empty proposal is not answered with what can no longer be packed", () => {
  // Expired: the pool drops it when it packs, and nothing is left.
  arrive(1);
  pass(DEFAULT_TUNING.txExpirationMs + 1);
  builder.ask({ height: HEAD + 1, view: 0, emptyFrom: now, neverEmpty: true });
  pass(10_000);
  assert.deepEqual(sealed, []);
  arrive(2);
  pass(EMPTY_MS);
  assert.deepEqual(sealed.map(idsOf), [[2]]);
});

test("a leader of Raft waits for the clocks of others, not for ever, in each term anew", () => {
  areClocksKnown = false;
  arrive(1);
  const askOfTerm = (view: number) =>
    builder.ask({ height: HEAD + 1, view, emptyFrom: now, neverEmpty: true });
  askOfTerm(1);
  pass(4_000);
  assert.deepEqual(sealed, []);
  areClocksKnown = true;
  pass(100);
  assert.deepEqual(sealed.map(idsOf), [[1]]);
  areClocksKnown = false;
  askOfTerm(2);
  pass(14_900);
  assert.equal(sealed.length, 1);
  pass(200);
  assert.deepEqual(sealed.map(idsOf), [[1], [1]]);
  // PBFT forgets a proposal that no node votes for.
  ask(3);
  pass(PAUSE_MS);
  assert.equal(sealed.length, 3);
});

test("a builder that is closed builds nothing", () => {
  ask();
  builder.close();
  pass(10_000);
  assert.deepEqual(sealed, []);
});

test("a timer that fires a little early does not lose the proposal", () => {
  ask();
  arrive(1);
  const early = timers.pop();
  now = PAUSE_MS - 0.4;
  early?.run();
  assert.equal(sealed.length, 0);
  pass(2);
  assert.deepEqual(idsOf(sealed[0]), [1]);
});
