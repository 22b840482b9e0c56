/** A proposal that could not be sent to those who miss it is not signed. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ZERO_HASH } from "../../../../core/bytes/ids.ts";
import type { SignedTransaction } from "../../../../core/model/transaction.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import { Executions } from "../../../../core/node/consensus/executions.ts";
import {
  PROPOSAL_BYTES_LIMIT,
  ProposalCache,
} from "../../../../core/node/proposals/proposal-cache.ts";
import { ProposalStore } from "../../../../core/node/proposals/proposal-store.ts";
import { VoteStore } from "../../../../core/node/voting/vote-store.ts";
import type { ExecuteRequest } from "../../../../core/ports/executor.ts";
import type { ProposalDefect } from "../../../../core/txpool/proposal-check.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { buildPool } from "../../../support/world/pool-builders.ts";
import { smallChain, smallTransaction } from "../../../support/ledger/small-chain.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

const rules = { suite, version: NEWEST_VERSION };

/** A book with one complete proposal whose transactions are as large as told. */
function cacheOf(sizes: readonly number[]) {
  const cache = new ProposalCache(rules);
  const transactions = sizes.map((size, i): SignedTransaction => {
    const transaction = smallTransaction({ nonce: BigInt(i + 1) });
    return { ...transaction, raw: new Uint8Array(size) };
  });
  const { header } = smallChain()[0] ?? assert.fail();
  const proposed = {
    ...header,
    number: 1,
    stateRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    extraData: [],
    transactionsRoot: transactionsRoot(transactions, rules),
  };
  const hashes = transactions.map(({ hash }) => hash);
  const entry = cache.add({ header: proposed, hashes }, (hash) =>
    transactions.find((transaction) => transaction.hash === hash),
  );
  assert.ok(entry);
  return { cache, entry };
}

/** What the host does with the effect to execute it. */
async function execute(sizes: readonly number[], defect?: ProposalDefect) {
  const { cache, entry } = cacheOf(sizes);
  const inputs: unknown[] = [];
  const executed: ExecuteRequest[] = [];
  const nothing = () => undefined;
  const never = () => assert.fail();
  const pool = buildPool();
  const votes = new VoteStore(openMemoryStore());
  const compute = createInlineCompute(suite);
  const executions = new Executions<{ readonly height: number }>({
    ports: {
      clock: createNodeClock(),
      log: { write: nothing },
      executor: {
        execute: async (request) => {
          executed.push(request);
          return { ok: false, reason: "badTransaction", heavy: undefined };
        },
        cancel: nothing,
        write: never,
        call: never,
        close: async () => undefined,
      },
    },
    proposals: new ProposalStore({ cache, pool, votes, suite, compute }),
    group: { sync: { sealing: nothing }, fail: (cause) => assert.fail(String(cause)) },
    builder: { onOutlived: never, onExecuted: nothing, onTooHeavy: never, onHeavy: never },
    mayRefuse: () => true,
    defectOf: () => defect,
    onExecuted: (token, executed) => inputs.push({ type: "executed", token, executed }),
    onAsk: never,
  });
  const token = { height: 1, view: 0, proposal: entry.proposal };
  executions.execute(token);
  await new Promise((resolve) => setImmediate(resolve));
  return { inputs, executed, refusal: { type: "executed", token, executed: undefined } };
}

test("a proposal of more bytes than fit into a message of a block is refused unexecuted", async () => {
  const half = PROPOSAL_BYTES_LIMIT / 2;
  const { inputs, executed, refusal } = await execute([half, half + 1]);
  assert.equal(executed.length, 0);
  assert.deepEqual(inputs, [refusal]);
});

test("a proposal of just this many bytes is executed", async () => {
  const half = PROPOSAL_BYTES_LIMIT / 2;
  const { executed } = await execute([half, half]);
  assert.equal(executed.length, 1);
});

test("a proposal with what admission refuses everywhere is refused unexecuted", async () => {
  const { inputs, executed, refusal } = await execute([100], "nonceUsed");
  assert.equal(executed.length, 0);
  assert.deepEqual(inputs, [refusal]);
});
