/** Every `Source:` tag of the repository names a document and a section that are there. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { allTags, flawOf, tagsOf } from "./source-tags.ts";
import { assertNone, ROOT } from "./source-tree.ts";

/** Spelled so that this file has no tag that is none. */
const TAG = "Source" + ":";

test("every source that a comment names is there", () => {
  const tags = allTags();
  assert.ok(tags.length > 1_000, `${tags.length} tags`);
  const offences = tags.flatMap(({ path, line, text }) => {
    const flaw = flawOf(text);
    return flaw === undefined ? [] : [`${path}:${line} ${text}: ${flaw}`];
  });
  assertNone(offences, "CONTRIBUTING.md says how sources are named");
});

test("every source of docs/differences.md is there", () => {
  const page = readFileSync(join(ROOT, "docs", "differences.md"), "utf8");
  const cells = [...page.matchAll(/^\|.*\| ([^|]+) \|$/gm)].map(([, cell = ""]) => cell);
  const offences = cells
    .filter((cell) => !/^(own|Source|-+)$/.test(cell))
    .filter((cell) => flawOf(cell) !== undefined);
  assertNone(offences, "no such section");
});

const GOOD = [
  "pbft 6, 16.3.8; decision 24",
  "rpc-semantics 2.1.2-6",
  "groups 8 (connection_warning)",
  'precompiles "Version steps"',
  "tx-block-codec 0, 2.1",
  "decision 3, 4, 5",
  'ARCHITECTURE "Conventions" (Byte strings)',
  'architecture/storage "Keys of the store" (consensus record)',
  "RFC 6455 5.2; EIP-1193",
] as const;
for (const text of GOOD) {
  test(`a source is found: ${text}`, () => assert.equal(flawOf(text), undefined));
}

const BAD = [
  ["pbft", "a document without a section"],
  ["pbft 17", "a section that is not there"],
  ["pbft 16.3.99", "an item that is not there"],
  ["groups 8 (no such words)", "words that the section lacks"],
  ['precompiles "No heading"', "a heading that is not there"],
  ['architecture/storage "No heading"', "a heading that a page of the design lacks"],
  ['architecture/none "Paths"', "a page of the design that is not there"],
  ["decision 99", "a decision that is not there"],
  ["README 3", "the index, which has decisions alone"],
  ["issue 3 (doctor)", "what is not in the repository"],
  ["guide style 5", "what is not in the repository, with a section"],
  ["pbft 6, raft 7", "two documents without a semicolon"],
  ["", "nothing"],
] as const;
for (const [text, what] of BAD) {
  test(`a source is refused: ${what}`, () => assert.notEqual(flawOf(text), undefined));
}

test("tags are read out of comments of every form, over several lines", () => {
  const text = `/** One. ${TAG} pbft 6 */
/**
 * Two.
 * ${TAG} pbft 6, 7;
 * decision 24
 *
 * More.
 */
  // Three, and
  // four. ${TAG}
  // raft 3
const a = 5; // Five. ${TAG} raft 5`;
  assert.deepEqual(
    tagsOf("a.ts", text).map(({ line, text: told }) => [line, told]),
    [
      [1, "pbft 6"],
      [4, "pbft 6, 7; decision 24"],
      [10, "raft 3"],
      [12, "raft 5"],
    ],
  );
});
