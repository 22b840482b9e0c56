/**
 * Transactions that fail at every possible step, and what they leave. A failure undoes everything
 * but what the specification keeps:
 *
 * - the nonce of a caller that wanted to create, with its account table (execution 3 step 3);
 * - a table that was made and undone stays open until the end of the block, without rows and
 *   without registration. A later creation at such an address stores no code (execution 3, last
 *   sentence), a sender who had no account counts no nonce, a registration of functions is not in
 *   the list;
 * - the numbers of the block's objects (precompiles 1);
 * - opened tables and touched rows, which count for roots only (storage 4.1);
 * - the work done (decision 21).
 *
 * A creation that is refused for want of permission undoes the whole transaction so far and its
 * caller goes on (execution 3 step 1): permission.test.ts has that.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { cases, TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { checkFailures } from "../../support/execution/journal-property.ts";
import { loadMutant } from "../../support/runner/mutant-module.ts";
import { ROOT } from "../../support/runner/root.ts";

// rules: execution 3, 5, 6, precompiles 1, storage 4.1, README 21

const TREES = Number(process.env["JOURNAL_TREES"] ?? cases(5, 2));
const SEED = Number(process.env["JOURNAL_SEED"] ?? 4);

test("a transaction that fails at any step leaves the block as if it had not run", {
  timeout: 300_000,
}, () => {
  const seen = checkFailures(TREES, SEED);
  assert.ok(seen.failed > 10 * TREES, `only ${seen.failed} failures of ${seen.courses}`);
});

/** Executors with one fault each: what the property must find. */
const FAULTS = [
  {
    name: "a failing frame keeps its logs",
    file: "core/execution/state-host.ts",
    find: "this.logs.length = mark.logs;",
    replace: "",
  },
  {
    name: "a creation that fails keeps its rows",
    file: "core/execution/creation.ts",
    find: "if (!succeeded) host.unwind(mark);",
    replace: "if (!succeeded) host.forget(mark);",
  },
  {
    name: "a transaction out of work keeps its rows",
    file: "core/execution/executive.ts",
    find: "host.unwindAll();",
    replace: "",
  },
  {
    name: "the oldest change of a frame is not undone",
    file: "core/storage/overlay.ts",
    find: "while (this.#log.length > savepoint)",
    replace: "while (this.#log.length > savepoint + 1)",
  },
  {
    name: "an update of a row is not undone",
    file: "core/storage/live-table.ts",
    find: "for (const [name, value] of before) live.columns.set(name, value);",
    replace: "",
  },
] as const;

// The last is of a row, the first of a frame; each fault by itself fails a test of its module.
for (const fault of TAKES_ALL_CASES ? FAULTS : [FAULTS[0], FAULTS[4]]) {
  test(`the property finds that ${fault.name}`, async () => {
    const entry = join(ROOT, "test/support/execution/journal-property.ts");
    const mutant = await loadMutant<typeof import("../../support/execution/journal-property.ts")>(
      entry,
      fault,
    );
    assert.ok(mutant.findsFault(TREES, SEED), `not within ${TREES} trees`);
  });
}
