/** Tells how an answer of ours stands to the recorded one, and counts. */
import { ALLOWED, type Allowed } from "./allowed.ts";
import { type Answer, type Exchange, sameAnswer } from "./exchange.ts";
import type { OutOfScope } from "./out-of-scope.ts";

/** How a line came out. */
export type Verdict = "passed" | "allowed" | "outOfScope" | "failed";

/** What came out so far. */
export interface Tally {
  readonly counts: Record<Verdict, number>;
  readonly failures: string[];
  readonly used: Set<Allowed>;
  readonly left: Map<OutOfScope, number>;
}

/** Nothing asked yet. */
export function newTally(): Tally {
  const counts = { passed: 0, allowed: 0, outOfScope: 0, failed: 0 };
  return { counts, failures: [], used: new Set(), left: new Map() };
}

/** The large bodies are described in the recording instead of given. */
export function bodyOf(exchange: Exchange): string | null {
  const { body } = exchange.request;
  const described = /^elided: valid getBlockNumber request whose id is (\d+) KiB of x$/.exec(
    body ?? "",
  );
  if (described === null) return body;
  const id = "x".repeat(Number(described[1]) * 1024);
  return JSON.stringify({ jsonrpc: "2.0", method: "getBlockNumber", params: [1], id });
}

/** Where two texts begin to differ. */
function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

/** Judges one answer. */
export function judge(tally: Tally, exchange: Exchange, ours: Answer): Verdict {
  if (sameAnswer(ours, exchange)) return "passed";
  const entry = ALLOWED.find((it) => it.concerns(exchange) && it.holds(ours, exchange));
  if (entry !== undefined) {
    tally.used.add(entry);
    return "allowed";
  }
  const { status, body } = exchange.response;
  const from = Math.max(0, firstDifference(ours.body, body ?? "") - 60);
  tally.failures.push(
    `${exchange.file}:${exchange.line} ${exchange.case}\n` +
      `  ours     ${ours.status} from ${from}: ${ours.body.slice(from, from + 300)}\n` +
      `  recorded ${status} from ${from}: ${(body ?? "").slice(from, from + 300)}`,
  );
  return "failed";
}
