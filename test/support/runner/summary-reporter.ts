/** Writes the runner's own counts to the file that TEST_SUMMARY names, for .ci/run. */
import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

function add(counts: Counts, module: TestModule): void {
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === "passed") counts.passed++;
    else if (state === "skipped") counts.skipped++;
    else counts.failed++;
  }
  // A file that cannot be loaded, or a hook that fails, has no test to carry its error.
  if (module.errors().length > 0) counts.failed++;
  for (const suite of module.children.allSuites()) {
    if (suite.errors().length > 0) counts.failed++;
  }
}

/** Counts tests; errors outside of tests count as failures, so that a failed run never reads 0. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: "passed" | "interrupted" | "failed",
  ): void {
    const file = process.env["TEST_SUMMARY"];
    if (file === undefined) return;
    const counts: Counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) add(counts, module);
    if (reason !== "passed" && counts.failed === 0) counts.failed++;
    writeFileSync(
      file,
      `${counts.skipped} skipped\n${counts.passed} passed, ${counts.failed} failed\n`,
    );
  }
}
