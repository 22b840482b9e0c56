/**
 * Empty rounds that share a record. An idle sealer says nothing but empty proposals and votes for
 * the next view; each would cost a flush. So the record of one such round reserves more than was
 * said: no vote in any view below `promised`, and the vote for that view. Messages that this
 * reservation covers leave without another record. Whatever else is sent (a proposal with
 * transactions, a sign or commit vote, a vote for a view behind the reservation) is recorded as it
 * is, and takes the rest of the reservation back: nothing was sent in it.
 *
 * A node that begins again from a reservation takes it for its own word: it stands between its view
 * and the promised one, as after a vote for that view. What it said before, it said in views below
 * it, and there it proposes, signs and locks no more; so the proof of 16.4 holds as it is.
 *
 * Its vote may make others join it, though not enough of them for a quorum, while the rest needs
 * them in lower views. So a node that waits for a view supports the others' votes for views between
 * its own and that one. It is silent there already, and claims the same lock as in its own vote:
 * none is taken while it is silent. A view is supported for others only; no view is gone back to.
 * Source: pbft 16.2, 16.3.6
 */
import type { ViewChange } from "./message.ts";
import { type PbftState, viewChangeFor } from "./state.ts";

/** Where a reservation given now ends: at the same views on every node, so that they meet there. */
export function reservedView({ toView, roundsPerRecord }: PbftState): number {
  return Math.ceil(toView / roundsPerRecord) * roundsPerRecord;
}

/** Whether others may want this view while this node waits for a higher one. */
export function maySupport(state: PbftState, view: number): boolean {
  return view > state.view && view < state.toView;
}

/** The own vote for a view that `maySupport` allows: the one that was counted, or a first one. */
export function supportFor(state: PbftState, view: number): ViewChange {
  return state.viewChanges.get(view)?.get(state.index) ?? viewChangeFor(state, view);
}
