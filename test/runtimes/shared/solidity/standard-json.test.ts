/** Sources that belong together, and places of messages. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  closureOf,
  importsOf,
  linkedCode,
  positionOf,
  resultOf,
} from "../../../../runtimes/shared/solidity/standard-json.ts";

test("every form of import is followed, and none in comments", () => {
  const source = [
    'import "./A.sol";',
    "import * as B from 'lib/B.sol';",
    'import {C as D, E} from "../C.sol";',
    'import F from "F.sol";',
    '// import "no.sol";',
  ].join("\n");
  assert.deepEqual(importsOf(source), ["./A.sol", "lib/B.sol", "../C.sol", "F.sol"]);
});

test("a source is compiled with what it imports, and with nothing else", () => {
  const files = new Map([
    ["dir/Main.sol", 'import "./Part.sol"; import "../Top.sol"; import "missing.sol";'],
    ["dir/Part.sol", 'import "./Main.sol";'],
    ["Top.sol", ""],
    ["Other.sol", ""],
  ]);
  assert.deepEqual([...closureOf("dir/Main.sol", files).keys()].sort(), [
    "Top.sol",
    "dir/Main.sol",
    "dir/Part.sol",
  ]);
});

test("positions count UTF-8 bytes", () => {
  const text = "é中😀x";
  assert.deepEqual(
    [0, 2, 5, 9, 10, 99].map((bytes) => positionOf(text, bytes)),
    [0, 1, 2, 4, 5, 5],
  );
});

test("a message has the line and column of its place", () => {
  const sources = new Map([["a.sol", "// 中文\ncontract A {\n  uint b\n}"]]);
  const start = Buffer.from("// 中文\ncontract A {\n  ").length;
  const location = { file: "a.sol", start, end: start + 6 };
  const errors = [{ severity: "error", message: "no ;", sourceLocation: location }];
  const { diagnostics } = resultOf(JSON.stringify({ errors }), sources);
  assert.deepEqual(diagnostics, [
    { severity: "error", message: "no ;", file: "a.sol", from: 21, to: 27, line: 3, column: 3 },
  ]);
});

test("a place that is only written is found too", () => {
  const sources = new Map([["a.sol", "contract A {\n  uint b\n}"]]);
  const errors = [{ severity: "error", formattedMessage: "a.sol:2:3: ParserError: no" }];
  const { diagnostics } = resultOf(JSON.stringify({ errors }), sources);
  assert.equal(diagnostics[0]?.from, 15);
});

test("the address of a library is put into its places", () => {
  const contract = {
    file: "a.sol",
    name: "A",
    abi: [],
    code: `60${"_".repeat(40)}61`,
    links: [{ library: "L", start: 1 }],
  };
  const address = `0x${"Ab".repeat(20)}`;
  assert.equal(linkedCode(contract, new Map([["L", address]])), `60${"ab".repeat(20)}61`);
});
