/** What the log says of a connection that ended. Source: node-network 2, 9 */
import { type Ending, LOST } from "./peer-link.ts";

/** A later connection of the same pair took its place. */
export const REPLACED = "replaced by a newer connection";

/** A line, and whether it tells an operator anything. */
export interface EndingLine {
  readonly text: string;
  /** Nothing is wrong: two that dial each other at once drop one connection, each its own way. */
  readonly isRoutine: boolean;
}

/** The line for an ending; `wasActive` when the exchange had been over. */
export function endingLine({ reason, detail, refusal }: Ending, wasActive: boolean): EndingLine {
  const isEarly = !wasActive && (reason === REPLACED || reason === LOST);
  const isRoutine = /^(duplicate|self)$/.test(reason) || detail === "duplicate" || isEarly;
  const early = refusal ? "peer refused" : "peer not connected";
  const start = wasActive ? "peer disconnected" : early;
  return { text: `${start}: ${reason}${detail === undefined ? "" : ` (${detail})`}`, isRoutine };
}
