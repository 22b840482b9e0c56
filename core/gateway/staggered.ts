/** Asks several one after the other, more of them when answers are slow or do not do. */
import type { Clock } from "../ports/clock.ts";
import { within } from "../client/platform.ts";

/** What an answer means for the rest. */
export type Verdict =
  /** It is found. */
  | "done"
  /** It counts, and those that were asked may do. */
  | "wait"
  /** One more is needed. */
  | "more"
  /** All are needed. */
  | "all"
  /** It is found, unless one of those that run says better within the patience. */
  | "nearly";

/** One more is asked when nothing has come for so long; so long others may add to an answer. */
export const PATIENCE_MS = 400;

/**
 * Runs attempts, `first` of them at once, until one is judged to be done, or all that are needed
 * have ended. What is still running goes on unheard: attempts end by their own deadlines and never
 * reject.
 */
export async function staggered<Result>(
  attempts: readonly (() => Promise<Result>)[],
  { clock, first }: { readonly clock: Clock; readonly first: number },
  judge: (result: Result) => Verdict,
): Promise<void> {
  const pending = new Map<number, Promise<{ readonly index: number; readonly result: Result }>>();
  let begun = 0;
  let wanted = first;
  let isNearly = false;
  for (;;) {
    for (; begun < Math.min(wanted, attempts.length); begun++) {
      const index = begun;
      const ended = attempts[index]?.().then((result) => ({ index, result }));
      if (ended) pending.set(index, ended);
    }
    if (pending.size === 0) return;
    const next = await within(Promise.race(pending.values()), clock, PATIENCE_MS);
    if (next === undefined) {
      if (isNearly) return;
      wanted = begun + 1;
      continue;
    }
    pending.delete(next.index);
    const verdict = judge(next.result);
    if (verdict === "done") return;
    if (verdict === "more") wanted++;
    if (verdict === "all") wanted = attempts.length;
    if (verdict === "nearly") isNearly = true;
  }
}
