/** What a step says and asks for. */
import type { NodeId } from "../../bytes/ids.ts";
import type { IgnoreReason, SyncReport } from "./effect.ts";
import type { SyncState } from "./state.ts";

/** Tells operators something. */
export function report(state: SyncState, what: SyncReport): void {
  state.effects.push({ type: "report", report: what });
}

/** Says why something had no effect. */
export function ignore(state: SyncState, from: NodeId, reason: IgnoreReason): void {
  report(state, { event: "ignored", from, reason });
}

/** Sends own status to peers. Source: sync 3 */
export function sendStatus(state: SyncState, to: readonly NodeId[]): void {
  if (to.length === 0) return;
  const { height, head, genesis } = state;
  state.effects.push({
    type: "send",
    to,
    message: { type: "status", number: height, genesisHash: genesis, latestHash: head },
  });
}
