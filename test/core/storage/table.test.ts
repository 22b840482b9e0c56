import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { version } from "../../../core/model/version.ts";
import { bytesToRow, rowToBytes } from "../../../core/storage/account-rows.ts";
import { accountTable, familyTable, systemTable } from "../../../core/storage/system-tables.ts";
import {
  compareBytes,
  compareRows,
  isHashedColumn,
  type RowView,
} from "../../../core/storage/table.ts";

// rules: storage 1, 2, 3, 5, tx-block-codec 12.2, 12.5

function row(id: number, columns: Readonly<Record<string, string>>): RowView {
  return { id, status: 0, columns: new Map(Object.entries(columns)) };
}

const ORDERED = [
  row(0, { name: "a", x: "9" }),
  row(0, { name: "a", x: "1", y: "1" }),
  row(0, { name: "a", x: "1", z: "0" }),
  row(0, { name: "b", x: "0" }),
  row(7, { name: "a", x: "0" }),
  row(100, { name: "a", x: "0" }),
];

test("rows are ordered by id, key, number of columns, then column by column", () => {
  for (const [index, left] of ORDERED.entries()) {
    for (const [other, right] of ORDERED.entries()) {
      const order = compareRows("name", left, right);
      assert.equal(Math.sign(order), Math.sign(index - other), `rows ${index} and ${other}`);
    }
  }
});

test("the order of rows is total and does not depend on the order of columns", () => {
  const columns = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("", "1", "2"));
  fc.assert(
    fc.property(columns, columns, (left, right) => {
      const reversed = row(0, Object.fromEntries(Object.entries(left).reverse()));
      const order = compareRows("a", row(0, left), row(0, right));
      assert.equal(compareRows("a", reversed, row(0, right)), order);
      const opposite = compareRows("a", row(0, right), row(0, left));
      assert.equal(Math.sign(opposite) + Math.sign(order), 0);
    }),
  );
});

test("byte strings are compared as bytes", () => {
  const sorted = ["", "A", "_", "a", "\x80", "\xff", "\xff\0"];
  assert.deepEqual([...sorted].reverse().sort(compareBytes), sorted);
});

const COLUMNS = [
  { name: "value", hashed: true },
  { name: "enable_num", hashed: true },
  { name: "_id_", hashed: false },
  { name: "_x", hashed: false },
  { name: "x_", hashed: false },
] as const;
for (const { name, hashed } of COLUMNS) {
  test(`column ${name} is ${hashed ? "" : "not "}part of the state root`, () => {
    assert.equal(isHashedColumn(name), hashed);
  });
}

const NAMES = [
  { family: "account", now: "c_x", before: "_contract_data_x_" },
  { family: "user", now: "u_x", before: "_user_x" },
  { family: "parallel", now: "cp_x", before: "_contract_parafunc_x_" },
] as const;
for (const { family, now, before } of NAMES) {
  test(`${family} tables are named ${now} from 2.2.0 on and ${before} before`, () => {
    assert.equal(familyTable(family, "x", version(2, 2, 0)), now);
    assert.equal(familyTable(family, "x", version(2, 1, 0)), before);
  });
}

test("the table of an account has its 40 digits in the name", () => {
  assert.equal(accountTable(`0x${"ab".repeat(20)}`, version(2, 11, 1)), `c_${"ab".repeat(20)}`);
});

test("counters are a system table outside of the state root, roles one inside", () => {
  assert.equal(systemTable("_sys_current_state_")?.hashed, false);
  assert.equal(systemTable("_sys_consensus_")?.hashed, true);
  assert.equal(systemTable("u_x"), undefined);
});

test("code is kept raw from 2.5.0 on and as digits before", () => {
  const code = new Uint8Array([0, 0x7f, 0xff]);
  assert.equal(bytesToRow(code, version(2, 5, 0)), "\0\x7f\xff");
  assert.equal(bytesToRow(code, version(2, 4, 0)), "007fff");
  for (const chainVersion of [version(2, 4, 0), version(2, 5, 0)]) {
    assert.deepEqual(rowToBytes(bytesToRow(code, chainVersion), chainVersion), code);
  }
  assert.deepEqual(rowToBytes("xyz", version(2, 4, 0)), new Uint8Array(0));
});
