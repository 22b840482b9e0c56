import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { leaderIndex, maxFaulty, quorum } from "../../../core/consensus/quorum.ts";

// rules: pbft 1, pbft 16.3.1

const TABLE = [
  { sealers: 0, faulty: 0, decide: 0 },
  { sealers: 1, faulty: 0, decide: 1 },
  { sealers: 2, faulty: 0, decide: 2 },
  { sealers: 3, faulty: 0, decide: 3 },
  { sealers: 4, faulty: 1, decide: 3 },
  { sealers: 5, faulty: 1, decide: 4 },
  { sealers: 6, faulty: 1, decide: 5 },
  { sealers: 7, faulty: 2, decide: 5 },
  { sealers: 10, faulty: 3, decide: 7 },
] as const;

for (const { sealers, faulty, decide } of TABLE) {
  test(`${sealers} sealers tolerate ${faulty} faulty and need ${decide} votes`, () => {
    assert.deepEqual([maxFaulty(sealers), quorum(sealers)], [faulty, decide]);
  });
}

test("any two quorums share an honest sealer", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (sealers) => {
      assert.ok(2 * quorum(sealers) - sealers > maxFaulty(sealers));
    }),
  );
});

test("the honest sealers alone are a quorum", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (sealers) => {
      assert.ok(sealers - maxFaulty(sealers) >= quorum(sealers));
    }),
  );
});

test("leadership moves by one with every block and with every view", () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.nat(1_000_000),
      fc.integer({ min: 1, max: 99 }),
      (h, v, n) => {
        const leader = leaderIndex(h, v, n);
        assert.equal(leaderIndex(h + 1, v, n), (leader + 1) % n);
        assert.equal(leaderIndex(h, v + 1, n), (leader + 1) % n);
      },
    ),
  );
});
