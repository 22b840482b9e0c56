/** Ranges of Raft schedules and what came of them. */
import type { RangeResult } from "../batch.ts";
import { addSights, noTotals } from "../sights.ts";
import { drawRaftOptions, type RaftMutation } from "./options.ts";
import { runRaftSchedule } from "./schedule.ts";

/** Seeds [from, from + count), one rule possibly off. */
export interface RaftRange {
  readonly from: number;
  readonly count: number;
  readonly mutation: RaftMutation | undefined;
}

/** Kinds of fault that a run must have seen. */
export const RAFT_REQUIRED = [
  "leaderElected",
  "crash",
  "tornWrite",
  "partition",
  "oneWayPartition",
  "pause",
  "loss",
  "duplication",
  "clockSkew",
  "slowNode",
  "muted",
  "missing",
  "roleChange",
  "download",
  "leaseExpired",
] as const;

/** Runs the schedules of a range in order; it ends at the first failure. */
export function runRaftRange({ from, count, mutation }: RaftRange): RangeResult {
  const totals = noTotals();
  let longestRecoveryMs = 0;
  for (let seed = from; seed < from + count; seed++) {
    const outcome = runRaftSchedule(drawRaftOptions(seed, mutation));
    addSights(totals, outcome.sights);
    longestRecoveryMs = Math.max(longestRecoveryMs, outcome.recoveryMs);
    if (outcome.failure) {
      return { totals, failure: { seed, text: outcome.failure }, longestRecoveryMs };
    }
  }
  return { totals, failure: undefined, longestRecoveryMs };
}
