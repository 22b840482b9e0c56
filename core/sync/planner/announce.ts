/** Saying where this node stands: to whom and how often; the one timer. Source: sync 3, 7, 9 */
import type { NodeId } from "../../bytes/ids.ts";
import { setTimer } from "../../protocol/step.ts";
import { statusNeighbours } from "../topology.ts";
import { mayAnnounce, refreshPeers, uninformedMembers } from "./peers.ts";
import { serviceDueAt } from "./serving.ts";
import { draw, isMember, type SyncState } from "./state.ts";
import { sendStatus } from "./step-context.ts";
import { LONGEST_FAREWELL_MS, NEAR_DELAY_MS, STATUS_INTERVAL_MS, UNPROVABLE_MS } from "./tuning.ts";

/** The node begins: peers learn of it as their sessions come up. Source: sync 3 */
export function beginAnnouncing(state: SyncState): void {
  state.announcedAt = state.now;
  state.gossipAt = state.now + state.tuning.gossipIntervalMs;
  refreshPeers(state);
}

/** When the next announcement is due. Source: sync 3 */
function announceAt(state: SyncState): number {
  if (!mayAnnounce(state)) return state.announcedAt + state.farewellMs;
  const { idleWaitMs } = state.tuning;
  return state.announcedAt + (state.announceDue ? idleWaitMs : STATUS_INTERVAL_MS);
}

/** Announces a new height soon, and the same height from time to time. Source: sync 3 */
export function announceWhenDue(state: SyncState): void {
  if (state.now >= announceAt(state)) {
    state.announceDue = false;
    state.announcedAt = state.now;
    sendStatus(state, audience(state));
    // Members that have the block do not count this node in, so it never learns that they do.
    state.farewellMs = Math.min(2 * state.farewellMs, LONGEST_FAREWELL_MS);
  }
  if (!mayAnnounce(state)) return;
  if (state.tuning.statusByTree && state.now >= state.gossipAt) {
    state.gossipAt = state.now + state.tuning.gossipIntervalMs;
    sendStatus(state, pickSome(state, [...state.peers.keys()], state.tuning.gossipPeers));
  }
}

/** Everybody, or the neighbours in the tree. Source: sync 2, 3, 7 */
function audience(state: SyncState): NodeId[] {
  const { peers, config, tuning } = state;
  if (!mayAnnounce(state)) return uninformedMembers(state);
  if (!tuning.statusByTree || !isMember(state)) return [...peers.keys()];
  const members = [...new Set([...config.sealers, ...config.observers])];
  const isReachable = (node: NodeId) => peers.has(node);
  return statusNeighbours(config.sealers, members, config.self, isReachable);
}

/** Up to this many different items, by lot. */
function pickSome(state: SyncState, items: NodeId[], count: number): NodeId[] {
  const picked: NodeId[] = [];
  while (picked.length < count && items.length > 0) {
    picked.push(...items.splice(Math.floor(draw(state) * items.length), 1));
  }
  return picked;
}

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
