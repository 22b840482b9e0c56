/** The cases that show one rule each: small ledgers with every receipt and root. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { type ExpectedReceipt, replayGenesis } from "../support/ledger/replay.ts";
import { replay, showExpected, showReceipt } from "../support/ledger/replay-check.ts";
import { readVectors } from "./shared-vectors.ts";
import { suiteOf, versionOf } from "./vector-suites.ts";

// rules: execution 3, precompiles 3, 5, 6, 14, storage 4, tx-block-codec 12.4

interface CaseBlock {
  readonly number: number;
  readonly timestamp: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly input: string;
    readonly expect: Omit<ExpectedReceipt, "transactionHash"> & { readonly remainGas: string };
  }[];
}

interface ReplayCase {
  readonly name: string;
  readonly supported_version: string;
  readonly free_storage: boolean;
  readonly suite: string;
  /** The same blocks as a ledger. */
  readonly ledger: string;
  readonly blocks: readonly CaseBlock[];
}

/** Executes the ledger of a case; what the case says must have come of it. */
async function assertCase(vector: ReplayCase): Promise<void> {
  const path = vector.ledger.slice(0, -".jsonl.gz".length);
  const files = { ledger: `${path}.jsonl`, genesis: `${path}.genesis.txt` };
  const suite = suiteOf(vector.suite);
  assert.equal(replayGenesis(files.genesis).freeStorage ?? false, vector.free_storage);
  const { ledger, blocks } = await replay({
    files,
    suite,
    version: versionOf(vector.supported_version),
  });
  assert.equal(blocks.length, vector.blocks.length + 1);
  for (const wanted of vector.blocks) {
    const recorded = blocks[wanted.number];
    const block = recorded && (await ledger.block(recorded.expected.hash));
    assert.ok(block, `block ${wanted.number}`);
    const { header, receipts, transactions } = block;
    assert.deepEqual(
      transactions.map(({ hash, input }) => [hash, toPrefixedHex(input)]),
      wanted.transactions.map(({ hash, input }) => [hash, input]),
    );
    assert.equal(header.timestamp, BigInt(wanted.timestamp));
    assert.deepEqual(
      receipts.map((receipt) => ({ remainGas: receipt.remainGas, ...showReceipt(receipt) })),
      wanted.transactions.map(({ expect: { remainGas, ...receipt } }) => ({
        remainGas: BigInt(remainGas),
        ...showExpected({ ...receipt, transactionHash: "" }),
      })),
    );
    assert.equal(header.stateRoot, wanted.stateRoot);
    assert.equal(header.receiptsRoot, wanted.receiptsRoot);
  }
}

for (const { file, cases } of readVectors<readonly { file: string; cases: number }[]>(
  "index-replay.json",
)) {
  const vectors = readVectors<{ readonly cases: readonly ReplayCase[] }>(file).cases;
  test(`${file} has as many cases as its index says`, () => assert.equal(vectors.length, cases));
  for (const vector of vectors)
    test(`${file}: ${vector.name} (${vector.supported_version})`, () => assertCase(vector));
}
