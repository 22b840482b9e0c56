/** Ranges of whole-node schedules and what came of them. */
import type { RangeResult } from "../batch.ts";
import { addSights, noTotals } from "../sights.ts";
import { ACTS, drawPartialOptions, drawWholeOptions, type WholeMutation } from "./options.ts";
import { runWholeSchedule } from "./schedule.ts";

/** Seeds [from, from + count), something possibly broken on purpose. */
export interface WholeRange {
  readonly from: number;
  readonly count: number;
  /** Drawn by each seed where it is undefined. */
  readonly protocol: "pbft" | "raft" | undefined;
  readonly mutation: WholeMutation | undefined;
  /** Some cables are absent. */
  readonly partial: boolean;
}

/** What a run with absent cables must have seen. */
export const PARTIAL_REQUIRED = [
  "ring",
  "star",
  "web",
  "byList",
  "byTtl",
  "passedOn",
  "crash",
  "split 2-2",
  "loss",
  "restart",
  "doubleVote",
  "relayedVotes",
] as const;

/** What a run must have seen. */
export const WHOLE_REQUIRED = [
  "pbft",
  "raft",
  "crash",
  "lostWrites",
  "split 3-1",
  "split 2-2",
  "oneWayCut",
  "loss",
  "duplication",
  "restart",
  "clockJump",
  "heavy",
  "roleChange",
  "stopGroup",
  "startGroup",
  "generateGroup",
  "sentAgain",
  "diskFull",
  "groupFull",
  "afterFull",
  "fullAfterWrite",
  "backup",
  "sealerChange",
  "stopInWrite",
  "ownList",
  "otherBodies",
  "lyingClock",
  "clock ahead",
  "clock behind",
  "clock eightHours",
  "clock jumping",
  "clock fast",
  ...ACTS,
] as const;

/** Runs the schedules of a range in order; it ends at the first failure. */
export async function runWholeRange(range: WholeRange): Promise<RangeResult> {
  const { from, count, protocol, mutation, partial } = range;
  const totals = noTotals();
  let longestRecoveryMs = 0;
  for (let seed = from; seed < from + count; seed++) {
    const options = partial ? drawPartialOptions(seed) : drawWholeOptions(seed, protocol, mutation);
    const outcome = await runWholeSchedule(options);
    if (partial) {
      outcome.sights.add(options.graph.name);
      outcome.sights.add(options.graph.relay.byList ? "byList" : "byTtl");
    }
    outcome.sights.steps = outcome.delivered;
    outcome.sights.add(outcome.consensus);
    addSights(totals, outcome.sights);
    longestRecoveryMs = Math.max(longestRecoveryMs, outcome.recoveryMs);
    if (outcome.failure !== undefined)
      return { totals, failure: { seed, text: outcome.failure }, longestRecoveryMs };
  }
  return { totals, failure: undefined, longestRecoveryMs };
}
