/** Which compiler a source gets, and which opcodes it may use. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  admits,
  evmVersionFor,
  newestFor,
  rangesOf,
} from "../../../../runtimes/shared/solidity/compiler-versions.ts";

const ALL = ["0.4.25", "0.5.2", "0.6.10", "0.7.6", "0.8.11"];

const RANGES = [
  ["^0.4.24", "0.4.25"],
  ["^0.5.0", "0.5.2"],
  ["~0.6.1", "0.6.10"],
  [">=0.4.22 <0.6.0", "0.5.2"],
  [">=0.4.22 < 0.9.0", "0.8.11"],
  [">0.6.10", "0.8.11"],
  ["<=0.7.6", "0.7.6"],
  ["0.6.10", "0.6.10"],
  ["=0.4.25", "0.4.25"],
  ["v0.7.6", "0.7.6"],
  ["0.6.x", "0.6.10"],
  ["0.5", "0.5.2"],
  ["0.4.0 - 0.6.10", "0.6.10"],
  ["^0.4.0 || ^0.7.0", "0.7.6"],
  ["*", "0.8.11"],
  ["^0.8.12", undefined],
  [">0.8", undefined],
  ["nonsense", undefined],
] as const;

for (const [range, wanted] of RANGES) {
  test(`pragma ${range} gets ${wanted ?? "no compiler"}`, () => {
    assert.equal(newestFor([range], ALL), wanted);
  });
}

test("all files that are compiled together must agree", () => {
  assert.equal(newestFor(["^0.6.0", ">=0.4.0"], ALL), "0.6.10");
  assert.equal(newestFor(["^0.6.0", "^0.8.0"], ALL), undefined);
  assert.equal(admits("^1.2.0", "1.9.0"), true);
});

test("pragmas in comments and texts are none", () => {
  const source = "/* pragma solidity ^0.4.0; */ pragma solidity ^0.8.0; // pragma solidity ^0.5.0;";
  assert.deepEqual(rangesOf(source), ["^0.8.0"]);
});

const OPCODES = [
  ["0.4.25", "2.12.0", "byzantium"],
  ["0.5.2", "2.12.0", "constantinople"],
  ["0.6.10", "2.12.0", "istanbul"],
  ["0.8.11", "2.6.0", "istanbul"],
  ["0.8.11", "2.5.0", "constantinople"],
  ["0.8.11", "2.12.0 gm", "istanbul"],
] as const;

for (const [compiler, chain, wanted] of OPCODES) {
  test(`compiler ${compiler} makes ${wanted} code for a chain of version ${chain}`, () => {
    assert.equal(evmVersionFor(compiler, chain), wanted);
  });
}
