/** The one timer of the sync planner. Source: sync 9 */
import { setTimer } from "../../protocol/step.ts";
import { announceAt } from "./announce.ts";
import { mayAnnounce, uninformedMembers } from "./peers.ts";
import { serviceDueAt } from "./serving.ts";
import type { SyncState } from "./state.ts";
import { NEAR_DELAY_MS, UNPROVABLE_MS } from "./tuning.ts";

/** Asks for a tick when something is due next. */
export function setDeadline(state: SyncState): void {
  setTimer(state, nextDeadline(state));
}

/** The earliest time at which something is due; undefined when only news can change anything. */
function nextDeadline(state: SyncState): number | undefined {
  const { now } = state;
  const times: number[] = state.shards.map(({ deadline }) => deadline);
  if (mayAnnounce(state)) {
    times.push(announceAt(state));
    if (state.tuning.statusByTree) times.push(state.gossipAt);
  } else if (uninformedMembers(state).length > 0) {
    times.push(announceAt(state));
  }
  for (const peer of state.peers.values()) {
    if (peer.number > state.height && peer.excludedUntil > now) times.push(peer.excludedUntil);
  }
  const { unprovable } = state;
  if (unprovable && !unprovable.isReported) times.push(unprovable.since + UNPROVABLE_MS);
  if (state.nearSince !== undefined) times.push(state.nearSince + NEAR_DELAY_MS);
  if (state.phase !== "importing" && state.queue.size > 0) times.push(state.importAt);
  const service = state.loading ? undefined : serviceDueAt(state);
  if (service !== undefined) times.push(service);
  const due = times.filter((time) => time > now);
  return due.length === 0 ? undefined : Math.min(...due);
}
