// rules: raft 3, pbft 4.2, pbft 4.3, pbft 4.4, pbft 5, pbft 16.3.8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { Hash } from "../../../core/bytes/ids.ts";
import {
  type BlockSize,
  blockSizeAfterCommit,
  blockSizeAfterTimeout,
  ceilingAfterExecution,
  decideSealing,
  initialBlockSize,
  minBlockPause,
  noteExecuted,
  noteOutlived,
  type SealingInput,
  SUSPECT_LIMIT,
  sealLimit,
} from "../../../core/consensus/sealing.ts";

const LEADER: SealingInput = {
  packable: 0,
  lastConsensusMs: 10_000,
  minBlockMs: 500,
  sealLimit: 1_000,
  now: 10_000,
};
const WAIT = (untilMs: number | undefined) => ({ kind: "wait", untilMs });
const SEAL = (limit: number) => ({ kind: "seal", limit });
const EMPTY = { kind: "empty" };

const DECISIONS: readonly (Partial<SealingInput> & { name: string; expected: object })[] = [
  { name: "nothing pending waits one second", expected: WAIT(11_000) },
  { name: "nothing pending just before the second", now: 10_999, expected: WAIT(11_000) },
  { name: "nothing pending for one second", now: 11_000, expected: EMPTY },
  { name: "one pending waits the pause", packable: 1, expected: WAIT(10_500) },
  {
    name: "one pending just before the pause ends",
    packable: 1,
    now: 10_499,
    expected: WAIT(10_500),
  },
  { name: "one pending after the pause", packable: 1, now: 10_500, expected: SEAL(1_000) },
  { name: "a full block goes at once", packable: 1_000, expected: SEAL(1_000) },
  { name: "nearly full waits", packable: 999, expected: WAIT(10_500) },
  { name: "full at a smaller limit", packable: 10, sealLimit: 10, expected: SEAL(10) },
  { name: "pause 0 seals at once", packable: 1, minBlockMs: 0, expected: SEAL(1_000) },
  { name: "pause 1000 acts as 999", packable: 1, minBlockMs: 1_000, expected: WAIT(10_999) },
  { name: "pause 0 does not hurry empty ones", minBlockMs: 0, now: 10_999, expected: WAIT(11_000) },
  {
    name: "a clock set back does not stretch the pause",
    packable: 1,
    now: 4_000,
    expected: WAIT(4_500),
  },
  {
    name: "Raft waits for a transaction",
    neverEmpty: true,
    now: 12_000,
    expected: WAIT(undefined),
  },
  {
    name: "Raft lets a second pass between blocks",
    neverEmpty: true,
    packable: 1,
    minBlockMs: 0,
    now: 10_999,
    expected: WAIT(11_000),
  },
  {
    name: "Raft seals after the second",
    neverEmpty: true,
    packable: 1,
    now: 11_000,
    expected: SEAL(1_000),
  },
  {
    name: "Raft seals a full block at once",
    neverEmpty: true,
    packable: 1_000,
    expected: SEAL(1_000),
  },
];
for (const { name, expected, ...changes } of DECISIONS) {
  test(`sealing: ${name}`, () => {
    assert.deepEqual(decideSealing({ ...LEADER, ...changes }), expected);
  });
}

test("a leader seals or rotates within a second of any time, whatever is pending", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 2_000 }),
      fc.integer({ min: -5, max: 5_000 }),
      fc.nat({ max: 5_000 }),
      (packable, minBlockMs, elapsed) => {
        const input = { ...LEADER, packable, minBlockMs, now: LEADER.lastConsensusMs + elapsed };
        const decision = decideSealing(input);
        if (decision.kind !== "wait") return;
        assert.ok(elapsed < 1_000);
        const { untilMs } = decision;
        assert.ok(untilMs !== undefined && untilMs > input.now);
        assert.notEqual(decideSealing({ ...input, now: untilMs }).kind, "wait");
      },
    ),
  );
});

test("the pause between blocks is kept within 0 and 999", () => {
  assert.deepEqual([-1, 0, 500, 999, 1_000, 9_000].map(minBlockPause), [0, 0, 500, 999, 999, 999]);
});

const SETTINGS = { dynamic: true, increaseRatio: 0.5, txCountLimit: 1_000 };

function afterTimeouts(size: BlockSize, counts: readonly number[]): BlockSize {
  return counts.reduce(blockSizeAfterTimeout, size);
}

test("blocks are halved on every time-out and never below one", () => {
  let size = initialBlockSize(1_000);
  const limits: number[] = [];
  for (let i = 0; i < 11; i++) {
    size = blockSizeAfterTimeout(size, size.limit);
    limits.push(size.limit);
  }
  assert.deepEqual(limits, [500, 250, 125, 62, 31, 15, 7, 3, 1, 1, 1]);
});

test("the smallest count that timed out is remembered, unless it is known to be in time", () => {
  const size = afterTimeouts(initialBlockSize(1_000), [800, 400, 600]);
  assert.equal(size.lastTimeoutCount, 400);
  assert.equal(size.timeoutCount, 3);
  const known = { ...size, maxInTimeCount: 300 };
  assert.equal(blockSizeAfterTimeout(known, 300).lastTimeoutCount, 400);
  assert.equal(blockSizeAfterTimeout(known, 301).lastTimeoutCount, 301);
});

test("a commit first makes good a time-out, then lets blocks grow by half", () => {
  let size = afterTimeouts(initialBlockSize(1_000), [1_000, 500]);
  const limits: number[] = [];
  for (let i = 0; i < 5; i++) {
    size = blockSizeAfterCommit(size, 100, SETTINGS);
    limits.push(size.limit);
  }
  assert.deepEqual(limits, [250, 250, 375, 500, 500]);
});

test("a commit as large as the smallest time-out disproves it", () => {
  const size = { ...initialBlockSize(1_000), limit: 500, lastTimeoutCount: 500 };
  const after = blockSizeAfterCommit(size, 500, SETTINGS);
  assert.deepEqual(after, {
    limit: 550,
    lastTimeoutCount: 550,
    maxInTimeCount: 500,
    timeoutCount: 0,
  });
});

test("a small disproved time-out count doubles", () => {
  const size = { ...initialBlockSize(1_000), limit: 4, lastTimeoutCount: 4 };
  const after = blockSizeAfterCommit(size, 4, SETTINGS);
  assert.deepEqual([after.lastTimeoutCount, after.limit], [8, 6]);
});

test("blocks of one transaction grow again", () => {
  const size = { ...initialBlockSize(1_000), limit: 1, lastTimeoutCount: 100 };
  assert.equal(blockSizeAfterCommit(size, 1, SETTINGS).limit, 2);
});

const RATIOS = [
  { increaseRatio: 0, limit: 101 },
  { increaseRatio: 0.5, limit: 150 },
  { increaseRatio: 2, limit: 300 },
  { increaseRatio: 2.5, limit: 150 },
  { increaseRatio: -1, limit: 150 },
  { increaseRatio: Number.NaN, limit: 150 },
] as const;
for (const { increaseRatio, limit } of RATIOS) {
  test(`increase ratio ${increaseRatio} makes 100 into ${limit}`, () => {
    const size = { ...initialBlockSize(1_000), limit: 100 };
    assert.equal(blockSizeAfterCommit(size, 1, { ...SETTINGS, increaseRatio }).limit, limit);
  });
}

test("a raised tx_count_limit is reached by growth, a lowered one counts at once", () => {
  const size = initialBlockSize(100);
  const raised = { ...SETTINGS, txCountLimit: 200 };
  assert.equal(sealLimit(size, raised), 100);
  assert.equal(blockSizeAfterCommit(size, 100, raised).limit, 150);
  assert.equal(sealLimit(size, { ...SETTINGS, txCountLimit: 40 }), 40);
});

test("without dynamic size every block may be full", () => {
  const size = afterTimeouts(initialBlockSize(1_000), [1_000]);
  assert.equal(sealLimit(size, { ...SETTINGS, dynamic: false }), 1_000);
});

test("the block size stays in its bounds over any history and recovers", () => {
  const events = fc.array(fc.record({ isTimeout: fc.boolean(), share: fc.nat({ max: 100 }) }));
  fc.assert(
    fc.property(events, fc.integer({ min: 1, max: 3_000 }), (history, txCountLimit) => {
      const settings = { ...SETTINGS, txCountLimit };
      let size = initialBlockSize(txCountLimit);
      for (const { isTimeout, share } of history) {
        const count = Math.max(1, Math.floor((sealLimit(size, settings) * share) / 100));
        size = isTimeout
          ? blockSizeAfterTimeout(size, count)
          : blockSizeAfterCommit(size, count, settings);
        assert.ok(size.limit >= 1 && size.limit <= txCountLimit);
        assert.ok(Number.isInteger(size.limit));
      }
      // Full blocks that commit in time lead back to full size.
      for (let i = 0; i < 400 + history.length; i++) {
        size = blockSizeAfterCommit(size, sealLimit(size, settings), settings);
      }
      assert.equal(size.limit, txCountLimit);
    }),
  );
});

function hash(id: number): Hash {
  return `0x${id.toString(16).padStart(64, "0")}` as Hash;
}

test("a transaction is heavy after two proposals that outlived their view", () => {
  const slow = new Set<Hash>();
  const first = { hashes: [1, 2, 3].map(hash), running: undefined };
  assert.deepEqual(noteOutlived(slow, first), []);
  const second = { hashes: [3, 4, 1].map(hash), running: undefined };
  assert.deepEqual(noteOutlived(slow, second), [hash(3), hash(1)]);
});

test("only the transaction that was running is suspected when its name is known", () => {
  const slow = new Set<Hash>();
  const proposal = { hashes: [1, 2, 3].map(hash), running: hash(2) };
  assert.deepEqual(noteOutlived(slow, proposal), []);
  assert.deepEqual(noteOutlived(slow, { ...proposal, running: hash(3) }), []);
  assert.deepEqual(noteOutlived(slow, proposal), [hash(2)]);
});

test("a name that is not in the proposal is ignored", () => {
  const slow = new Set<Hash>();
  const proposal = { hashes: [hash(1)], running: hash(9) };
  noteOutlived(slow, proposal);
  assert.deepEqual(noteOutlived(slow, proposal), [hash(1)]);
});

test("executing in time clears the suspicion", () => {
  const slow = new Set<Hash>();
  const proposal = { hashes: [1, 2].map(hash), running: undefined };
  noteOutlived(slow, proposal);
  noteExecuted(slow, [hash(1)]);
  assert.deepEqual(noteOutlived(slow, proposal), [hash(2)]);
});

test("a proposal without the transaction in between does not clear the suspicion", () => {
  const slow = new Set<Hash>();
  noteOutlived(slow, { hashes: [hash(1)], running: undefined });
  noteExecuted(slow, [hash(2)]);
  assert.deepEqual(noteOutlived(slow, { hashes: [hash(1)], running: undefined }), [hash(1)]);
});

test("suspects are bounded and the oldest is forgotten", () => {
  const slow = new Set<Hash>();
  const hashes = Array.from({ length: SUSPECT_LIMIT + 3 }, (_, i) => hash(i));
  noteOutlived(slow, { hashes, running: undefined });
  assert.equal(slow.size, SUSPECT_LIMIT);
  assert.deepEqual([slow.has(hash(2)), slow.has(hash(3))], [false, true]);
});

const CEILINGS = [
  { ceiling: undefined, transactions: 5, share: 0.1, expected: undefined },
  { ceiling: 10, transactions: 10, share: 0.9, expected: 10 },
  { ceiling: 10, transactions: 10, share: 0.1, expected: 50 },
  { ceiling: 1, transactions: 1, share: 0.000_01, expected: 64 },
  { ceiling: 10, transactions: 10, share: 0, expected: 640 },
  { ceiling: 10, transactions: 1, share: 0.1, expected: 10 },
  { ceiling: 10, transactions: 9, share: 0.9, expected: undefined },
];
for (const { ceiling, transactions, share, expected } of CEILINGS) {
  test(`after ${transactions} of at most ${ceiling} that keep ${share}: ${expected}`, () => {
    assert.equal(ceilingAfterExecution(ceiling, transactions, share), expected);
  });
}
