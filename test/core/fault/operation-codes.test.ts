/** The code tables of group management and of precompiled contracts against the interface. */
// rules: interface 7.4, interface 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import { GROUP_CODE } from "../../../core/fault/group-code.ts";
import {
  FURTHER_PRECOMPILED_CODES,
  PRECOMPILED_CODES,
  precompiledCode,
  precompiledMessage,
} from "../../../core/fault/precompiled-code.ts";
import { interfaceSection, tableRows } from "./interface-tables.ts";

test("group codes have the interface's names and numbers", () => {
  const rows = tableRows(interfaceSection("7.4")).map(([code, name]) => [name, Number(code)]);
  assert.equal(rows.length, 15);
  assert.deepEqual(GROUP_CODE, Object.fromEntries(rows));
});

test("precompiled codes have the interface's texts", () => {
  const section = interfaceSection("7.5");
  const expected = [...section.matchAll(/(-?\d+): ([^;]*?)(?: \(SDK[^)]*\))?(?=;|\.\s*$)/gm)];
  assert.equal(expected.length, 52);
  assert.deepEqual(
    Object.values(PRECOMPILED_CODES).map(({ code, message }) => [code, message]),
    expected.map((match) => [Number(match[1]), match[2]]),
  );
});

test("no precompiled code is used twice", () => {
  const rows = [...Object.values(PRECOMPILED_CODES), ...Object.values(FURTHER_PRECOMPILED_CODES)];
  assert.equal(new Set(rows.map(({ code }) => code)).size, rows.length);
});

test("the codes that only contracts return cover the reference's further ones", () => {
  const codes = Object.values(FURTHER_PRECOMPILED_CODES).map(({ code }) => code);
  const range = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, i) => from - i);
  const expected = [-51503, -51906, -51907, ...range(-51400, -51406), ...range(-53000, -53008)];
  assert.deepEqual(codes.toSorted(), expected.toSorted());
});

test("a code is found by name and its text by number", () => {
  assert.equal(precompiledCode("lastSealer"), -51101);
  assert.equal(precompiledCode("chargerMissing"), -53007);
  assert.equal(precompiledMessage(-51101), "the last sealer cannot be removed");
  assert.equal(precompiledMessage(-1), undefined);
});
