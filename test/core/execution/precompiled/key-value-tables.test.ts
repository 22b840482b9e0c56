import assert from "node:assert/strict";
import { test } from "vitest";
import type { AbiValue } from "../../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import { type Address, ZERO_ADDRESS } from "../../../../core/bytes/ids.ts";
import type { Receipt } from "../../../../core/model/receipt.ts";
import { version } from "../../../../core/model/version.ts";
import { accountTable, TABLES_TABLE } from "../../../../core/storage/system-tables.ts";
import { grant, withAccountRow } from "../../../support/execution/added-rows.ts";
import {
  answerValues,
  encodeCall,
  errorText,
  int256,
} from "../../../support/execution/table-calls.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 1, 2, 3, 14, execution 6, 8

const FACTORY = addressOfNumber(0x1010);
const [TABLE, ENTRY, THIRD, FOURTH] = [1, 2, 3, 4].map((number) =>
  addressOfNumber(0x10000 + number),
) as [Address, Address, Address, Address];

type Step = readonly [to: Address, signature: string, ...values: AbiValue[]];

async function run(chain: TestChain, steps: readonly Step[], from: Address = ALICE) {
  const sendings = steps.map(([to, signature, ...values]) => ({
    from,
    to,
    input: encodeCall(signature, ...values),
  }));
  return (await chain.block(...sendings)).receipts;
}

function outcome(receipt: Receipt | undefined): number | string {
  assert.ok(receipt);
  if (receipt.status === 0) return int256(receipt.output);
  assert.equal(receipt.status, 21);
  return errorText(receipt.output) ?? "";
}

const create = (name: string, key = "id", fields = "a,b"): Step => [
  FACTORY,
  "createTable(string,string,string)",
  name,
  key,
  fields,
];
const OPEN: Step = [FACTORY, "openTable(string)", "t"];
const set = (column: string, value: string, entry = ENTRY): Step => [
  entry,
  "set(string,string)",
  column,
  value,
];
const put = (key: string, entry = ENTRY): Step => [TABLE, "set(string,address)", key, entry];
const get = (key: string): Step => [TABLE, "get(string)", key];

async function chainWithTable(): Promise<TestChain> {
  const chain = await openTestChain();
  await run(chain, [create("t")]);
  return chain;
}

/** A block of objects: table 1, entry 2, then the steps. */
async function withTable(chain: TestChain, steps: readonly Step[], from: Address = ALICE) {
  return (await run(chain, [OPEN, [TABLE, "newEntry()"], ...steps], from)).slice(2);
}

const long = (letter: string, length: number) => letter.repeat(length);
const CREATIONS: readonly (readonly [
  request: readonly [name: string, key: string, fields: string],
  result: number | string,
])[] = [
  [["t", "id", "a,b"], 0],
  [["t 1", "id", "a"], "invalid tablename:t 1"],
  [["t", "_id", "a"], "invalid field:_id"],
  [["t", "id", ""], "invalid field:"],
  [["t", "id", "a-b"], "invalid field:a-b"],
  [["t", "id", "a,a"], "dumplicate field:a"],
  [[long("t", 49), "id", "a"], "tableName length overflow 50"],
  [["t", long("k", 65), "a"], "table field name length overflow 64"],
];
for (const [request, result] of CREATIONS) {
  test(`createTable ${request.map((text) => text.slice(0, 9)).join(" ")}: ${result}`, async () => {
    const receipts = await run(await openTestChain(), [create(...request)]);
    assert.equal(outcome(receipts[0]), result);
  });
}

test("tables are created once, opened by both factories, and missing ones are a failure", async () => {
  const chain = await openTestChain();
  const table: Step = [addressOfNumber(0x1001), "openTable(string)", "t"];
  const receipts = await run(chain, [OPEN, create("t"), create("t"), OPEN, table]);
  const [missing, ...rest] = receipts.map(outcome);
  assert.equal(missing, "u_t does not exist");
  assert.deepEqual(rest, [0, -50_001, 0x10001, 0x10002]);
});

test("before 2.3.0 there is no such contract", async () => {
  const chain = await openTestChain({ version: version(2, 2, 0) });
  const receipts = await run(chain, [OPEN]);
  assert.equal(receipts[0]?.status, 26);
});

test("a key has one row: set inserts it first and then changes it", async () => {
  const chain = await chainWithTable();
  const first = await withTable(chain, [
    get("x"),
    set("a", "1"),
    put("x"),
    set("a", "2"),
    put("x"),
  ]);
  assert.deepEqual(answerValues("(bool,address)", first[0]?.output ?? new Uint8Array()), [
    false,
    ZERO_ADDRESS,
  ]);
  assert.deepEqual([outcome(first[2]), outcome(first[4])], [1, 1]);
  const next = await withTable(chain, [
    get("x"),
    [THIRD, "getInt(string)", "a"],
    [THIRD, "getString(string)", "id"],
    set("b", "new"),
    put("x"),
    get("x"),
    [FOURTH, "getInt(string)", "a"],
    [FOURTH, "getString(string)", "b"],
  ]);
  const values = (types: string, index: number) =>
    answerValues(types, next[index]?.output ?? new Uint8Array());
  assert.deepEqual(values("(bool,address)", 0), [true, THIRD]);
  assert.deepEqual([outcome(next[1]), outcome(next[6])], [2, 2]);
  assert.deepEqual([values("(string)", 2), values("(string)", 7)], [["x"], ["new"]]);
});

test("a set is charged for the entry as often as it changes a row", async () => {
  const chain = await chainWithTable();
  // The other factory lets a key have two rows.
  const open: Step = [addressOfNumber(0x1001), "openTable(string)", "t"];
  const insert = (entry: Address): Step => [FOURTH, "insert(string,address)", "x", entry];
  const [other] = [addressOfNumber(0x10005)];
  await withTable(chain, [
    [TABLE, "newEntry()"],
    open,
    [TABLE, "newEntry()"],
    set("a", long("v", 400)),
    insert(ENTRY),
    set("a", long("w", 400), other),
    insert(other),
  ]);
  const [, changed] = await withTable(chain, [set("a", long("z", 300)), put("x")]);
  const data = encodeCall(...(put("x").slice(1) as [string, ...AbiValue[]]));
  const base = data.reduce((gas, byte) => gas + (byte === 0 ? 4n : 68n), 21_000n);
  assert.equal(outcome(changed), 2);
  // 2 times 301 bytes are 19 words.
  assert.equal((changed?.gasUsed ?? 0n) - base, 2n * 10_200n + 3n * 19n);
});

test("a set is charged for reading, then for the entry alone", async () => {
  const chain = await chainWithTable();
  const steps = [set("a", long("v", 40)), put("x"), put("x"), get("x")];
  const receipts = await withTable(chain, steps);
  const extra = steps.map(([, signature, ...values], index) => {
    const data = encodeCall(signature, ...values);
    const base = data.reduce((gas, byte) => gas + (byte === 0 ? 4n : 68n), 21_000n);
    return (receipts[index]?.gasUsed ?? 0n) - base;
  });
  // The row is id, x, a and 40 bytes: 44, and the entry has become the row.
  assert.deepEqual(extra.slice(1), [10_000n + 6n, 10_200n + 6n, 200n + 12n]);
});

const FAILURES: readonly (readonly [name: string, steps: readonly Step[], result: string])[] = [
  ["a key of 256 bytes", [put(long("k", 256))], "size of value/key greater than255"],
  ["a column that the table lacks", [set("c", "1"), put("x")], "PrecompiledError"],
  ["no entry at the address", [put("x", TABLE)], "PrecompiledError"],
];
for (const [name, steps, result] of FAILURES) {
  test(`${name}: ${result}`, async () => {
    const receipts = await withTable(await chainWithTable(), steps);
    assert.equal(outcome(receipts.at(-1)), result);
  });
}

test("a method that neither factory nor table has answers with nothing", async () => {
  const chain = await chainWithTable();
  const [table] = await withTable(chain, [[TABLE, "nope()"]]);
  const [factory] = await run(chain, [[FACTORY, "nope()"]]);
  for (const receipt of [table, factory])
    assert.deepEqual([receipt?.status, receipt?.output.length], [0, 0]);
});

test("lists refuse with texts that name the origin", async () => {
  const plain = await chainWithTable();
  const digits = ALICE.slice(2);
  const tables = await grant(plain, TABLES_TABLE, BOB);
  assert.equal(
    outcome((await run(tables, [create("n")]))[0]),
    `Permission denied. ${digits} can't create table u_n`,
  );
  const listed = await grant(await chainWithTable(), "u_t", BOB);
  const denied = await withTable(listed, [put("x")]);
  assert.equal(outcome(denied[0]), `Permission denied. ${digits} can't write u_t`);
  assert.equal(outcome((await withTable(listed, [put("x")], BOB))[0]), 1);
  const account = await withAccountRow(await chainWithTable(), ALICE, { key: "nonce", value: "1" });
  const closed = await grant(account, accountTable(ALICE, account.version), BOB);
  const refused = await withTable(closed, [put("x")]);
  assert.equal(outcome(refused[0]), `Permission denied. ${digits} can't call contract ${digits}`);
});
