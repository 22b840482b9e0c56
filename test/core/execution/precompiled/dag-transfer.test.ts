/** DagTransfer at 0x5002: its methods, codes and the table behind them. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AbiValue, encodeCall } from "../../../../core/abi/encode.ts";
import { addressOfNumber, toHex } from "../../../../core/bytes/hex.ts";
import { dagTransferUsers } from "../../../support/execution/conflict-fields.ts";
import { version } from "../../../../core/model/version.ts";
import { grant, withRow } from "../../../support/execution/added-rows.ts";
import {
  BOB,
  openTestChain,
  SUITE,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 16

const DAG_TRANSFER = addressOfNumber(0x5002);
const MOST = (1n << 256n) - 1n;
const ADD = "userAdd(string,uint256)";
const SAVE = "userSave(string,uint256)";
const DRAW = "userDraw(string,uint256)";
const TRANSFER = "userTransfer(string,string,uint256)";

function signed(word: Uint8Array): number {
  return Number(BigInt.asIntN(256, BigInt(`0x${toHex(word)}`)));
}

async function code(chain: TestChain, method: string, ...values: AbiValue[]): Promise<number> {
  const input = encodeCall(method, values, SUITE.hash);
  const receipt = await chain.send({ to: DAG_TRANSFER, input });
  assert.equal(receipt.status, 0);
  assert.equal(receipt.output.length, 32);
  return signed(receipt.output);
}

async function balance(chain: TestChain, user: string): Promise<[number, bigint]> {
  const input = encodeCall("userBalance(string)", [user], SUITE.hash);
  const { output } = await chain.send({ to: DAG_TRANSFER, input });
  return [signed(output.subarray(0, 32)), BigInt(`0x${toHex(output.subarray(32))}`)];
}

test("users are added once, saved to, drawn from, and pay each other", async () => {
  const chain = await openTestChain();
  assert.equal(await code(chain, ADD, "ann", 100n), 0);
  assert.equal(await code(chain, ADD, "ann", 5n), -51_403);
  assert.equal(await code(chain, SAVE, "ann", 20n), 0);
  assert.equal(await code(chain, SAVE, "ben", 7n), 0);
  assert.equal(await code(chain, DRAW, "ann", 50n), 0);
  assert.equal(await code(chain, TRANSFER, "ann", "cat", 30n), 0);
  assert.equal(await code(chain, TRANSFER, "ann", "ben", 40n), 0);
  assert.deepEqual(await balance(chain, "ann"), [0, 0n]);
  assert.deepEqual(await balance(chain, "ben"), [0, 47n]);
  assert.deepEqual(await balance(chain, "cat"), [0, 30n]);
});

test("a user may be added without money", async () => {
  const chain = await openTestChain();
  assert.equal(await code(chain, ADD, "ann", 0n), 0);
  assert.deepEqual(await balance(chain, "ann"), [0, 0n]);
});

/** What is refused when `ann` has 10 and `max` the most. */
const REFUSED: readonly (readonly [number, string, ...AbiValue[]])[] = [
  [-51_400, ADD, "", 0n],
  [-51_400, SAVE, "", 0n],
  [-51_400, DRAW, "", 0n],
  [-51_400, TRANSFER, "", "ann", 0n],
  [-51_400, TRANSFER, "ann", "", 0n],
  [-51_401, SAVE, "ann", 0n],
  [-51_401, DRAW, "ann", 0n],
  [-51_401, TRANSFER, "ann", "ann", 0n],
  [-51_402, DRAW, "nobody", 1n],
  [-51_402, TRANSFER, "nobody", "ann", 1n],
  [-51_404, DRAW, "ann", 11n],
  [-51_404, TRANSFER, "ann", "max", 11n],
  [-51_405, SAVE, "max", 1n],
  [-51_405, TRANSFER, "ann", "max", 1n],
];
for (const [expected, method, ...values] of REFUSED) {
  test(`${method} of ${values.join(", ")} gives ${expected} and changes nothing`, async () => {
    const chain = await openTestChain();
    await code(chain, ADD, "ann", 10n);
    await code(chain, ADD, "max", MOST);
    assert.equal(await code(chain, method, ...values), expected);
    assert.deepEqual(await balance(chain, "ann"), [0, 10n]);
    assert.deepEqual(await balance(chain, "max"), [0, MOST]);
    assert.deepEqual(await balance(chain, "nobody"), [-51_402, 0n]);
  });
}

test("paying oneself succeeds at once, known or not", async () => {
  const chain = await openTestChain();
  assert.equal(await code(chain, TRANSFER, "nobody", "nobody", 5n), 0);
  assert.deepEqual(await balance(chain, "nobody"), [-51_402, 0n]);
});

test("the balance of no name is refused with a second word", async () => {
  const chain = await openTestChain();
  assert.deepEqual(await balance(chain, ""), [-51_400, 0n]);
});

test("an unknown method answers nothing and costs nothing more", async () => {
  const chain = await openTestChain();
  const receipt = await chain.send({ to: DAG_TRANSFER, input: "61c09bf7" });
  assert.deepEqual([receipt.status, receipt.output.length, receipt.gasUsed], [0, 0, 21_272n]);
});

test("a word of output is all that a method costs", async () => {
  const chain = await openTestChain();
  const input = encodeCall(ADD, ["ann", 1n], SUITE.hash);
  const data = input.reduce((sum, byte) => sum + (byte === 0 ? 4 : 68), 0);
  const { gasUsed } = await chain.send({ to: DAG_TRANSFER, input });
  assert.equal(gasUsed, BigInt(21_000 + data + 3));
});

test("a balance that is no number fails the call", async () => {
  const open = await openTestChain();
  await code(open, ADD, "ann", 10n);
  const columns = { user_name: "odd", user_balance: "much" };
  const chain = await withRow(open, { table: "u_dag_transfer", key: "odd", columns });
  const input = encodeCall(DRAW, ["odd", 1n], SUITE.hash);
  assert.equal((await chain.send({ to: DAG_TRANSFER, input })).status, 21);
});

// rules: precompiles 5
test("a table that somebody made without balances takes no users", async () => {
  const chain = await openTestChain();
  const values = ["dag_transfer", "name", "other"];
  const made = encodeCall("createTable(string,string,string)", values, SUITE.hash);
  await chain.send({ to: addressOfNumber(0x1001), input: made });
  const refused = await chain.send({
    to: DAG_TRANSFER,
    input: encodeCall(ADD, ["ann", 1n], SUITE.hash),
  });
  assert.equal(refused.status, 21);
  assert.deepEqual(await balance(chain, "ann"), [-51_402, 0n]);
});

test("a balance of a million digits counts modulo 2^256, at once", async () => {
  const open = await openTestChain();
  await code(open, ADD, "ann", 10n);
  const text = `${"9".repeat(1_000_000)}${2n ** 256n}`;
  const columns = { user_name: "odd", user_balance: text };
  const chain = await withRow(open, { table: "u_dag_transfer", key: "odd", columns });
  const read = async () => {
    const rest = BigInt.asUintN(256, 10n ** 78n * BigInt("9".repeat(300)) + 2n ** 256n);
    const input = encodeCall("userBalance(string)", ["odd"], SUITE.hash);
    const { output } = await chain.send({ to: DAG_TRANSFER, input });
    assert.equal(BigInt(`0x${toHex(output.subarray(32))}`), rest);
  };
  const readTwentyTimes = async () => {
    const started = performance.now();
    for (let i = 0; i < 20; i++) await read();
    return performance.now() - started;
  };
  // The best of some tries: others may use the machine.
  const took = [await readTwentyTimes()];
  while (took.length < 3 && Math.min(...took) >= 5_000) took.push(await readTwentyTimes());
  assert.ok(Math.min(...took) < 5_000, `it took ${took.join(", ")} ms`);
});

// rules: execution 8
test("who is not on the list of the table may not write it", async () => {
  const open = await openTestChain();
  await code(open, ADD, "ann", 10n);
  const chain = await grant(open, "u_dag_transfer", BOB);
  for (const [method, ...values] of [
    [ADD, "new", 1n],
    [SAVE, "ann", 1n],
    [DRAW, "ann", 1n],
    [TRANSFER, "ann", "new", 1n],
  ] as const) {
    assert.equal(await code(chain, method, ...values), -50_000, method);
  }
  const input = encodeCall(SAVE, ["ann", 1n], SUITE.hash);
  const byBob = await chain.send({ from: BOB, to: DAG_TRANSFER, input });
  assert.equal(signed(byBob.output), 0);
  assert.deepEqual(await balance(chain, "ann"), [0, 11n]);
});

// rules: storage 2
for (const [chainVersion, name] of [
  [version(2, 1, 0), "_dag_transfer_"],
  [version(2, 2, 0), "u_dag_transfer"],
] as const) {
  test(`at ${chainVersion} the table is ${name}`, async () => {
    const open = await openTestChain({ version: chainVersion });
    await code(open, ADD, "ann", 10n);
    const chain = await grant(open, name, BOB);
    assert.equal(await code(chain, SAVE, "ann", 1n), -50_000);
  });
}

test("everybody may come first, even where tables may not be created", async () => {
  const chain = await grant(await openTestChain(), "_sys_tables_", BOB);
  assert.equal(await code(chain, ADD, "ann", 10n), 0);
});

// rules: storage 4
test("the list of the table is not asked in the block that makes it", async () => {
  const chain = await grant(await openTestChain(), "u_dag_transfer", BOB);
  const add = (user: string) => ({
    to: DAG_TRANSFER,
    input: encodeCall(ADD, [user, 10n], SUITE.hash),
  });
  const { receipts } = await chain.block(add("ann"), add("ben"));
  assert.deepEqual(
    receipts.map(({ output }) => signed(output)),
    [0, 0],
  );
  assert.equal(await code(chain, ADD, "cat", 10n), -50_000);
  assert.deepEqual(await balance(chain, "ben"), [0, 10n]);
});

test("the users that a call writes are known before it runs", () => {
  const users = dagTransferUsers(SUITE);
  const of = (method: string, ...values: AbiValue[]) =>
    users(encodeCall(method, values, SUITE.hash));
  assert.deepEqual(of(ADD, "ann", 1n), { written: ["ann"], read: [] });
  assert.deepEqual(of(TRANSFER, "ann", "ben", 1n), { written: ["ann", "ben"], read: [] });
  assert.deepEqual(of(TRANSFER, "ann", "", 1n), { written: [], read: [] });
  assert.deepEqual(of("userBalance(string)", "ann"), { written: [], read: ["ann"] });
  assert.deepEqual(users(new Uint8Array(3)), { written: [], read: [] });
});
