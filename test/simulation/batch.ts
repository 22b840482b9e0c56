/** Ranges of schedules and what came of them. */
import { type Mutation, drawOptions } from "./options.ts";
import { runSchedule } from "./schedule.ts";
import { addSights, noTotals, type Totals } from "./sights.ts";

/** Seeds [from, from + count), one rule possibly off. */
export interface Range {
  readonly from: number;
  readonly count: number;
  readonly mutation: Mutation | undefined;
}

/** A schedule in which a property did not hold. */
export interface Failure {
  readonly seed: number;
  readonly text: string;
}

/** What came of a range; it ends at the first failure. */
export interface RangeResult {
  readonly totals: Totals;
  readonly failure: Failure | undefined;
  readonly longestRecoveryMs: number;
}

/** Runs the schedules of a range in order. */
export function runRange({ from, count, mutation }: Range): RangeResult {
  const totals = noTotals();
  let longestRecoveryMs = 0;
  for (let seed = from; seed < from + count; seed++) {
    const { failure, sights, recoveryMs } = runSchedule(drawOptions(seed, mutation));
    addSights(totals, sights);
    longestRecoveryMs = Math.max(longestRecoveryMs, recoveryMs);
    if (failure) return { totals, failure: { seed, text: failure }, longestRecoveryMs };
  }
  return { totals, failure: undefined, longestRecoveryMs };
}
