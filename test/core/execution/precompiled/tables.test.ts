import assert from "node:assert/strict";
import { test } from "vitest";
import { addressOfNumber, toHex } from "../../../../core/bytes/hex.ts";
import { ZERO_ADDRESS } from "../../../../core/bytes/ids.ts";
import { NEWEST_VERSION, version, type Version } from "../../../../core/model/version.ts";
import { accountTable, TABLES_TABLE } from "../../../../core/storage/system-tables.ts";
import { grant, withAccountRow } from "../../../support/execution/added-rows.ts";
import { answerValues, encodeCall } from "../../../support/execution/table-calls.ts";
import { ALICE, BOB, openTestChain } from "../../../support/execution/test-chain.ts";
import {
  FACTORY,
  object,
  type Step,
  sending,
  run,
  outcome,
  create,
  HIDDEN,
  withTable,
  chainWithTable,
  TABLE,
  ENTRY,
  CONDITION,
  set,
  add,
  insert,
  update,
  remove,
  select,
} from "../../../support/execution/table-steps.ts";

// rules: precompiles 1, 2, 3, 5, execution 6, 8, storage 2

const V2_0 = version(2, 0, 0);
const V2_1 = version(2, 1, 0);
const V2_2 = version(2, 2, 0);
const V2_6 = version(2, 6, 0);
const V2_8 = version(2, 8, 0);
const CHARACTERS =
  'must be letters or numbers, and only supports "{$, _, @}" as special character set';
const reserved = (field: string) =>
  `Invalid field "${field}", the size of the field must be larger than 0 and the field ` +
  `can't start with "_"`;
const long = (letter: string, length: number) => letter.repeat(length);
/** `count` names of 60 characters. */
const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => `${long("f", 58)}${10 + index}`).join(",");

const CREATIONS: readonly (readonly [
  request: readonly [string, string, string],
  result: number | string,
  at?: Version,
])[] = [
  [["t", "k", "a,b"], 0],
  [["", "k", "v"], 0],
  [["t_$@", "$k", "v@"], 0],
  [["t", " k\t", " a ,\nb"], 0],
  [[long("t", 48), "k", "v"], 0],
  [[long("t", 49), "k", "v"], "tableName length overflow 50"],
  [[long("t", 49), "k", "v"], "tableName length overflow 64", V2_8],
  [[long("t", 49), "k", "v"], HIDDEN, V2_6],
  [[long("t", 49), "k", "v"], "", V2_2],
  [[long("t", 58), "k", "v"], 0, V2_1],
  [[long("t", 59), "k", "v"], "", V2_1],
  [["t b", "k", "v"], `Invalid table name "t b", the table name ${CHARACTERS}`],
  [["t b", "k", "v"], 0, V2_1],
  [["t", long("k", 64), "v"], 0],
  [["t", long("k", 65), "v"], "table field name length overflow 64"],
  [["t", "k", `v,${long("w", 65)}`], "table field name length overflow 64"],
  [["t", "k", `${fields(16)},${long("g", 48)}`], 0],
  [["t", "k", `${fields(16)},${long("g", 49)}`], "total table field name length overflow 1024"],
  [["t", "k", "v,v"], "duplicate field:v"],
  [["t", "k", "k"], "duplicate field:k"],
  [["t", "k", "v,v"], 0, V2_1],
  [["t", "", "v"], reserved("")],
  [["t", "", "v"], 0, V2_0],
  [["t", "k", ""], reserved("")],
  [["t", "k", ""], 0, V2_1],
  [["t", "k", "v,"], reserved("")],
  [["t", "_k", "v"], reserved("_k")],
  [["t", "_k", "v"], 0, V2_1],
  [["t", "k", "v-1"], `Invalid field "v-1", the field name ${CHARACTERS}`],
];
for (const [request, result, at = NEWEST_VERSION] of CREATIONS) {
  const told = request.map((text) => (text.length > 20 ? `${text.length} bytes` : text));
  test(`createTable ${JSON.stringify(told)} at ${at}: ${result}`, async () => {
    const chain = await openTestChain({ version: at });
    const [receipt] = await run(chain, create(...request));
    assert.equal(outcome(receipt), result);
  });
}

test("a table name is taken once, and an openTable of no table gives the zero address", async () => {
  const chain = await openTestChain();
  const open: Step = [FACTORY, "openTable(string)", "t"];
  const receipts = await run(chain, open, create("t", "k", "v"), create("t", "k", "v"), open, open);
  const [missing, made, again, first, second] = receipts;
  assert.deepEqual(answerValues("(address)", missing?.output ?? new Uint8Array()), [ZERO_ADDRESS]);
  assert.deepEqual([outcome(made), outcome(again)], [0, -50_001]);
  assert.deepEqual(answerValues("(address)", first?.output ?? new Uint8Array()), [object(1)]);
  assert.deepEqual(answerValues("(address)", second?.output ?? new Uint8Array()), [object(2)]);
  const [opened] = await run(chain, open);
  assert.deepEqual(answerValues("(address)", opened?.output ?? new Uint8Array()), [object(1)]);
});

test("a table name that was rolled back is free, though its table stays open in the block", async () => {
  const chain = await openTestChain();
  // Too little gas for CreateTable: the frame is undone after it ran.
  const limit: Step = [
    addressOfNumber(0x1000),
    "setValueByKey(string,string)",
    "tx_gas_limit",
    "100000",
  ];
  await run(chain, limit);
  const wide = create("t", "k", `${fields(16)}`);
  const [undone, made] = await run(chain, wide, create("t", "k", "v"));
  assert.match(String(outcome(undone)), /^OutOfGas when executing precompiled Contract/);
  assert.equal(outcome(made), 0);
});

test("rows are inserted, selected, updated and removed over blocks", async () => {
  const chain = await chainWithTable();
  const inserts = await withTable(chain, [
    ...add("x", "1", object(4)),
    ...add("x", "2", object(5)),
    set("b", "two", object(5)),
    ...add("y", "2", object(6)),
  ]);
  assert.deepEqual(
    [2, 5, 9].map((index) => outcome(inserts[index])),
    [1, 1, 1],
  );
  const changes = await withTable(chain, [
    [CONDITION, "GE(string,int256)", "a", 2n],
    set("b", "changed"),
    update("x"),
    [CONDITION, "limit(int256)", 1n],
    remove("x"),
    select("x"),
    [object(4), "size()"],
  ]);
  assert.deepEqual(
    [2, 4, 6].map((index) => outcome(changes[index])),
    [1, 1, 0],
  );
  const reads = await withTable(chain, [
    select("x"),
    [object(4), "size()"],
    [object(4), "get(int256)", 0n],
    [object(5), "getInt(string)", "a"],
    [object(5), "getString(string)", "b"],
    [object(5), "getString(string)", "name"],
  ]);
  assert.equal(outcome(reads[1]), 1);
  assert.equal(outcome(reads[3]), 1);
  assert.deepEqual(answerValues("(string)", reads[4]?.output ?? new Uint8Array()), [""]);
  assert.deepEqual(answerValues("(string)", reads[5]?.output ?? new Uint8Array()), ["x"]);
});

const FAILURES: readonly (readonly [
  name: string,
  steps: readonly Step[],
  result: number | string,
])[] = [
  ["a column that the table lacks, inserted", [set("c", "1"), insert("x")], HIDDEN],
  ["a column that the table lacks, updated", [set("c", "1"), update("x")], HIDDEN],
  ["an internal column, inserted", [set("_id_", "1"), insert("x")], 1],
  ["a key of 255 bytes", [insert(long("k", 255))], 1],
  ["a key of 256 bytes", [insert(long("k", 256))], "size of value/key greater than255"],
  ["no entry at the address", [insert("x", CONDITION)], HIDDEN],
  ["no entry for an update", [update("x", TABLE)], HIDDEN],
  ["no condition for an update", [update("x", ENTRY, ENTRY)], HIDDEN],
  ["no condition for a remove", [remove("x", object(99))], HIDDEN],
  ["a row beyond the last", [select("x"), [object(4), "get(int256)", 0n]], "Entries no exists: 0"],
  [
    "a row before the first",
    [select("x"), [object(4), "get(int256)", -1n]],
    "Entries no exists: 18446744073709551615",
  ],
  ["an integer that is none", [set("a", "x"), [ENTRY, "getInt(string)", "a"]], HIDDEN],
  ["an integer with a plus", [set("a", "+12"), [ENTRY, "getInt(string)", "a"]], HIDDEN],
  ["an unsigned one with a plus", [set("a", "+2"), [ENTRY, "getUInt(string)", "a"]], HIDDEN],
  ["an integer that is missing", [[ENTRY, "getUInt(string)", "a"]], HIDDEN],
  ["an address that is none", [set("a", "xy"), [ENTRY, "getAddress(string)", "a"]], HIDDEN],
  ["a negative limit", [[CONDITION, "limit(int256,int256)", -1n, 1n]], HIDDEN],
  ["a negative count", [[CONDITION, "limit(int256)", -1n]], HIDDEN],
];
for (const [name, steps, result] of FAILURES) {
  test(`${name}: ${result}`, async () => {
    const receipts = await withTable(await chainWithTable(), steps);
    assert.equal(outcome(receipts.at(-1)), result);
  });
}

test("a value of 16 MiB is one byte too long to insert or update", async () => {
  const { checkValues, TABLE_WORDS } = await import(
    "../../../../core/execution/precompiled/table-limits.ts"
  );
  checkValues(new Map([["a", long("v", 16_777_215)]]), TABLE_WORDS);
  assert.throws(
    () => checkValues(new Map([["a", long("v", 16_777_216)]]), TABLE_WORDS),
    /size of value\/key greater than16777215/,
  );
});

const WORD_OF = (text: string, size = 32): string =>
  Buffer.from(text, "latin1")
    .toString("hex")
    .padEnd(size * 2, "0");
const WRAPPED_SEVENS = BigInt.asUintN(256, BigInt("7".repeat(500)))
  .toString(16)
  .padStart(64, "0");
const GETTERS: readonly (readonly [steps: readonly Step[], output: string])[] = [
  [
    [
      [ENTRY, "set(string,int256)", "a", -5n],
      [ENTRY, "getInt(string)", "a"],
    ],
    `${long("f", 63)}b`,
  ],
  [
    [
      [ENTRY, "set(string,uint256)", "a", 5n],
      [ENTRY, "getUInt(string)", "a"],
    ],
    `${long("0", 63)}5`,
  ],
  [[set("a", "12"), [ENTRY, "getInt(string)", "a"]], `${long("0", 63)}c`],
  [[set("a", `-${long("0", 500)}2`), [ENTRY, "getInt(string)", "a"]], `${long("f", 63)}e`],
  [[set("a", `${long("7", 500)}`), [ENTRY, "getUInt(string)", "a"]], WRAPPED_SEVENS],
  [
    [
      [ENTRY, "set(string,address)", "a", ALICE],
      [ENTRY, "getBytes64(string)", "a"],
    ],
    WORD_OF(long("a1", 20), 64),
  ],
  [
    [
      [ENTRY, "set(string,address)", "a", ALICE],
      [ENTRY, "getAddress(string)", "a"],
    ],
    `${long("0", 24)}${long("a1", 20)}`,
  ],
  [[set("a", "abcd"), [ENTRY, "getAddress(string)", "a"]], long("0", 64)],
  [[set("a", long("x", 40)), [ENTRY, "getBytes32(string)", "a"]], WORD_OF(long("x", 32))],
  [[set("a", "xyz"), [ENTRY, "getBytes32(string)", "a"]], WORD_OF("xyz")],
  [[[ENTRY, "getBytes32(string)", "none"]], long("0", 64)],
];
for (const [steps, output] of GETTERS) {
  const names = steps.map(([, signature]) => signature).join(" then ");
  test(`${names} gives ${output}`, async () => {
    const receipts = await withTable(await chainWithTable(), steps);
    assert.equal(toHex(receipts.at(-1)?.output ?? new Uint8Array()), output);
  });
}

test("each comparison of a condition reaches the rows that it means", async () => {
  const chain = await chainWithTable();
  const values = [ALICE.slice(2), "7", "8", "9"];
  await withTable(
    chain,
    values.flatMap((value, index) => add("x", value, object(4 + index))),
  );
  const counts = async (...conditions: Step[]) => {
    const receipts = await withTable(chain, [...conditions, select("x"), [object(4), "size()"]]);
    return outcome(receipts.at(-1));
  };
  assert.equal(await counts([CONDITION, "EQ(string,int256)", "a", 8n]), 1);
  assert.equal(await counts([CONDITION, "EQ(string,string)", "a", "9"]), 1);
  assert.equal(await counts([CONDITION, "EQ(string,address)", "a", ALICE]), 1);
  assert.equal(await counts([CONDITION, "NE(string,int256)", "a", 8n]), 3);
  assert.equal(await counts([CONDITION, "NE(string,string)", "a", "none"]), 4);
  assert.equal(await counts([CONDITION, "GT(string,int256)", "a", 8n]), 1);
  assert.equal(await counts([CONDITION, "GE(string,int256)", "a", 8n]), 2);
  assert.equal(await counts([CONDITION, "LT(string,int256)", "a", 8n]), 1);
  assert.equal(await counts([CONDITION, "LE(string,int256)", "a", 8n]), 2);
  assert.equal(await counts([CONDITION, "limit(int256,int256)", 1n, 2n]), 2);
  assert.equal(await counts([CONDITION, "limit(int256,int256)", 3n, 2n]), 1);
  // The low 32 bits count, with a sign: a negative number is no limit.
  assert.equal(await counts([CONDITION, "limit(int256,int256)", 0n, 2n ** 32n + 1n]), 1);
  assert.equal(await counts([CONDITION, "limit(int256,int256)", 2n ** 64n + 3n, 5n]), 1);
  assert.equal(await counts([CONDITION, "limit(int256)", 2n ** 64n]), 0);
  assert.equal(await counts([CONDITION, "limit(int256)", 2n ** 31n]), 4);
  assert.equal(await counts([CONDITION, "limit(int256,int256)", 2n ** 31n, 1n]), 4);
});

test("before 2.7.0 conditions do not know addresses", async () => {
  const chain = await chainWithTable({ version: V2_6 });
  const receipts = await withTable(chain, [
    set("a", "1"),
    insert("x"),
    [CONDITION, "EQ(string,address)", "a", ALICE],
    select("x"),
    [object(4), "size()"],
  ]);
  assert.equal(outcome(receipts[4]), 1);
});

test("a method that no object has answers with nothing", async () => {
  const chain = await chainWithTable();
  const steps = [TABLE, ENTRY, CONDITION].map((to): Step => [to, "nope()"]);
  const [factory] = await run(chain, [FACTORY, "nope()"]);
  const receipts = await withTable(chain, [...steps, select("x"), [object(4), "nope()"]]);
  for (const receipt of [factory, ...receipts.slice(0, 3), receipts[4]]) {
    assert.deepEqual([receipt?.status, receipt?.output.length], [0, 0]);
  }
});

test("operations cost what the table of prices says, and memory of call data or rows", async () => {
  const chain = await chainWithTable();
  const memory = (bytes: number) => BigInt(3 * Math.ceil(bytes / 32));
  const row = "name".length + "x".length + "a".length + 320;
  const cases: readonly (readonly [step: Step, operations: bigint, bytes?: number])[] = [
    [set("a", long("v", 320)), 3n],
    [insert("x"), 10_000n, row],
    [update("none"), 0n],
    [select("x"), 200n, row],
    [[object(4), "get(int256)", 0n], 0n],
    [[ENTRY, "getBytes32(string)", "a"], 96n],
    [[ENTRY, "getBytes64(string)", "a"], 192n],
    [[TABLE, "newEntry()"], 0n, 32],
    [[object(6), "set(string,string)", "b", "1"], 3n],
    // The call data, four words and more, does not count.
    [update("x", object(6)), 10_000n, -32],
    [remove("none"), 0n],
    [remove("x"), 2_500n],
    [[CONDITION, "GE(string,int256)", "a", 1n], 3n],
    [[CONDITION, "limit(int256)", 1n], 3n],
  ];
  const receipts = await withTable(
    chain,
    cases.map(([step]) => step),
  );
  for (const [index, [step, operations, bytes = 0]] of cases.entries()) {
    const data = encodeCall(step[1], ...step.slice(2));
    const used = bytes < 0 ? -bytes : Math.max(data.length, bytes);
    let base = 21_000n;
    for (const byte of data) base += byte === 0 ? 4n : 68n;
    assert.equal(receipts[index]?.gasUsed, base + operations + memory(used), step[1]);
  }
});

test("without a place on a table's list there is a code, and nothing changes", async () => {
  const plain = await chainWithTable();
  await withTable(plain, [set("a", "1"), insert("x")]);
  const chain = await grant(plain, "u_t", BOB);
  const denied = await withTable(chain, [set("a", "2"), insert("x"), update("x"), remove("x")]);
  assert.deepEqual(denied.slice(1).map(outcome), [-50_000, -50_000, -50_000]);
  const allowed = await withTable(chain, [set("a", "2"), update("x")], BOB);
  assert.equal(outcome(allowed[1]), 1);
});

test("without a place on the list of tables nobody creates one", async () => {
  const chain = await grant(await openTestChain(), TABLES_TABLE, BOB);
  const [receipt] = await run(chain, create("t", "k", "v"));
  assert.equal(outcome(receipt), -50_000);
  const { receipts } = await chain.block(sending(create("t", "k", "v"), BOB));
  assert.equal(outcome(receipts[0]), 0);
});

for (const [at, refused] of [
  [version(2, 3, 0), true],
  [V2_2, false],
] as const) {
  test(`at ${at} the list of the calling account ${refused ? "refuses" : "does not count"}`, async () => {
    const plain = await chainWithTable({ version: at });
    const account = await withAccountRow(plain, ALICE, { key: "nonce", value: "1" });
    const chain = await grant(account, accountTable(ALICE, at), BOB);
    const digits = ALICE.slice(2);
    const text = `Permission denied. ${digits} can't call contract ${digits}`;
    const receipts = await withTable(chain, [set("a", "1"), insert("x"), update("x"), remove("x")]);
    const [made] = await run(chain, create("t2", "k", "v"));
    const results = [...receipts.slice(1), made].map(outcome);
    assert.deepEqual(results, refused ? [text, text, text, text] : [1, 1, 1, 0]);
  });
}

test("rows that are examined and not found count as work", async () => {
  const works: number[] = [];
  const processor = { reportWork: (_: number, work: number) => works.push(work) };
  const chain = await openTestChain({ processor });
  await run(chain, create("t", "name", "a,b"));
  const lookUp = async () => {
    await withTable(chain, [[CONDITION, "EQ(string,string)", "a", "none"], select("x")]);
    return works.at(-1) ?? 0;
  };
  const empty = await lookUp();
  const rows = [...add("x", "", object(4)), ...add("x", "", object(5))];
  await withTable(chain, [...rows, [CONDITION, "limit(int256)", 1n], remove("x")]);
  // One row that is there and one that is removed, one column compared.
  assert.equal((await lookUp()) - empty, 2 * (24 + 60));
});
