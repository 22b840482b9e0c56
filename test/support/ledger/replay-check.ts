/** Runs a recorded ledger through the executor and compares everything it computes. */
import assert from "node:assert/strict";
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { WORK_FACTOR } from "../../../core/execution/chain-rules.ts";
import { prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import type { Version } from "../../../core/model/version.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { TAKES_ALL_CASES } from "../runner/cases.ts";
import {
  type ExpectedReceipt,
  type RecordedLedger,
  type ReplayBlock,
  type ReplayFiles,
  replayBlocks,
  replayGenesis,
} from "./replay.ts";
import { assertReads } from "./replay-reads.ts";

/** What to replay. */
export interface Replay {
  readonly files: ReplayFiles;
  readonly suite: CryptoSuite;
  readonly version: Version;
}

/** A replayed ledger, open. */
export interface Replayed {
  readonly ledger: Ledger;
  readonly processor: Executor;
  readonly blocks: readonly ReplayBlock[];
  readonly transactions: number;
  /** Most work of one transaction as a multiple of the gas limit then in force. */
  readonly largestWork: number;
}

/** Executes and writes the blocks; every receipt and every hash must be the recorded one. */
export async function replay(options: Replay): Promise<Replayed> {
  const { files, suite, version } = options;
  const genesis = replayGenesis(files.genesis);
  const store = openMemoryStore();
  const blocks = replayBlocks(files, suite);
  const { hash } = await prepareGenesis(store, { suite, version, genesis });
  assert.equal(hash, blocks[0]?.expected.hash, "hash of the genesis block");
  const ledger = openLedger({ store, suite, version });
  let largestWork = 0;
  let gasLimit = 0;
  const reportWork = (_: number, work: number): void => {
    largestWork = Math.max(largestWork, work / gasLimit);
  };
  const processor = createBlockProcessor({ store, suite, version, genesis, reportWork });
  let transactions = 0;
  for (const block of blocks.slice(1)) {
    gasLimit = Number(ledger.groupConfig().txGasLimit);
    await replayBlock({ processor, ledger, block, suite });
    transactions += block.request.transactions.length;
  }
  return { ledger, processor, blocks, transactions, largestWork };
}

/** What a ledger has at most of which every transaction is asked for by itself. */
const MOST_EACH_ASKED = 30;

/** Replays a ledger of a folder, and reads all of it. */
export async function assertReplays(
  { files, version, blocks, transactions }: RecordedLedger,
  suite: CryptoSuite,
): Promise<void> {
  const replayed = await replay({ files, suite, version });
  if (blocks !== undefined) assert.equal(replayed.blocks.length, blocks);
  if (transactions !== undefined) assert.equal(replayed.transactions, transactions);
  // No recorded ledger reaches the bound of work. Source: decision 21
  assert.ok(replayed.largestWork < WORK_FACTOR, `${replayed.largestWork} times the limit`);
  const isEachAsked = TAKES_ALL_CASES || replayed.transactions <= MOST_EACH_ASKED;
  await assertReads({ files, suite, version, ledger: replayed.ledger, isEachAsked });
}

interface Step {
  readonly processor: Executor;
  readonly ledger: Ledger;
  readonly block: ReplayBlock;
  readonly suite: CryptoSuite;
}

async function replayBlock({ processor, ledger, block, suite }: Step): Promise<void> {
  const { number, request, expected, seals } = block;
  const outcome = await processor.execute(request);
  assert.ok(outcome.ok, `block ${number}: ${outcome.ok ? "" : outcome.reason}`);
  const { header, hash } = outcome.block;
  await processor.write(hash, seals);
  ledger.refresh();
  const stored = await ledger.block(hash);
  assert.ok(stored);
  const shown = stored.receipts.map(showReceipt);
  assert.deepEqual(shown, expected.receipts.map(showExpected), `receipts of block ${number}`);
  assert.equal(header.stateRoot, expected.stateRoot, `state root of block ${number}`);
  assert.equal(header.receiptsRoot, expected.receiptsRoot, `receipts root of block ${number}`);
  assert.equal(hash, expected.hash, `hash of block ${number}`);
  assertSeals(block, suite);
}

/** The recorded seals sign the hash that execution gave. */
function assertSeals({ number, seals, expected, request }: ReplayBlock, suite: CryptoSuite): void {
  const digest = Uint8Array.from(Buffer.from(expected.hash.slice(2), "hex"));
  for (const { index, signature } of seals) {
    const key = suite.recover(digest, signature);
    const signer = key === undefined ? "nobody" : Buffer.from(key).toString("hex");
    assert.equal(signer, request.header.sealerList[index], `seal ${index} of block ${number}`);
  }
}

/** What is compared of a receipt. */
export function showReceipt(receipt: Receipt): object {
  return {
    status: receipt.status,
    gasUsed: receipt.gasUsed,
    output: toPrefixedHex(receipt.output),
    contractAddress: receipt.contractAddress,
    logs: receipt.logs.map(({ address, topics, data }) => ({
      address,
      topics: [...topics],
      data: toPrefixedHex(data),
    })),
  };
}

/** What is compared of a recorded receipt. */
export function showExpected(receipt: ExpectedReceipt): object {
  const { status, gasUsed, output, contractAddress, logs } = receipt;
  return {
    status: Number(status),
    gasUsed: BigInt(gasUsed),
    output,
    contractAddress,
    logs: logs.map(({ address, topics, data }) => ({ address, topics: [...topics], data })),
  };
}
