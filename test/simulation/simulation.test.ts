/** The simulator in short: schedules, seeds that once failed, rules that must be missed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "vitest";
import { runRange } from "./batch.ts";
import { ACTS, drawOptions, LATER_ACTS, type Mutation, MUTATIONS } from "./options.ts";
import regressions from "./regressions.json" with { type: "json" };
import { runSchedule } from "./schedule.ts";
import { cases } from "../support/runner/cases.ts";

// rules: pbft 15, pbft 16.2, pbft 16.3.1, pbft 16.3.3, pbft 16.3.4, pbft 16.3.5
// rules: pbft 16.3.6
// rules: pbft 16.3.7, pbft 16.3.9, pbft 16.3.10, pbft 16.4

const SEEDS = cases(500, 60);
/** From a seed on, each of these is found within this many schedules. */
const FOUND: readonly {
  readonly mutation: Mutation;
  readonly from?: number;
  readonly within: number;
}[] = [
  { mutation: "certificate", from: 117, within: 5_000 },
  { mutation: "justification", within: 300 },
  { mutation: "durable", within: 50 },
  { mutation: "silence", within: 50 },
  { mutation: "index", within: 50 },
  { mutation: "seal", from: 247, within: 1_000 },
  { mutation: "climb", within: 100 },
  { mutation: "forward", within: 100 },
  { mutation: "promise", within: 50 },
];

test(`${SEEDS} schedules keep agreement and recover`, () => {
  const { totals, failure } = runRange({ from: 1, count: SEEDS, mutation: undefined });
  assert.equal(failure, undefined);
  assert.equal(totals.schedules, SEEDS);
  const FAULTS = [
    "viewChange",
    "crash",
    "tornWrite",
    "partition",
    "roleChange",
    ...ACTS,
    ...LATER_ACTS,
  ];
  for (const sight of [...FAULTS, "twoLocks", "spared"]) {
    assert.ok((totals.seen[sight] ?? 0) > 0, `no schedule saw ${sight}`);
  }
});

test("the same seed gives the same log, byte for byte", () => {
  const digest = (seed: number) => {
    const hash = createHash("sha256");
    runSchedule(drawOptions(seed), (line) => hash.update(`${line}\n`));
    return hash.digest("hex");
  };
  const logs = new Set<string>();
  for (let seed = 1; seed <= 20; seed++) {
    const first = digest(seed);
    assert.equal(digest(seed), first);
    logs.add(first);
  }
  assert.equal(logs.size, 20);
});

for (const { seed, note } of regressions) {
  test(`seed ${seed} holds: ${note}`, () => {
    assert.equal(runSchedule(drawOptions(seed)).failure, undefined);
  });
}

test("every rule that can be left out is tried", () => {
  assert.deepEqual(
    FOUND.map(({ mutation }) => mutation),
    [...MUTATIONS],
  );
});

for (const { mutation, from = 1, within } of FOUND) {
  test(`leaving out the rule "${mutation}" is noticed within ${within} schedules`, () => {
    const { failure } = runRange({ from, count: within, mutation });
    assert.ok(failure);
  });
}
