/**
 * Recorded calls and transactions of system contracts, executed by ours at the heights where the
 * reference executed them.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import { type Address, ZERO_ADDRESS, ZERO_HASH } from "../../core/bytes/ids.ts";
import { EMPTY_BLOOM } from "../../core/crypto/bloom.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { createBlockProcessor } from "../../core/execution/block-processor.ts";
import { prepareGenesis } from "../../core/ledger/genesis-block.ts";
import { openLedger } from "../../core/ledger/ledger.ts";
import { transactionsRoot } from "../../core/model/roots.ts";
import { decodeTransaction } from "../../core/model/transaction.ts";
import { version } from "../../core/model/version.ts";
import type { ExecuteRequest, Executor } from "../../core/ports/executor.ts";
import { openMemoryStore } from "../../core/storage/memory-store.ts";
import { absent } from "../support/recorded-ledger.ts";
import {
  type ExpectedReceipt,
  GROUP1,
  replayBlocks,
  type ReplayFiles,
  replayGenesis,
} from "../support/replay.ts";
import { showExpected, showReceipt } from "../support/replay-check.ts";
import { type Exchange, get, methodOf, paramsOf, parse, readExchanges } from "./exchange.ts";

// rules: precompiles 4-9, precompiles 11-14, precompiles 16, interface 7.5, execution 1

const suite = createStandardSuite();
const VERSION = version(2, 11, 1);
const skip = absent("golden");
const golden = test.skipIf(skip !== undefined);

const OF_GROUP1 = ["tx_evm", "sysconfig", "crud", "table_contract", "kv", "cns", "misc"];
const OF_GROUP3 = ["consensus", "permission", "governance"];
const GROUP3: ReplayFiles = {
  folder: ".",
  ledger: "",
  genesis: "generated_group.3.genesis.txt",
};
function exchangesOf(names: readonly string[]): readonly Exchange[] {
  return names.flatMap((name) =>
    readExchanges(name.startsWith("tx_") ? `${name}.jsonl` : `precompiled_${name}.jsonl`),
  );
}

interface RecordedCall {
  readonly case: string;
  readonly request: { from: Address; to: Address; value: bigint; data: Uint8Array };
  readonly result: object;
}

/** The answered calls by the height at which they were answered. */
function callsByHeight(exchanges: readonly Exchange[]): ReadonlyMap<number, RecordedCall[]> {
  const calls = new Map<number, RecordedCall[]>();
  for (const exchange of exchanges.filter((it) => methodOf(it) === "call")) {
    const result = get(parse(exchange.response.body ?? ""), "result");
    const [, asked] = paramsOf(exchange);
    if (result === undefined) continue;
    const text = (name: string): string => String(get(asked, name) ?? "");
    const request = {
      from: (text("from") || ZERO_ADDRESS) as Address,
      to: text("to").toLowerCase() as Address,
      value: BigInt(text("value") || "0"),
      data: hexBytes(text("data")),
    };
    const height = Number(get(result, "currentBlockNumber"));
    const shown = { status: Number(get(result, "status")), output: get(result, "output") };
    const list = calls.get(height) ?? [];
    calls.set(height, [...list, { case: exchange.case, request, result: shown }]);
  }
  return calls;
}

async function compareCalls(processor: Executor, calls: readonly RecordedCall[]): Promise<number> {
  for (const { case: name, request, result } of calls) {
    const { status, output } = await processor.call(request);
    assert.deepEqual({ status, output: toPrefixedHex(output) }, result, name);
  }
  return calls.length;
}

async function openChain(files: ReplayFiles) {
  const rules = {
    store: openMemoryStore(),
    suite,
    version: VERSION,
    genesis: replayGenesis(files),
  };
  await prepareGenesis(rules.store, rules);
  const processor = createBlockProcessor(rules);
  const ledger = openLedger(rules);
  const write = async (request: ExecuteRequest) => {
    const outcome = await processor.execute(request);
    assert.ok(outcome.ok, outcome.ok ? "" : outcome.reason);
    await processor.write(outcome.block.hash, []);
    ledger.refresh();
    const stored = await ledger.block(outcome.block.hash);
    assert.ok(stored);
    return { header: outcome.block.header, receipts: stored.receipts };
  };
  return { ledger, processor, write };
}

golden(`the calls recorded of group 1 return what they returned${skip ?? ""}`, async () => {
  const calls = callsByHeight(exchangesOf([...OF_GROUP1, "contract_lifecycle"]));
  const { processor, write } = await openChain(GROUP1);
  let compared = 0;
  for (const { number, request } of replayBlocks(GROUP1, suite, 326).slice(1)) {
    await write(request);
    compared += await compareCalls(processor, calls.get(number) ?? []);
  }
  assert.equal(compared, 126);
});

/** A recorded receipt with what the block needs. */
interface RecordedReceipt extends ExpectedReceipt {
  readonly blockNumber: string;
  readonly from: Address;
  readonly root: string;
}

interface RecordedBlock {
  readonly raw: Uint8Array;
  readonly receipt: RecordedReceipt;
}

/** Transactions of a group that had one in each block, in order. */
function recordedBlocks(exchanges: readonly Exchange[]): readonly RecordedBlock[] {
  const raws = new Map<string, Uint8Array>();
  const blocks: RecordedBlock[] = [];
  for (const exchange of exchanges) {
    const result = get(parse(exchange.response.body ?? ""), "result");
    if (methodOf(exchange) === "sendRawTransaction") {
      raws.set(String(result), hexBytes(String(paramsOf(exchange)[1])));
    }
    if (methodOf(exchange) !== "getTransactionReceipt" || !result) continue;
    const receipt = result as RecordedReceipt;
    const raw = raws.get(receipt.transactionHash);
    assert.ok(raw, exchange.case);
    blocks.push({ raw, receipt });
  }
  return blocks;
}

golden(
  `group 3 of the recordings comes out anew: roles, permissions, governance${skip ?? ""}`,
  async () => {
    const exchanges = exchangesOf(OF_GROUP3);
    const calls = callsByHeight(exchanges);
    const { ledger, processor, write } = await openChain(GROUP3);
    let compared = 0;
    for (const { raw, receipt } of recordedBlocks(exchanges)) {
      const number = Number(receipt.blockNumber);
      assert.equal(ledger.head().number + 1, number, "blocks without a gap");
      const { header, receipts } = await write(
        proposal(ledger.head().hash, number, { raw, receipt }),
      );
      const where = `block ${number}`;
      assert.deepEqual(receipts.map(showReceipt), [showExpected(receipt)], where);
      assert.equal(header.stateRoot, receipt.root, `state root of ${where}`);
      compared += await compareCalls(processor, calls.get(number) ?? []);
    }
    assert.deepEqual([ledger.head().number, compared], [158, 35]);
  },
);

function proposal(
  parentHash: ExecuteRequest["header"]["parentHash"],
  number: number,
  { raw, receipt }: RecordedBlock,
): ExecuteRequest {
  const decoded = decodeTransaction(raw, suite);
  assert.ok(decoded.ok);
  const { hash } = decoded.transaction;
  return {
    header: {
      parentHash,
      stateRoot: ZERO_HASH,
      transactionsRoot: transactionsRoot([{ raw, hash }], { version: VERSION, suite }),
      receiptsRoot: ZERO_HASH,
      dbHash: ZERO_HASH,
      logsBloom: EMPTY_BLOOM,
      number,
      gasLimit: 0n,
      gasUsed: 0n,
      timestamp: BigInt(number),
      extraData: [],
      sealer: 0,
      sealerList: replayGenesis(GROUP3).sealers,
    },
    transactions: [raw],
    hashes: [hash],
    senders: [receipt.from],
  };
}
