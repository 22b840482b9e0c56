/** What people type into the fields of a form. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AbiType, parseAbiType } from "../../../core/abi/type.ts";
import {
  emptyDraft,
  type FieldFault,
  readDraft,
} from "../../../web/workbench/contracts/field-value.ts";

function typeOf(text: string): AbiType {
  const type = parseAbiType(text);
  assert.ok(type, text);
  return type;
}

function read(text: string, draft: string | readonly string[]) {
  const faults = new Map<string, FieldFault>();
  const value = readDraft(typeOf(text), draft, "0", faults);
  return { value, faults: [...faults].map(([path, { key }]) => [path, key]) };
}

const GOOD = [
  ["uint256", "1_000", 1000n],
  ["uint256", "1,234,567", 1_234_567n],
  ["uint256", "1.5e18", 1_500_000_000_000_000_000n],
  ["uint8", " 255 ", 255n],
  ["int8", "-128", -128n],
  ["int256", "-0xff", -255n],
  ["uint256", "0xFF", 255n],
  ["bool", "true", true],
  ["bytes", "0x00ff", "0x00ff"],
  ["bytes", '"é"', "0xc3a9"],
  ["bytes4", "0x01020304", "0x01020304"],
  ["bytes4", '"ab"', "0x61620000"],
  ["string", " as it is ", " as it is "],
  ["address", `0x${"Ab".repeat(20)}`, `0x${"ab".repeat(20)}`],
] as const;

for (const [type, text, wanted] of GOOD) {
  test(`${type} takes ${text}`, () => {
    const { value, faults } = read(type, text);
    assert.deepEqual(faults, []);
    assert.equal(typeof value === "string" ? value.toLowerCase() : value, wanted);
  });
}

const BAD = [
  ["uint8", "256", "workbench.field.range"],
  ["uint8", "-1", "workbench.field.range"],
  ["int8", "128", "workbench.field.range"],
  ["uint256", "", "workbench.field.integer"],
  ["uint256", "1.5", "workbench.field.integer"],
  ["uint256", "1,5", "workbench.field.integer"],
  ["uint256", "0,25", "workbench.field.integer"],
  ["uint256", "12a", "workbench.field.integer"],
  ["address", "0x12", "workbench.field.address"],
  ["address", "ab".repeat(20), "workbench.field.address"],
  ["bytes", "0x0", "workbench.field.bytes"],
  ["bytes", "abc", "workbench.field.bytes"],
  ["bytes4", "0x0102", "workbench.field.size"],
  ["bytes2", '"abc"', "workbench.field.size"],
] as const;

for (const [type, text, key] of BAD) {
  test(`${type} refuses ${text === "" ? "nothing" : text}`, () => {
    assert.deepEqual(read(type, text).faults, [["0", key]]);
  });
}

test("an array of very many items is one field for JSON", () => {
  const type = typeOf("uint256[100]");
  assert.equal(emptyDraft(type), "");
  const read = (text: string) => {
    const faults = new Map<string, FieldFault>();
    return { value: readDraft(type, text, "0", faults), faults: [...faults.keys()] };
  };
  assert.deepEqual(read('[1, "0xff"]'), { value: [1n, 255n], faults: [] });
  for (const bad of ["", "1", "{}", "[1.5]", "[9007199254740993]"]) {
    assert.deepEqual(read(bad).faults, ["0"], bad);
  }
  assert.deepEqual(read('[1, "x"]').faults, ["0.1"]);
});

test("items and members are read each at its place, and faults name it", () => {
  const type = typeOf("(uint8 small,address[] who)[2]");
  const draft = emptyDraft(type);
  assert.deepEqual(draft, [
    ["", []],
    ["", []],
  ]);
  const filled = [
    ["7", []],
    ["", ["0x1"]],
  ];
  const faults = new Map<string, FieldFault>();
  const value = readDraft(type, filled, "3", faults);
  assert.deepEqual([...faults.keys()], ["3.1.0", "3.1.1.0"]);
  assert.deepEqual((value as unknown[])[0], [7n, []]);
});
