import assert from "node:assert/strict";
import { test } from "vitest";
import { compactJson } from "../../../../core/execution/precompiled/json-text.ts";

// rules: precompiles 8, 9, 12

test("JSON of contracts is one line with sorted keys and a line feed", () => {
  const value = { b: ["1", null], a: { d: "", c: [] } };
  assert.equal(compactJson(value), '{"a":{"c":[],"d":""},"b":["1",null]}\n');
  assert.equal(compactJson([]), "[]\n");
  assert.equal(compactJson(null), "null\n");
});

test("only quotes, back-slashes and control characters are escaped", () => {
  const escaped = '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001F/\u00e9\u007f"\n';
  assert.equal(compactJson('"\\\b\f\n\r\t\0\u001f/\u00e9\u007f'), escaped);
});
