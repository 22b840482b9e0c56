import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8ByteString } from "../../../../core/bytes/byte-string.ts";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { PrecompiledFault } from "../../../../core/execution/precompiled/contract.ts";
import { requireShowable } from "../../../../core/execution/precompiled/table-limits.ts";
import type { Receipt } from "../../../../core/model/receipt.ts";
import { version } from "../../../../core/model/version.ts";
import { grant } from "../../../support/execution/added-rows.ts";
import {
  answerValues,
  encodeCall,
  errorText,
  int256,
} from "../../../support/execution/table-calls.ts";
import { BOB, openTestChain, type TestChain } from "../../../support/execution/test-chain.ts";

// rules: precompiles 2, 3, 6, execution 6, 8

const FACTORY = addressOfNumber(0x1001);
const CRUD = addressOfNumber(0x1002);

const SIGNATURES = {
  insert: "insert(string,string,string,string)",
  update: "update(string,string,string,string,string)",
  remove: "remove(string,string,string,string)",
  select: "select(string,string,string,string)",
  desc: "desc(string)",
} as const;

/** A call; `optional`, which nothing reads, is added to all but desc. */
function crud(method: keyof typeof SIGNATURES, ...texts: string[]) {
  const all = method === "desc" ? texts : [...texts, ""];
  const input = encodeCall(SIGNATURES[method], ...all.map(utf8ByteString));
  return { to: CRUD, input };
}

async function openChain(options: { version?: number } = {}): Promise<TestChain> {
  const chain = await openTestChain(options);
  const signature = "createTable(string,string,string)";
  await chain.send({ to: FACTORY, input: encodeCall(signature, "t", "name", "a,b") });
  return chain;
}

/** A number, a text, or the failure's text after `!`. */
function outcome(receipt: Receipt): number | string {
  if (receipt.status !== 0) return `!${errorText(receipt.output)}`;
  if (receipt.output.length === 32) return int256(receipt.output);
  return String(answerValues("(string)", receipt.output)[0]);
}

async function results(
  chain: TestChain,
  ...calls: { readonly to: Address; readonly input: Uint8Array }[]
): Promise<(number | string)[]> {
  return (await chain.block(...calls)).receipts.map(outcome);
}

/** The rows of a select. */
async function rows(chain: TestChain, key: string, condition = "{}"): Promise<unknown> {
  const [text] = await results(chain, crud("select", "t", key, condition));
  return typeof text === "number" || text?.startsWith("!") ? text : JSON.parse(String(text));
}

const REFUSED = "!PrecompiledError";
const KEY = "k".repeat(255);
const INSERTS: readonly (readonly [key: string, entry: string, result: number | string])[] = [
  ["x", '{"a":"1","b":"one"}', 1],
  ["x", "{}", 1],
  ["x", "null", 1],
  ["", '{"a":"1"}', 1],
  ["x", '{"a":5,"b":true}', 1],
  ["x", '{"name":"other","a":"9"}', 1],
  ["x", '{"_id_":"5","_num_":"6","_status_":"7"}', 1],
  [KEY, "{}", 1],
  [`${KEY}k`, "{}", "!size of value/key greater than255"],
  ["x", '{"c":"1"}', REFUSED],
  ["x", '{"_hash_":"1"}', REFUSED],
  ["x", '{"a":{"b":1}}', REFUSED],
  ["x", "[]", REFUSED],
  ["x", '"s"', REFUSED],
  ["x", "", -51_500],
  ["x", '{"a"1}', -51_500],
];
test("the length of a key is examined before the table and the entry", async () => {
  const chain = await openChain();
  const tooLong = "!size of value/key greater than255";
  for (const [table, entry] of [
    ["none", "{}"],
    ["t", "no JSON"],
  ] as const) {
    const calls = [`${KEY}k`, KEY].map((key) => crud("insert", table, key, entry));
    assert.deepEqual(await results(chain, ...calls), [tooLong, table === "t" ? -51_500 : -50_100]);
  }
});

for (const [key, entry, result] of INSERTS) {
  test(`insert of ${entry} under ${key.length} bytes of key: ${result}`, async () => {
    const chain = await openChain();
    assert.deepEqual(await results(chain, crud("insert", "t", key, entry)), [result]);
  });
}

async function filledChain(options: { version?: number } = {}): Promise<TestChain> {
  const chain = await openChain(options);
  const entries = ['{"a":"1","b":"one"}', '{"a":"2"}', '{"a":"10","b":"x"}'];
  // A block each: rows of one block are stored in an order of their own.
  for (const entry of entries) await chain.send(crud("insert", "t", "x", entry));
  return chain;
}

const one = { a: "1", b: "one", name: "x" };
const two = { a: "2", name: "x" };
const ten = { a: "10", b: "x", name: "x" };
const SELECTS: readonly (readonly [condition: string, result: unknown])[] = [
  ["{}", [one, two, ten]],
  ["null", [one, two, ten]],
  ['{"a":{"eq":"2"}}', [two]],
  ['{"a":{"ne":"2"}}', [one, ten]],
  ['{"a":{"gt":"2"}}', [ten]],
  ['{"a":{"ge":2}}', [two, ten]],
  ['{"a":{"lt":"2"}}', [one]],
  ['{"a":{"le":"2"}}', [one, two]],
  ['{"a":{"gt":"1","lt":"10"}}', [two]],
  ['{"b":{"eq":"x"}}', [ten]],
  ['{"c":{"eq":"x"}}', []],
  ['{"_c":{"foo":1}}', [one, two, ten]],
  ['{"name":{"eq":"other"}}', [one, two, ten]],
  ['{"limit":{"limit":"1,1"}}', [two]],
  ['{"a":{"ge":"2"},"limit":{"limit":"1,5"}}', [ten]],
  ['{"limit":{"limit":"1"}}', REFUSED],
  ['{"limit":{"limit":"a,b"}}', REFUSED],
  ['{"limit":{"limit":"-1,1"}}', [one, two, ten]],
  ['{"a":{"limit":"0,1"},"limit":{"limit":"-1,1"}}', [one, two, ten]],
  ['{"a":{"ge":""}}', []],
  ['{"b":{"le":null}}', []],
  ['{"limit":{"limit":"0,1,x"}}', [one]],
  ['{"limit":{"limit":"+00000000000,+1"}}', [one]],
  ['{"limit":{"limit":"0,2147483647"}}', [one, two, ten]],
  ['{"limit":{"limit":"0,2147483648"}}', REFUSED],
  ['{"limit":{"limit":"0,9999999999"}}', REFUSED],
  ['{"limit":{"limit":"0,1x"}}', REFUSED],
  ['{"limit":{"limit":" 0,1"}}', REFUSED],
  ['{"limit":{"limit":"0,"}}', REFUSED],
  ['{"limit":{"limit":"0,-1"}}', [one, two, ten]],
  ['{"a":"1"}', REFUSED],
  ["[]", REFUSED],
  ['{"a":{"foo":"1"}}', -51_502],
  ['{"a":{"eq":"1"}', -51_501],
  ["", -51_501],
];
for (const [condition, result] of SELECTS) {
  test(`select with ${condition || "nothing"} gives ${JSON.stringify(result)}`, async () => {
    assert.deepEqual(await rows(await filledChain(), "x", condition), result);
  });
}

test("a select prints rows in styled form, user columns with internal names too", async () => {
  const chain = await openChain();
  await results(chain, crud("insert", "t", "x", '{"b":"é\\n","_id_":"5"}'));
  const [text] = await results(chain, crud("select", "t", "x", "{}"));
  const lines = ["[", "   {", '      "_id_" : "5",', '      "b" : "é\\n",', '      "name" : "x"'];
  assert.equal(text, utf8ByteString([...lines, "   }", "]\n"].join("\n")));
  assert.deepEqual(await results(chain, crud("select", "t", "none", "{}")), ["[]\n"]);
});

test("the table of tables may be selected by its own name, other system tables may not", async () => {
  const chain = await openChain();
  const call = crud("select", "_sys_tables_", "u_t", "{}");
  const [text] = await results(chain, call);
  const row = { key_field: "name", table_name: "u_t", value_field: "a,b" };
  assert.deepEqual(JSON.parse(String(text)), [row]);
  const config = crud("select", "_sys_config_", "tx_count_limit", "{}");
  assert.deepEqual(await results(chain, config), [-50_100]);
});

test("updates and removals change what the condition means", async () => {
  const chain = await filledChain();
  const update = (condition: string) => crud("update", "t", "x", '{"b":"new"}', condition);
  assert.deepEqual(await results(chain, update('{"a":{"ge":"2"}}')), [2]);
  assert.deepEqual(await results(chain, update('{"a":{"eq":"99"}}')), [0]);
  assert.deepEqual(await results(chain, crud("remove", "t", "x", '{"a":{"eq":"1"}}')), [1]);
  assert.deepEqual(await rows(chain, "x"), [
    { ...two, b: "new" },
    { ...ten, b: "new" },
  ]);
  const limited = '{"limit":{"limit":"1,1"}}';
  assert.deepEqual(await results(chain, crud("remove", "t", "x", limited)), [1]);
  assert.deepEqual(await rows(chain, "x"), [{ ...two, b: "new" }]);
});

const UPDATES: readonly (readonly [entry: string, condition: string, result: number | string])[] = [
  ['{"c":"1"}', "{}", REFUSED],
  ['{"a":[]}', "{}", REFUSED],
  ["bad", "{}", -51_500],
  ['{"a":"1"}', "bad", -51_501],
  ['{"a":"1"}', '{"a":{"foo":"1"}}', -51_502],
  ['{"name":"y"}', "{}", -51_503],
];
for (const [entry, condition, result] of UPDATES) {
  test(`update of ${entry} with ${condition}: ${result}`, async () => {
    const call = crud("update", "t", "x", entry, condition);
    assert.deepEqual(await results(await filledChain(), call), [result]);
  });
}

test("before 2.7.0 an update may name the key column, which stays as it is", async () => {
  const chain = await filledChain({ version: version(2, 6, 0) });
  const call = crud("update", "t", "x", '{"name":"y","b":"new"}', '{"a":{"eq":"1"}}');
  assert.deepEqual(await results(chain, call), [1]);
  assert.deepEqual(await rows(chain, "x", '{"a":{"eq":"1"}}'), [{ ...one, b: "new" }]);
});

test("a missing table and an unknown function have codes of their own", async () => {
  const chain = await openChain();
  const calls = [
    crud("insert", "none", "x", "{}"),
    crud("update", "none", "x", "{}", "{}"),
    crud("remove", "none", "x", "{}"),
    crud("select", "none", "x", "{}"),
    { to: CRUD, input: encodeCall("nope(string)", "t") },
  ];
  const missing = -50_100;
  assert.deepEqual(await results(chain, ...calls), [missing, missing, missing, missing, -50_101]);
});

test("who is not on the table's list is refused, whatever contract calls", async () => {
  const chain = await grant(await filledChain(), "u_t", BOB);
  const calls = [
    crud("insert", "t", "x", "{}"),
    crud("update", "t", "x", '{"a":"1"}', "{}"),
    crud("remove", "t", "x", "{}"),
  ];
  assert.deepEqual(await results(chain, ...calls), [-50_000, -50_000, -50_000]);
  const receipts = await Promise.all(
    calls.slice(0, 1).map((call) => chain.send({ ...call, from: BOB })),
  );
  assert.deepEqual(receipts.map(outcome), [1]);
  assert.deepEqual(await rows(chain, "x", '{"b":{"eq":"one"}}'), [one]);
});

test("desc tells the columns of a table and is charged for the row that it reads", async () => {
  const chain = await openChain();
  const { receipts } = await chain.block(crud("desc", "t"), crud("desc", "none"));
  const [found, missing] = receipts;
  assert.ok(found && missing);
  assert.deepEqual(answerValues("(string,string)", found.output), ["name", "a,b"]);
  assert.deepEqual(answerValues("(string,string)", missing.output), ["", ""]);
  const base = (input: Uint8Array) =>
    input.reduce((gas, byte) => gas + (byte === 0 ? 4n : 68n), 21_000n);
  const words = (output: Uint8Array) => BigInt(3 * Math.ceil(output.length / 32));
  assert.equal(found.gasUsed - base(crud("desc", "t").input), 400n + words(found.output));
  assert.equal(missing.gasUsed - base(crud("desc", "none").input), 200n + words(missing.output));
});

test("rows of more than 16 MiB, escapes counted, are not made into one text", () => {
  const row = (bytes: number, letter = "x") => ({
    id: 1,
    status: 0,
    columns: new Map([["v", letter.repeat(bytes - 1)]]),
  });
  const quarter = 4 * 1024 * 1024;
  const most = [row(quarter), row(quarter), row(quarter), row(quarter)];
  requireShowable(most);
  assert.throws(() => requireShowable([...most, row(1)]), PrecompiledFault);
  const sixth = Math.floor((4 * quarter) / 6);
  requireShowable([row(sixth, "\u0001")]);
  assert.throws(() => requireShowable([row(sixth + 2, "\u0001")]), PrecompiledFault);
});
