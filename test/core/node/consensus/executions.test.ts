/**
 * One proposal executed twice: what comes back of the first run says nothing of the second. And
 * when the leader after it is asked for a proposal.
 */
// rules: pbft 16.3.8
import assert from "node:assert/strict";
import { test } from "vitest";
import { type Hash, ZERO_HASH } from "../../../../core/bytes/ids.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import { Executions } from "../../../../core/node/consensus/executions.ts";
import { ProposalCache } from "../../../../core/node/proposals/proposal-cache.ts";
import { ProposalStore } from "../../../../core/node/proposals/proposal-store.ts";
import { VoteStore } from "../../../../core/node/voting/vote-store.ts";
import type { ExecuteOutcome } from "../../../../core/ports/executor.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { buildPool } from "../../../support/world/pool-builders.ts";
import { smallChain } from "../../../support/ledger/small-chain.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

const rules = { suite, version: NEWEST_VERSION };
const HEAVY = `0x${"11".repeat(32)}` as Hash;
const turn = () => new Promise((resume) => setImmediate(resume));

const nothing = () => undefined;
const never = () => assert.fail();

/** A proposal whose transactions are all there, and the book that has it. */
function completeProposal() {
  const block = smallChain().find(({ transactions }) => transactions.length > 0) ?? assert.fail();
  const cache = new ProposalCache(rules);
  const hashes = block.transactions.map(({ hash }) => hash);
  const header = {
    ...block.header,
    stateRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    extraData: [],
    transactionsRoot: transactionsRoot(block.transactions, rules),
  };
  const entry = cache.add({ header, hashes }, (hash) =>
    block.transactions.find((transaction) => transaction.hash === hash),
  );
  return { cache, entry: entry ?? assert.fail() };
}

/** A host with one complete proposal, whose executions end when the test says so. */
function arrange() {
  const { cache, entry } = completeProposal();
  const runs: ((outcome: ExecuteOutcome) => void)[] = [];
  const noted: number[] = [];
  const outlived: (Hash | undefined)[] = [];
  const asked: number[] = [];
  const clock = createHandClock();
  const compute = createInlineCompute(suite);
  const votes = new VoteStore(openMemoryStore());
  const executions = new Executions<{ readonly height: number }>({
    ports: {
      clock,
      log: { write: nothing },
      executor: {
        execute: () => new Promise((resolve) => runs.push(resolve)),
        cancel: nothing,
        write: never,
        call: never,
        close: async () => undefined,
      },
    },
    proposals: new ProposalStore({ cache, pool: buildPool(), votes, suite, compute }),
    group: {
      sync: { sealing: (number) => noted.push(number) },
      fail: (cause) => assert.fail(String(cause)),
    },
    builder: {
      onOutlived: (_, running) => outlived.push(running),
      onExecuted: nothing,
      onTooHeavy: never,
      onHeavy: never,
    },
    mayRefuse: () => true,
    defectOf: nothing,
    onExecuted: nothing,
    onAsk: ({ height }) => void asked.push(height),
  });
  const { number } = entry.header;
  const execute = (view: number) => {
    const token = { height: number, view, proposal: entry.proposal };
    executions.execute(token);
  };
  const propose = (height: number) => executions.ask({ height });
  return { executions, execute, propose, asked, clock, runs, noted, outlived, entry, number };
}

test("a cancelled run that comes back takes nothing from the second run of its proposal", async () => {
  const { executions, execute, runs, noted, outlived, entry, number } = arrange();
  execute(0);
  execute(1);
  assert.deepEqual(noted, [number, number]);
  runs[0]?.({ ok: false, reason: "cancelled", heavy: undefined });
  await turn();
  assert.deepEqual(noted, [number, number], "the second run goes on");
  executions.outlived(entry.proposal);
  runs[1]?.({ ok: false, reason: "cancelled", heavy: HEAVY });
  await turn();
  assert.deepEqual(noted, [number, number, 0]);
  assert.deepEqual(outlived, [HEAVY], "what the second run was at is told");
});

/** A run of a view that has ended, whose outcome the next ask waits for. */
async function outlive() {
  const world = arrange();
  world.execute(0);
  world.executions.outlived(world.entry.proposal);
  world.propose(world.number);
  await turn();
  assert.deepEqual(world.asked, [], "the outcome is not known yet");
  return world;
}

test("an execution that succeeds after its view lets the next leader propose at once", async () => {
  const { runs, asked, entry, number } = await outlive();
  runs[0]?.({ ok: true, block: { header: entry.header, hash: HEAVY } });
  await turn();
  assert.deepEqual(asked, [number]);
});

test("the next leader waits a second for what was running, no longer", async () => {
  const { executions, clock, asked, number } = await outlive();
  clock.move(999);
  assert.deepEqual(asked, []);
  clock.move(1);
  assert.deepEqual(asked, [number]);
  executions.withdraw();
  assert.equal(clock.waiting, 0);
});

test("an ask that waits is gone when its round is over or another one comes", async () => {
  const { executions, clock, runs, propose, asked, number } = await outlive();
  executions.withdraw();
  clock.move(2_000);
  assert.deepEqual(asked, [], "the block came from others");
  propose(number);
  propose(number + 1);
  await turn();
  runs[0]?.({ ok: false, reason: "cancelled", heavy: undefined });
  await turn();
  propose(number + 2);
  await turn();
  clock.move(2_000);
  assert.deepEqual(asked, [number + 1, number + 2]);
});
