/** What a check of the doctor comes to. */

/** How a check ended. */
export type Outcome = "ok" | "note" | "warning" | "failure";

/** One check. */
export interface Verdict {
  /** What was examined: a word or two. */
  readonly check: string;
  readonly outcome: Outcome;
  /** One sentence. */
  readonly says: string;
  /** What to do about it; always there for warnings and failures. */
  readonly next?: string;
}

/** All is well. */
export function ok(check: string, says: string): Verdict {
  return { check, outcome: "ok", says };
}

/** Nothing is wrong, or it could not be examined. */
export function note(check: string, says: string): Verdict {
  return { check, outcome: "note", says };
}

/** It works, but not for ever. */
export function warning(check: string, says: string, next: string): Verdict {
  return { check, outcome: "warning", says, next };
}

/** It does not work. */
export function failure(check: string, says: string, next: string): Verdict {
  return { check, outcome: "failure", says, next };
}
