/** Faults of the client as the console tells them. */
// rules: console 3, 5, 6, interface 7.2, 7.3, 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientCodeFault } from "../../../../core/fault/client-codes.ts";
import {
  AbortedFault,
  CallFault,
  NodeFault,
  ReceiptFault,
  ReceiptTimeoutFault,
  RefusalFault,
  TransportFault,
  UsageFault,
} from "../../../../core/client/client-fault.ts";
import type { Receipt } from "../../../../core/client/rpc-objects.ts";
import { TRANSACTION_STATUS } from "../../../../core/fault/transaction-status.ts";
import { FolderFault } from "../../../../runtimes/folder/folder-fault.ts";
import { asConsoleFault } from "../../../../runtimes/tools/console/faults.ts";
import { statusText } from "../../../../runtimes/tools/console/status-text.ts";

const HASH = `0x${"ab".repeat(32)}` as const;
const RECEIPT = { transactionHash: HASH, status: "0x16" } as unknown as Receipt;

/** Code, sentence, exit code and hash. */
function told(cause: unknown) {
  const fault = asConsoleFault(cause);
  assert.ok(fault);
  const { code, message, exitCode, transactionHash } = fault;
  return [code, message, exitCode, transactionHash];
}

test("an error of the node keeps its code and its own text", () => {
  const fault = new NodeFault("GroupID does not exist", { code: -40_001, method: "getX" });
  assert.deepEqual(told(fault), [-40_001, "GroupID does not exist", 1, undefined]);
  assert.match(asConsoleFault(fault)?.hint ?? "", /getGroupList/);
  const management = new NodeFault("forbidden", { code: -100_001, method: "stopGroup" });
  assert.match(asConsoleFault(management)?.hint ?? "", /--token-file/);
});

test("a failed transaction has its status, the reason of a revert, and its hash", () => {
  const reverted = new ReceiptFault({ status: "RevertInstruction", reason: "too late" }, RECEIPT);
  assert.deepEqual(told(reverted), [22, "too late", 1, HASH]);
  const frozen = new ReceiptFault({ status: "ContractFrozen", reason: undefined }, RECEIPT);
  assert.deepEqual(told(frozen), [30, "the contract is frozen", 1, HASH]);
  const refused = new RefusalFault("InvalidChainId", HASH);
  assert.deepEqual(told(refused), [10_002, "the transaction is for another chain", 1, HASH]);
  const call = new CallFault({ status: "CallAddressError", reason: undefined }, "0x");
  assert.deepEqual(told(call), [26, "there is no contract at the address", 1, undefined]);
});

test("a receipt that does not come has code 50001 and the hash to ask for later", () => {
  const fault = new ReceiptTimeoutFault(HASH, false);
  const said = "no receipt in time: the transaction may still be executed";
  assert.deepEqual(told(fault), [50_001, said, 1, HASH]);
  assert.equal(asConsoleFault(fault)?.hint, `Ask for it later: getTransactionReceipt ${HASH}`);
  const expired = new ReceiptTimeoutFault(HASH, true);
  assert.match(String(told(expired)[1]), /never will be/);
});

test("codes of the client are told with their numbers", () => {
  const said = "the node is not reachable";
  assert.deepEqual(told(new ClientCodeFault("nodeUnreachable")), [-51_102, said, 1, undefined]);
});

test("a lost connection ends with 3, a wrong value with 2, a file with 1", () => {
  assert.deepEqual(told(new TransportFault("gone")), [
    undefined,
    "the connection is lost: gone.",
    3,
    undefined,
  ]);
  assert.deepEqual(told(new UsageFault("bad")).slice(1, 3), ["bad.", 2]);
  assert.deepEqual(told(new AbortedFault("x")).slice(1, 3), ["cancelled.", 1]);
  // What was handed in is named: typed again, it would be executed twice.
  const hash = "0xabcd" as const;
  const sent = asConsoleFault(new AbortedFault("x", { hash })) ?? assert.fail();
  assert.equal(sent.message, "cancelled: the transaction may still be executed");
  assert.equal(sent.transactionHash, hash);
  assert.equal(sent.hint, `Ask for it later: getTransactionReceipt ${hash}`);
  assert.deepEqual(told(new FolderFault("missing", "no file.")).slice(1, 3), ["no file.", 1]);
  assert.deepEqual(told(new FolderFault("argument", "no.")).slice(1, 3), ["no.", 2]);
});

test("a defect stays what it is", () => {
  assert.equal(asConsoleFault(new TypeError("x")), undefined);
  assert.equal(asConsoleFault("text"), undefined);
});

test("every status has a sentence of its own", () => {
  const texts = Object.values(TRANSACTION_STATUS).map(statusText);
  assert.equal(new Set(texts).size, texts.length);
});
