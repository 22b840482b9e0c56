/**
 * The page about the report's files says what the types say. To write it anew:
 * REWRITE_REFERENCE=1 npx vitest run test/runtimes/shared/benchmark/report-reference.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { benchmarkReference } from "../../../support/reference/benchmark-reference.ts";
import { ROOT } from "../../../support/runner/root.ts";

const FILE = join(ROOT, "docs", "reference", "benchmark-report.md");

test("the reference of the report's files is what the code says", () => {
  const right = benchmarkReference();
  if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(FILE, right);
  expect(readFileSync(FILE, "utf8")).toBe(right);
});
