/** One step in progress: its time and the effects gathered so far. */
import type { NodeId } from "../../bytes/ids.ts";
import type { SyncEffect, SyncReport } from "./effect.ts";
import type { SyncState } from "./state.ts";

/** Gathered while a step runs. */
export interface StepContext {
  readonly now: number;
  /** Time has passed: the shell's one timer is used up. */
  readonly isTick: boolean;
  readonly effects: SyncEffect[];
}

/** Tells operators something. */
export function report(context: StepContext, what: SyncReport): void {
  context.effects.push({ type: "report", report: what });
}

/** Says why something had no effect. */
export function ignore(
  context: StepContext,
  from: NodeId,
  reason: Extract<SyncReport, { event: "ignored" }>["reason"],
): void {
  report(context, { event: "ignored", from, reason });
}

/** Sends own status to peers. Source: sync 3 */
export function sendStatus(state: SyncState, context: StepContext, to: readonly NodeId[]): void {
  if (to.length === 0) return;
  const { height, head, genesis } = state;
  context.effects.push({
    type: "send",
    to,
    message: { type: "status", number: height, genesisHash: genesis, latestHash: head },
  });
}
