/** Receipts: what a status that is not 0 means, and what is not there. */
// rules: console 4.2, 5
import assert from "node:assert/strict";
import { test } from "vitest";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { readLine, runInvocation } from "../../../../../runtimes/tools/console/run-line.ts";
import { posedSession } from "../../../../support/console/posed-session.ts";

const HASH = `0x${"ab".repeat(32)}`;

test("a receipt with a status other than 0 comes with a sentence", async () => {
  const told = async (status: string) => {
    const results = { getTransactionReceipt: { status, output: "0x" } };
    const line = readLine(`getTransactionReceipt ${HASH}`, COMMANDS);
    return (await runInvocation(posedSession({ results }), line)).text;
  };
  assert.ok((await told("0x0")).endsWith("}"));
  assert.ok((await told("0x1e")).endsWith("}\nstatus 0x1e: the contract is frozen"));
});

test("what is not there is told with its hash", async () => {
  for (const name of [
    "getTransactionByHash",
    "getTransactionReceipt",
    "getTransactionByHashWithProof",
    "getTransactionReceiptByHashWithProof",
  ]) {
    const session = posedSession({ results: { [name]: null } });
    const run = runInvocation(session, readLine(`${name} ${HASH}`, COMMANDS));
    await assert.rejects(run, { message: `This transaction hash doesn't exist: ${HASH}` });
  }
});
