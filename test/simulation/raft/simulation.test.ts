/** The Raft simulator in short: schedules, and rules that must be missed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "vitest";
import { RAFT_REQUIRED, runRaftRange } from "./batch.ts";
import { drawRaftOptions, RAFT_MUTATIONS, type RaftMutation } from "./options.ts";
import { runRaftSchedule } from "./schedule.ts";
import { cases } from "../../support/runner/cases.ts";

// rules: raft 8, raft 9, raft 10

const SEEDS = cases(300, 40);
/** In this schedule the missing rule shows, and how. */
const FOUND: readonly {
  readonly mutation: RaftMutation;
  readonly seed: number;
  readonly text: RegExp;
}[] = [
  { mutation: "durableVote", seed: 12, text: /votes twice/ },
  { mutation: "oneVotePerTerm", seed: 2, text: /votes twice/ },
  { mutation: "currentLeader", seed: 4_165, text: /LOST/ },
  { mutation: "durableEntry", seed: 1, text: /LOST/ },
  { mutation: "ownTermCounts", seed: 669, text: /FORK/ },
  { mutation: "upToDate", seed: 12, text: /LOST/ },
];

test(`${SEEDS} Raft schedules keep agreement and recover`, () => {
  const { totals, failure } = runRaftRange({ from: 1, count: SEEDS, mutation: undefined });
  assert.equal(failure, undefined);
  assert.equal(totals.schedules, SEEDS);
  for (const sight of RAFT_REQUIRED) {
    assert.ok((totals.seen[sight] ?? 0) > 0, `no schedule saw ${sight}`);
  }
});

test("a schedule has 30 s of faults and 1,000 delivered messages, whatever its seed", () => {
  for (let seed = 1_001; seed <= 1_030; seed++) {
    const { chaosMs, delivered } = runRaftSchedule(drawRaftOptions(seed));
    assert.ok(chaosMs >= 30_000 && delivered >= 1_000, `seed ${seed}: ${chaosMs}, ${delivered}`);
  }
});

test("the same seed gives the same log, byte for byte", () => {
  const digest = (seed: number) => {
    const hash = createHash("sha256");
    runRaftSchedule(drawRaftOptions(seed), (line) => hash.update(`${line}\n`));
    return hash.digest("hex");
  };
  const logs = new Set<string>();
  for (let seed = 1; seed <= 10; seed++) {
    const first = digest(seed);
    assert.equal(digest(seed), first);
    logs.add(first);
  }
  assert.equal(logs.size, 10);
});

test("every rule that can be left out is tried", () => {
  assert.deepEqual(
    FOUND.map(({ mutation }) => mutation),
    [...RAFT_MUTATIONS],
  );
});

for (const { mutation, seed, text } of FOUND) {
  test(`leaving out the rule "${mutation}" is noticed in schedule ${seed}`, () => {
    const { failure } = runRaftSchedule(drawRaftOptions(seed, mutation));
    assert.match(failure ?? "", text);
  });
}
