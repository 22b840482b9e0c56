/** How results look. */
// rules: console 3, interface 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import {
  codeOutcome,
  DOUBLE_RULE,
  faultDocument,
  faultText,
  formatIds,
  formatJson,
  formatTable,
  outcomeDocument,
  outcomeOf,
  RULE,
} from "../../../../runtimes/tools/console/print.ts";

const HASH = `0x${"ab".repeat(32)}`;

test("objects have four blanks per level, one element per line, none behind : and ,", () => {
  const value = { code: 1, list: [1, { text: "a, b: {c}" }], none: [], nothing: {}, big: 5n };
  const lines = [
    "{",
    '    "code":1,',
    '    "list":[',
    "        1,",
    "        {",
    '            "text":"a, b: {c}"',
    "        }",
    "    ],",
    '    "none":[',
    "        ",
    "    ],",
    '    "nothing":{',
    "        ",
    "    },",
    '    "big":5',
    "}",
  ];
  assert.equal(formatJson(value), lines.join("\n"));
  assert.equal(formatJson([]), "[\n    \n]");
  assert.equal(formatJson("text"), '"text"');
  assert.equal(formatJson(null), "null");
});

test("node IDs are printed one per line without quotes, and an empty list as []", () => {
  assert.equal(formatIds(["aa", "bb"]), "[\n    aa,\n    bb\n]");
  assert.equal(formatIds([]), "[]");
});

test("rules have 93 characters", () => {
  assert.equal(RULE, "-".repeat(93));
  assert.equal(DOUBLE_RULE, "=".repeat(93));
});

test("a code from 0 on is success: 0 as in the interface, or itself with --legacy-retcode", () => {
  const usual = codeOutcome({
    code: 1,
    transactionHash: HASH,
    options: { legacyRetcode: false },
  });
  const lines = [`TransactionHash: ${HASH}`, "{", '    "code":0,', '    "msg":"success"', "}"];
  assert.equal(usual.text, lines.join("\n"));
  assert.deepEqual([usual.code, usual.message], [0, "success"]);
  const legacy = codeOutcome({ code: 1, options: { legacyRetcode: true } });
  assert.equal(legacy.text, '{\n    "code":1,\n    "msg":"Success"\n}');
  const told = { ok: true, code: 1, message: "Success", data: { code: 1, msg: "Success" } };
  assert.deepEqual(JSON.parse(outcomeDocument(legacy)), told);
});

test("a code below 0 fails with the text of the interface and the hash above it", () => {
  const call = { code: -51_101, transactionHash: HASH, options: { legacyRetcode: false } };
  assert.throws(
    () => codeOutcome(call),
    (cause) => {
      assert.ok(cause instanceof ConsoleFault);
      const lines = [
        `TransactionHash: ${HASH}`,
        "{",
        '    "code":-51101,',
        '    "msg":"the last sealer cannot be removed"',
        "}",
      ];
      assert.equal(faultText(cause), lines.join("\n"));
      const told = JSON.parse(faultDocument(cause)) as Record<string, unknown>;
      const message = "the last sealer cannot be removed";
      const expected = { ok: false, code: -51_101, message, transactionHash: HASH, data: null };
      assert.deepEqual(told, expected);
      return true;
    },
  );
});

test("a sentence is printed as it is, and has the exit code as its code for programs", () => {
  const fault = new ConsoleFault("no such file.", { hint: "Look elsewhere." });
  assert.equal(faultText(fault), "no such file.");
  const told = JSON.parse(faultDocument(fault)) as Record<string, unknown>;
  const hint = "Look elsewhere.";
  assert.deepEqual(told, { ok: false, code: 1, message: "no such file.", hint, data: null });
});

test("documents are one line, with big integers as decimal texts", () => {
  const text = outcomeDocument(outcomeOf({ gas: 12n, at: 3 }));
  const told = { ok: true, code: 0, message: "success", data: { gas: "12", at: 3 } };
  assert.deepEqual(JSON.parse(text), told);
  assert.ok(!text.includes("\n"));
});

test("columns are as wide as their widest cell; characters of two places count as two", () => {
  const table = formatTable([
    ["name", "id"],
    ["水果", "1"],
    ["x", "22"],
  ]);
  assert.equal(table, [RULE, "name | id", RULE, "水果 | 1", "x    | 22", RULE].join("\n"));
});
