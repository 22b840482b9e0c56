/** ParallelConfig at 0x1006: registrations of functions, one row each. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeCall, selectorOf } from "../../../../core/abi/encode.ts";
import { numberOfBytes } from "../../../../core/bytes/bytes.ts";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { version } from "../../../../core/model/version.ts";
import { storedRows } from "../../../../core/storage/row-cache.ts";
import { grant } from "../../../support/execution/added-rows.ts";
import {
  BOB,
  openTestChain,
  SUITE,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 10

const PARALLEL_CONFIG = addressOfNumber(0x1006);
const CONTRACT = `0x${"c0".repeat(20)}` as Address;
const TABLE = `cp_${"c0".repeat(20)}`;
const PAY = "pay(string,string,uint256)";
const SET = "set(string,uint256)";
const ZERO = new Uint8Array(32);

async function send(chain: TestChain, input: Uint8Array): Promise<void> {
  const receipt = await chain.send({ to: PARALLEL_CONFIG, input });
  assert.equal(receipt.status, 0);
  assert.deepEqual(receipt.output, ZERO);
}

const register = (chain: TestChain, name: string, size: bigint) =>
  send(
    chain,
    encodeCall(
      "registerParallelFunctionInternal(address,string,uint256)",
      [CONTRACT, name, size],
      SUITE.hash,
    ),
  );
const unregister = (chain: TestChain, name: string) =>
  send(
    chain,
    encodeCall("unregisterParallelFunctionInternal(address,string)", [CONTRACT, name], SUITE.hash),
  );

/** The columns of the registrations in force. */
function registered(chain: TestChain, table = TABLE): object[] {
  return storedRows(chain.store, table, "parallel")
    .filter((row) => row.status === 0)
    .map((row) => Object.fromEntries(row.columns));
}

const numberOf = (name: string): string => String(numberOfBytes(selectorOf(name, SUITE.hash)));

function row(name: string, size: string): object {
  return { parallel: "parallel", selector: numberOf(name), functionName: name, criticalSize: size };
}

test("functions are registered, registered anew and taken off", async () => {
  const chain = await openTestChain();
  await register(chain, PAY, 2n);
  await register(chain, SET, 1n);
  assert.deepEqual(registered(chain), [row(PAY, "2"), row(SET, "1")]);
  await register(chain, PAY, 1n);
  assert.deepEqual(registered(chain), [row(PAY, "1"), row(SET, "1")]);
  await unregister(chain, PAY);
  assert.deepEqual(registered(chain), [row(SET, "1")]);
});

test("a selector is the number that its four bytes are", () => {
  assert.equal(numberOf("registerParallelFunctionInternal(address,string,uint256)"), "89362510");
});

test("taking off what was never registered makes the table", async () => {
  const chain = await openTestChain();
  await unregister(chain, PAY);
  const [schema] = storedRows(chain.store, "_sys_tables_", TABLE);
  assert.equal(schema?.columns.get("value_field"), "selector,functionName,criticalSize");
  assert.equal(schema?.columns.get("key_field"), "parallel");
});

test("the largest size is kept whole", async () => {
  const chain = await openTestChain();
  await register(chain, PAY, (1n << 256n) - 1n);
  assert.deepEqual(registered(chain), [row(PAY, String((1n << 256n) - 1n))]);
});

// rules: execution 8
test("nobody needs a permission, neither for tables nor for the contract", async () => {
  const chain = await grant(await openTestChain(), "_sys_tables_", BOB);
  await register(chain, PAY, 2n);
  const later = await grant(chain, TABLE, BOB);
  await register(later, SET, 1n);
  assert.equal(registered(later).length, 2);
});

// rules: storage 2
test("before 2.2.0 the table has its long name", async () => {
  const chain = await openTestChain({ version: version(2, 1, 0) });
  await register(chain, PAY, 2n);
  assert.equal(registered(chain, `_contract_parafunc_${"c0".repeat(20)}_`).length, 1);
});

test("an unknown method answers nothing", async () => {
  const chain = await openTestChain();
  const receipt = await chain.send({ to: PARALLEL_CONFIG, input: "61c09bf7" });
  assert.deepEqual([receipt.status, receipt.output.length], [0, 0]);
});

test("before 2.5.0 the registrations of a called contract count in the state root", async () => {
  for (const [chainVersion, counts] of [
    [version(2, 4, 0), true],
    [version(2, 5, 0), false],
  ] as const) {
    const callRoot = async (registers: boolean): Promise<string> => {
      const chain = await openTestChain({ version: chainVersion });
      const to = await chain.deploy(new Uint8Array(1));
      if (registers) {
        const signature = "registerParallelFunctionInternal(address,string,uint256)";
        await send(chain, encodeCall(signature, [to, PAY, 2n], SUITE.hash));
      }
      return (await chain.block({ to })).header.stateRoot;
    };
    assert.equal((await callRoot(true)) !== (await callRoot(false)), counts);
  }
});
