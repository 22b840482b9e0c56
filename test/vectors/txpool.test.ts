// rules: txpool 3.1, txpool 3.2.1, txpool 9, rpc-semantics 8.5
import assert from "node:assert/strict";
import { hexBytes } from "../../core/bytes/hex.ts";
import { POOL_REFUSALS, type PoolRefusalName } from "../../core/fault/transaction-status.ts";
import { decodeTransaction, recoverSender, withSender } from "../../core/model/transaction.ts";
import { type Candidate, entryRefusal } from "../../core/txpool/admission.ts";
import { importBatch } from "../../core/txpool/pool.ts";
import type { TxPool } from "../../core/txpool/state.ts";
import { buildPool } from "../support/world/pool-builders.ts";
import { readVectors, vectorTests } from "./shared-vectors.ts";
import { STANDARD_SUITE as SUITE } from "../support/suites.ts";

interface Environment {
  readonly chainId: number;
  readonly groupId: number;
  readonly headNumber: number;
  readonly poolLimit: number;
  readonly recentNonces: readonly string[];
  readonly pending: readonly string[];
  readonly knownPeersHeight: number;
}

interface Step {
  readonly rawHex: string;
  readonly hash: string;
  readonly status: number;
  readonly token?: string;
}

interface Case {
  readonly id: string;
  readonly environment: Environment;
  readonly steps: readonly Step[];
}

function candidateOf(rawHex: string): Candidate {
  const decoded = decodeTransaction(hexBytes(rawHex), SUITE);
  assert.ok(decoded.ok, "the vector decodes");
  const from = recoverSender(decoded.transaction, SUITE);
  assert.ok(from !== undefined, "the sender recovers");
  return withSender(decoded.transaction, from);
}

function submit(
  pool: TxPool,
  environment: Environment,
  transaction: Candidate,
): PoolRefusalName | undefined {
  const { headNumber: head, knownPeersHeight: knownHead, chainId, groupId } = environment;
  const early = entryRefusal({ isMember: true, head, knownHead });
  if (early !== undefined) return early;
  const context = { head, chainId, groupId, now: 0 };
  const [outcome] = importBatch(pool, [{ transaction }], context);
  return outcome?.ok === false ? outcome.refusal : undefined;
}

vectorTests(({ row }) => {
  for (const { id, environment, steps } of readVectors<{ cases: Case[] }>("txpool.json").cases) {
    row(`admission of txpool.json: ${id}`, () => {
      const nonces = environment.recentNonces.map(BigInt);
      const pool = buildPool(environment.headNumber, { count: environment.poolLimit }, nonces);
      assert.deepEqual(environment.pending, []);
      for (const step of steps) {
        const transaction = candidateOf(step.rawHex);
        assert.equal(transaction.hash, step.hash);
        const refusal = submit(pool, environment, transaction);
        const row = refusal === undefined ? undefined : POOL_REFUSALS[refusal];
        assert.equal(row?.status ?? 0, step.status);
        if (step.token === undefined) assert.equal(row, undefined);
        else assert.ok(row?.token.endsWith(step.token), `${row?.token} tells ${step.token}`);
      }
    });
  }
});
