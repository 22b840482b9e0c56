/** The status table against the interface, and what a refused caller is told. */
// rules: interface 7.3, rpc-semantics 8, rpc-semantics 9
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  POOL_REFUSALS,
  refusalText,
  TRANSACTION_STATUS,
  transactionStatusName,
} from "../../../core/fault/transaction-status.ts";
import type { SubmitRefusal } from "../../../core/api/node-api.ts";
import { interfaceSection } from "./interface-tables.ts";

test("statuses have the interface's names and numbers", () => {
  const expected: Record<string, number> = {};
  for (const match of interfaceSection("7.3").matchAll(/(\d+)\/0x([0-9a-f]+):? (\w+)/g)) {
    assert.equal(Number(match[1]), Number.parseInt(match[2] ?? "", 16));
    expected[match[3] ?? ""] = Number(match[1]);
  }
  assert.equal(Object.keys(expected).length, 39);
  assert.deepEqual(TRANSACTION_STATUS, { ...expected, NotEnoughRemainGas: 32 });
});

test("a number outside the table is an unknown status", () => {
  const names = [16, 10_006, 33].map(transactionStatusName);
  assert.deepEqual(names, ["BlockLimitCheckFail", "OverGroupMemoryLimit", "Unknown"]);
});

test("there is a row for every way a pool refuses", () => {
  const refusals: readonly SubmitRefusal[] = [
    "overGroupMemoryLimit",
    "txPoolIsFull",
    "alreadyKnown",
    "alreadyInChain",
    "chainNonceUsed",
    "poolNonceUsed",
    "blockLimitCheckFail",
    "malformedTx",
    "invalidChainId",
    "invalidGroupId",
    "notInGroup",
    "nodeIsSyncing",
  ];
  assert.deepEqual(Object.keys(POOL_REFUSALS).sort(), [...refusals].sort());
});

const TEXTS = [
  { refusal: "chainNonceUsed", text: "NonceCheckFail(0xf): TransactionNonceCheckFail, " },
  { refusal: "poolNonceUsed", text: "NonceCheckFail(0xf): TxPoolNonceCheckFail, " },
  {
    refusal: "blockLimitCheckFail",
    text: "BlockLimitCheckFail(0x10): BlockLimitCheckFailed, txBlockLimit=77, ",
  },
  { refusal: "txPoolIsFull", text: "TxPoolIsFull(0x1c): TransactionPoolIsFull, " },
  { refusal: "alreadyKnown", text: "AlreadyKnown(0x2710): TransactionAlreadyKown, " },
  { refusal: "alreadyInChain", text: "AlreadyInChain(0x2711): TransactionAlreadyInChain, " },
  { refusal: "invalidChainId", text: "InvalidChainId(0x2712): InvalidChainId, " },
  { refusal: "invalidGroupId", text: "InvalidGroupId(0x2713): InvalidGroupId, " },
  { refusal: "malformedTx", text: "MalformedTx(0x2715): TransactionSubmitFailed, " },
  {
    refusal: "overGroupMemoryLimit",
    text: "OverGroupMemoryLimit(0x2716): OverGroupMemoryLimit, ",
  },
  { refusal: "nodeIsSyncing", text: "TransactionRefused(0x1d): ImportResult::NodeIsSyncing, " },
] as const;
for (const { refusal, text } of TEXTS) {
  test(`${refusal} is reported as ${text}txHash=...`, () => {
    const hash = `0x77112432${"0".repeat(56)}`;
    assert.equal(refusalText(refusal, { hash, blockLimit: 77n }), `${text}txHash=77112432...`);
  });
}
