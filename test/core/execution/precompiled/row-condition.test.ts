import assert from "node:assert/strict";
import { test } from "vitest";
import {
  type ConditionOperator,
  RowCondition,
} from "../../../../core/execution/precompiled/row-condition.ts";
import { NEWEST_VERSION, version, type Version } from "../../../../core/model/version.ts";
import type { RowView } from "../../../../core/storage/table.ts";
import { readVectors, vectorTests } from "../../../vectors/shared-vectors.ts";

// rules: precompiles 5, 6, storage 4

const TABLE = { name: "u_t", keyField: "key", fields: [], hashed: true };

type Operation = readonly [operator: ConditionOperator, column: string, value: string];
type Columns = Readonly<Record<string, string>>;

function matches(row: Columns, operations: readonly Operation[], at: Version = NEWEST_VERSION) {
  const condition = new RowCondition();
  for (const operation of operations) condition.add(...operation);
  const view: RowView = { id: 1, status: 0, columns: new Map(Object.entries(row)) };
  const { test: passes } = condition.filter(TABLE, "k", at);
  return passes === undefined || passes(view);
}

interface ConditionRow {
  readonly name: string;
  readonly row: Columns;
  readonly operations: readonly (readonly [string, string, string])[];
  readonly match: boolean;
}

vectorTests(({ row: declare }) => {
  for (const vector of readVectors<{ cases: readonly ConditionRow[] }>("exec-condition.json")
    .cases) {
    declare(`exec-condition: ${vector.name}`, () => {
      const operations = vector.operations.map(
        ([name, column, value]) =>
          [name.toLowerCase() as ConditionOperator, column, value] as const,
      );
      assert.equal(matches(vector.row, operations), vector.match);
    });
  }
});

const OLD = version(2, 2, 0);
const CASES: readonly {
  readonly row: Columns;
  readonly when: readonly Operation[];
  readonly is: boolean;
  readonly at?: Version;
}[] = [
  { row: { a: "x" }, when: [["ne", "a", "y"]], is: true },
  { row: { a: "x" }, when: [["ne", "a", "x"]], is: false },
  // As greater and less at once, which no number is.
  { row: { a: "5" }, when: [["ne", "a", "6"]], is: false, at: OLD },
  { row: { a: "6" }, when: [["eq", "a", "6"]], is: true, at: OLD },
  // Equal bounds that both exclude are inequality.
  {
    row: { a: "9" },
    when: [
      ["gt", "a", "5"],
      ["lt", "a", "5"],
    ],
    is: true,
  },
  {
    row: { a: "9" },
    when: [
      ["ge", "a", "9"],
      ["le", "a", "9"],
    ],
    is: true,
  },
  {
    row: { a: "09" },
    when: [
      ["ge", "a", "9"],
      ["le", "a", "9"],
    ],
    is: false,
  },
  {
    row: { a: "9" },
    when: [
      ["gt", "a", "9"],
      ["le", "a", "9"],
    ],
    is: false,
  },
  // A later operator replaces the side that it sets, and no other.
  {
    row: { a: "9" },
    when: [
      ["gt", "a", "50"],
      ["gt", "a", "5"],
    ],
    is: true,
  },
  {
    row: { a: "9" },
    when: [
      ["eq", "a", "7"],
      ["gt", "a", "5"],
    ],
    is: false,
  },
  {
    row: { a: "6" },
    when: [
      ["eq", "a", "7"],
      ["gt", "a", "5"],
    ],
    is: true,
  },
  { row: { a: "" }, when: [["lt", "a", "1"]], is: true },
  // An empty field is 0, an empty bound is no number.
  { row: { a: "" }, when: [["le", "a", ""]], is: false },
  { row: { a: "5" }, when: [["ge", "a", ""]], is: false },
  { row: { a: "-5" }, when: [["lt", "a", ""]], is: false },
  { row: { a: "" }, when: [["eq", "a", ""]], is: true },
  { row: { a: "1" }, when: [["ne", "a", ""]], is: true },
  { row: { a: "+7" }, when: [["gt", "a", "6"]], is: true },
  { row: { a: "-7" }, when: [["lt", "a", "-6"]], is: true },
  { row: { a: "1x" }, when: [["gt", "a", "0"]], is: false },
  { row: { a: "5" }, when: [["gt", "a", "x"]], is: false },
  { row: { a: "9223372036854775807" }, when: [["gt", "a", "0"]], is: true },
  { row: { a: "9223372036854775808" }, when: [["gt", "a", "0"]], is: false },
  { row: { a: "5" }, when: [["eq", "b", ""]], is: false },
  {
    row: { a: "5" },
    when: [
      ["eq", "_b", "1"],
      ["eq", "b_", "1"],
    ],
    is: true,
  },
  { row: { key: "k" }, when: [["eq", "key", "other"]], is: true },
];
for (const { row, when, is, at } of CASES) {
  test(`${JSON.stringify(row)} with ${JSON.stringify(when)} at ${at ?? "the newest"}: ${is}`, () => {
    assert.equal(matches(row, when, at), is);
  });
}

test("a condition without a range has no test, even with a limit", () => {
  const condition = new RowCondition();
  assert.deepEqual(condition.filter(TABLE, "k", NEWEST_VERSION), { columns: 0 });
  condition.limit(2, 3);
  const limited = { columns: 0, offset: 2, count: 3 };
  assert.deepEqual(condition.filter(TABLE, "k", NEWEST_VERSION), limited);
});

test("a negative number of a limit takes the limit away", () => {
  const condition = new RowCondition();
  for (const [offset, count] of [
    [-1, 1],
    [0, -1],
  ] as const) {
    condition.limit(2, 3);
    condition.limit(offset, count);
    assert.deepEqual(condition.filter(TABLE, "k", NEWEST_VERSION), { columns: 0 });
  }
});

test("the key of one table stays for the next, and only the last key of a table", () => {
  const condition = new RowCondition();
  const other = { ...TABLE, keyField: "id" };
  const rowOf = (key: string): RowView => ({
    id: 1,
    status: 0,
    columns: new Map([
      ["id", "i"],
      ["key", key],
    ]),
  });
  condition.add("ge", "key", "5");
  for (const key of ["a", "b"]) condition.filter(TABLE, key, NEWEST_VERSION);
  const { test: passes, columns } = condition.filter(other, "i", NEWEST_VERSION);
  assert.deepEqual([passes?.(rowOf("a")), passes?.(rowOf("b")), columns], [false, true, 1]);
  // Internal columns are not compared.
  const inner = new RowCondition();
  inner.filter({ ...TABLE, keyField: "key_" }, "a", NEWEST_VERSION);
  assert.deepEqual(inner.filter(other, "i", NEWEST_VERSION), { columns: 0 });
});
