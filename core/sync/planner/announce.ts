/** Saying where this node stands: to whom and how often. Source: sync 3, 7 */
import type { NodeId } from "../../bytes/ids.ts";
import { statusNeighbours } from "../topology.ts";
import { mayAnnounce, refreshPeers, uninformedMembers } from "./peers.ts";
import { draw, isMember, type SyncState } from "./state.ts";
import { sendStatus } from "./step-context.ts";
import { LONGEST_FAREWELL_MS, STATUS_INTERVAL_MS } from "./tuning.ts";

/** The node begins: peers learn of it as their sessions come up. Source: sync 3 */
export function beginAnnouncing(state: SyncState): void {
  state.announcedAt = state.now;
  state.gossipAt = state.now + state.tuning.gossipIntervalMs;
  refreshPeers(state);
}

/** When the next announcement is due. Source: sync 3 */
export function announceAt(state: SyncState): number {
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
