/** No vector file is forgotten: the index, the folder and the tests name the same files. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ROOT } from "../support/runner/root.ts";
import { readVectors } from "./shared-vectors.ts";

interface IndexRow {
  readonly file: string;
  readonly cases: number;
}

/** Sources of tests below a folder. */
function testSources(folder: string): string {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(ROOT, folder, path), "utf8"))
    .join("\n");
}

test("each vector file of the index is read by a test, whole", () => {
  const sources = testSources("test/vectors") + testSources("test/core");
  const index = readVectors<readonly IndexRow[]>("index-exec.json");
  assert.equal(index.length, 13);
  for (const { file, cases } of index) {
    const rows = readVectors<{ readonly cases: readonly unknown[] }>(file).cases;
    assert.equal(rows.length, cases, file);
    assert.ok(sources.includes(`"${file}"`), `no test reads ${file}`);
  }
});
