/** What a run leaves to `npm run soak -- regress` has something that stands for it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { REGRESS_FILES } from "../support/runner/regress-files.ts";
import { listFiles, ROOT } from "./source-tree.ts";

const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

for (const [path, [standIn, words]] of Object.entries(REGRESS_FILES)) {
  test(`${path} is there, and every run has what stands for it`, () => {
    assert.ok(existsSync(join(ROOT, path)), "take its row away");
    assert.ok(!(standIn in REGRESS_FILES), `${standIn} is left out itself`);
    assert.ok(textOf(standIn).includes(words), `${standIn} has not: ${words}`);
  });
}

test("a comment above each test that is left out says what stands for it", () => {
  const files = listFiles("test").filter((path) => path.endsWith(".ts"));
  const silent = files
    .filter((path) => !path.endsWith("/in-full.ts"))
    .flatMap((path) => {
      const lines = textOf(path).split("\n");
      return lines.flatMap((line, at) => {
        const isOne = /^\s*inFull(All)?\(/.test(line);
        return isOne && !/^\s*\/\/ /.test(lines[at - 1] ?? "") ? [`${path}:${at + 1}`] : [];
      });
    });
  assert.deepEqual(silent, []);
});
