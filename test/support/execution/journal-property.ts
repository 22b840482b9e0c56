/**
 * Lets transactions fail at every possible step between others, and compares what lasts with a
 * block in which they did not run.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { callTrees, compileTree, type Tree } from "./call-trees.ts";
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
} from "./journal-world.ts";

/** Statuses that a frame may be made to end with: revert, out of gas, invalid, no permission. */
const FAILURES = [22, 12, 10, 25];
/** Runs in search of the gas values at which the course of a transaction changes. */
const GAS_RUNS = 24;

/** What one tree was worth. */
export interface Seen {
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
      // Frames that fail within a transaction that succeeds are examined one by one elsewhere.
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

/** Runs random trees. Gives what they were worth. @throws what a failure left behind */
export function checkFailures(trees: number, seed: number): Seen {
  const seen: Seen = { failed: 0, courses: 0 };
  const property = fc.property(callTrees(3), (tree) => {
    const { base, sendings } = transactions(tree);
    interleave(base, sendings, seen);
  });
  fc.assert(property, { numRuns: trees, seed });
  return seen;
}

/** Whether one of this many random trees finds a difference. */
export function findsFault(trees: number, seed: number): boolean {
  return fc.sample(callTrees(3), { numRuns: trees, seed }).some((tree) => {
    const { base, sendings } = transactions(tree);
    try {
      interleave(base, sendings, { failed: 0, courses: 0 });
      return false;
    } catch (cause) {
      if (cause instanceof assert.AssertionError) return true;
      throw cause;
    }
  });
}
