/**
 * Transactions that fail at every possible step, and what they leave. A failure undoes everything
 * but what the specification keeps:
 *
 * - the nonce of whoever wanted to create, with its account table (execution 3 step 3);
 * - a table that was made and undone stays open until the end of the block, without rows and
 *   without registration. A later creation at such an address stores no code (execution 3, last
 *   sentence), a sender who had no account counts no nonce, a registration of functions is not in
 *   the list;
 * - the numbers of the block's objects (precompiles 1);
 * - opened tables and touched rows, which count for roots only (storage 4.1);
 * - the work done (spec README decision 21).
 *
 * A creation that is refused for want of permission undoes the whole transaction so far and its
 * caller goes on (execution 3 step 1): permission.test.ts has that.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { callTrees, compileTree, type Tree } from "../../support/call-trees.ts";
import {
  ALICE,
  CAROL,
  commitBase,
  GAS_LIMIT,
  type Injection,
  type JournalBase,
  JournalWorld,
  type Run,
  type Sent,
  withoutNonce,
} from "../../support/journal-world.ts";

// rules: execution 3, 5, 6, precompiles 1, storage 4.1, README 21

const TREES = Number(process.env["JOURNAL_TREES"] ?? 5);
const SEED = Number(process.env["JOURNAL_SEED"] ?? 4);
/** Statuses that a frame may be made to end with: revert, out of gas, invalid, no permission. */
const FAILURES = [22, 12, 10, 25];
/** Runs in search of the gas values at which the course of a transaction changes. */
const GAS_RUNS = 24;

/** What one tree was worth. */
interface Seen {
  failed: number;
  courses: number;
}

/** Every injection that makes sense for a transaction which runs like this one. */
function injections({ operations, frames }: Run): Injection[] {
  const all: Injection[] = [];
  for (let exceedsAt = 1; exceedsAt <= operations; exceedsAt++) all.push({ exceedsAt });
  for (let frame = 1; frame <= frames; frame++) {
    for (const status of FAILURES) all.push({ failsAt: { frame, status } });
  }
  return all;
}

/** Gas limits at which the course changes, and their neighbours, found by halving. */
function gasLimits(base: JournalBase, sent: Sent): bigint[] {
  const courses = new Map<bigint, string>();
  const course = (gasLimit: bigint): string => {
    const known = courses.get(gasLimit);
    if (known !== undefined) return known;
    const found = new JournalWorld(base).run(sent, { gasLimit }).course;
    courses.set(gasLimit, found);
    return found;
  };
  const spans: [bigint, bigint][] = [[21_000n, GAS_LIMIT]];
  while (courses.size < GAS_RUNS) {
    const span = spans.shift();
    if (span === undefined) break;
    const [low, high] = span;
    if (high - low < 2n || course(low) === course(high)) continue;
    const middle = (low + high) / 2n;
    spans.push([low, middle], [middle, high]);
  }
  return [...courses.keys()];
}

/** The transactions of a tree: a call of its root, and its root as a constructor. */
function transactions(tree: Tree): { base: JournalBase; sendings: Sent[] } {
  const { codes, root, init } = compileTree(tree);
  const none = new Uint8Array(0);
  const sendings = [
    { from: ALICE, to: root, input: none },
    { from: ALICE, to: null, input: init },
  ];
  return { base: commitBase(codes), sendings };
}

/** Lets a transaction fail in every way between others; what lasts is as without the failures. */
function interleave(base: JournalBase, sendings: readonly Sent[], seen: Seen): void {
  const block = new JournalWorld(base);
  const clean = new JournalWorld(base);
  for (const sent of sendings) {
    const failing = { ...sent, from: CAROL };
    const ways = [
      ...injections(new JournalWorld(base).run(failing)),
      ...gasLimits(base, failing).map((gasLimit) => ({ gasLimit })),
    ];
    for (const way of ways) {
      // Frames that fail within a transaction that succeeds are looked at one by one elsewhere.
      const trial = new JournalWorld(base).run(failing, way);
      seen.courses++;
      if (trial.outcome.status === 0) continue;
      const before = block.rows();
      clean.keepWhatIsKept(block);
      const { outcome } = block.run(failing, way);
      // In this block it may end otherwise, as other transactions ran before; then it lasts.
      if (outcome.status === 0) clean.run(failing, way);
      else {
        seen.failed++;
        const creator = sent.to === null ? CAROL : undefined;
        assert.deepEqual(withoutNonce(block.rows(), creator), withoutNonce(before, creator));
        assert.deepEqual(outcome.logs, []);
      }
    }
    clean.keepWhatIsKept(block);
    const { work: _, ...expected } = clean.run(sent).outcome;
    const { work: __, ...outcome } = block.run(sent).outcome;
    assert.deepEqual(outcome, expected);
    assert.deepEqual(block.rows(), clean.rows());
  }
}

test("a transaction that fails at any step leaves the block as if it had not run", {
  timeout: 300_000,
}, () => {
  const seen: Seen = { failed: 0, courses: 0 };
  const property = fc.property(callTrees(3), (tree) => {
    const { base, sendings } = transactions(tree);
    interleave(base, sendings, seen);
  });
  fc.assert(property, { numRuns: TREES, seed: SEED });
  assert.ok(seen.failed > 10 * TREES, `only ${seen.failed} failures of ${seen.courses}`);
});
