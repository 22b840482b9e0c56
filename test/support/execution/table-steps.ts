/** Blocks of calls of a user table and its objects, and what comes of them. */
import assert from "node:assert/strict";
import type { AbiValue } from "../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import type { Version } from "../../../core/model/version.ts";
import { encodeCall, errorText, int256 } from "./table-calls.ts";
import { ALICE, openTestChain, type TestChain } from "./test-chain.ts";

export const FACTORY = addressOfNumber(0x1001);
/** The nth object of a block. */
export const object = (number: number): Address => addressOfNumber(0x10000 + number);

export type Step = readonly [to: Address, signature: string, ...values: AbiValue[]];

export const sending = ([to, signature, ...values]: Step, from: Address = ALICE) => ({
  from,
  to,
  input: encodeCall(signature, ...values),
});

export async function run(chain: TestChain, ...steps: Step[]): Promise<readonly Receipt[]> {
  return (await chain.block(...steps.map((step) => sending(step)))).receipts;
}

/** Status 0 and the number, or the failure's text. */
export function outcome(receipt: Receipt | undefined): number | string {
  assert.ok(receipt);
  if (receipt.status === 0) return int256(receipt.output);
  assert.equal(receipt.status, 21);
  return errorText(receipt.output) ?? "";
}

export const create = (name: string, key: string, fields: string): Step => [
  FACTORY,
  "createTable(string,string,string)",
  name,
  key,
  fields,
];

export const HIDDEN = "PrecompiledError";

/** A block of objects: table 1, entry 2, condition 3, then the steps. */
export async function withTable(chain: TestChain, steps: readonly Step[], from: Address = ALICE) {
  const head: Step[] = [
    [FACTORY, "openTable(string)", "t"],
    [object(1), "newEntry()"],
    [object(1), "newCondition()"],
  ];
  const { receipts } = await chain.block(...[...head, ...steps].map((step) => sending(step, from)));
  return receipts.slice(head.length);
}

export async function chainWithTable(options: { version?: Version } = {}): Promise<TestChain> {
  const chain = await openTestChain(options);
  await run(chain, create("t", "name", "a,b"));
  return chain;
}

export const [TABLE, ENTRY, CONDITION] = [object(1), object(2), object(3)];
export const set = (column: string, value: string, entry = ENTRY): Step => [
  entry,
  "set(string,string)",
  column,
  value,
];
/** One more row under a key, of an entry of its own, which becomes that object. */
export const add = (key: string, value: string, entry: Address): Step[] => [
  [TABLE, "newEntry()"],
  set("a", value, entry),
  insert(key, entry),
];
export const insert = (key: string, entry = ENTRY): Step => [
  TABLE,
  "insert(string,address)",
  key,
  entry,
];
export const update = (key: string, entry = ENTRY, condition = CONDITION): Step => [
  TABLE,
  "update(string,address,address)",
  key,
  entry,
  condition,
];
export const remove = (key: string, condition = CONDITION): Step => [
  TABLE,
  "remove(string,address)",
  key,
  condition,
];
export const select = (key: string): Step => [TABLE, "select(string,address)", key, CONDITION];
