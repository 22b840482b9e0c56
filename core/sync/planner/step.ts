/** The door of the sync planner: one input in, effects out, in order. Source: sync 9 */
import type { NodeId } from "../../bytes/ids.ts";
import { unreachable } from "../../fault/invariant.ts";
import { announceAt, announceWhenDue } from "./announce.ts";
import { onBlocks, onMalformed } from "./arrival.ts";
import { dropShardsOf, evaluate, expireShards, requestShards } from "./download.ts";
import type { SyncEffect } from "./effect.ts";
import {
  advanceImport,
  advanceVerification,
  onCommitted,
  onImported,
  onVerified,
} from "./import.ts";
import type { SyncInput } from "./input.ts";
import { mayAnnounce, onPeerUp, onStatus, refreshPeers, uninformedMembers } from "./peers.ts";
import { advanceServing, onLoaded, onRequestRange, serviceDueAt } from "./serving.ts";
import type { SyncState } from "./state.ts";
import type { Turn } from "./turn.ts";
import { NEAR_DELAY_MS, UNPROVABLE_MS } from "./tuning.ts";

/** What a step gives: the state (the same object, changed) and what is to be done, in order. */
export interface SyncStep {
  readonly state: SyncState;
  readonly effects: readonly SyncEffect[];
}

/**
 * Takes one input. Pure but for the state object, which it changes and gives back. Source: sync 9
 */
export function step(state: SyncState, input: SyncInput): SyncStep {
  const turn: Turn = { now: input.now, effects: [] };
  if (state.stopped) return { state, effects: turn.effects };
  dispatch(state, turn, input);
  settle(state, turn);
  const at = state.stopped ? undefined : nextDeadline(state, turn.now);
  // A tick has used up the shell's one timer, also when it came too early.
  if (at !== state.lastDeadline || input.type === "tick") {
    state.lastDeadline = at;
    turn.effects.push({ type: "deadline", at });
  }
  return { state, effects: turn.effects };
}

function dispatch(state: SyncState, turn: Turn, input: SyncInput): void {
  switch (input.type) {
    case "start":
      return onStart(state, turn);
    case "tick":
      return;
    case "peerUp":
      return onPeerUp(state, turn, input.peer);
    case "peerDown":
      return onPeerDown(state, input.peer);
    case "status":
      return onStatus(state, turn, input);
    case "requestRange":
      return onRequestRange(state, turn, input);
    case "blocks":
      return onBlocks(state, turn, input.from, input.blocks);
    case "malformed":
      return onMalformed(state, turn, input.from);
    case "sealing":
      state.sealing = input.number;
      return;
    case "committed":
      return onCommitted(state, turn, input);
    case "verified":
      return onVerified(state, turn, input);
    case "imported":
      return onImported(state, turn, input);
    case "loaded":
      return onLoaded(state, turn, input);
    default:
      unreachable(input);
  }
}

function onStart(state: SyncState, turn: Turn): void {
  state.announcedAt = turn.now;
  state.gossipAt = turn.now + state.tuning.gossipIntervalMs;
  refreshPeers(state, turn);
}

/** A session is gone: so is its entry, and others are asked for its shards. Source: sync 9 */
function onPeerDown(state: SyncState, peer: NodeId): void {
  state.connected.delete(peer);
  dropShardsOf(state, peer);
  state.peers.delete(peer);
  // Another session must not get what this one asked for.
  if (state.loading?.peer === peer) state.loading = undefined;
}

/** All that follows from the new state, in the order of dependence. */
function settle(state: SyncState, turn: Turn): void {
  if (state.stopped) return;
  expireShards(state, turn);
  evaluate(state, turn);
  advanceVerification(state, turn);
  advanceImport(state, turn);
  // What was thrown out by the verification may leave nobody to ask.
  evaluate(state, turn);
  requestShards(state, turn);
  advanceServing(state, turn);
  announceWhenDue(state, turn);
}

/** The earliest time at which something is due; undefined when only news can change anything. */
function nextDeadline(state: SyncState, now: number): number | undefined {
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
  if (unprovable && !unprovable.told) times.push(unprovable.since + UNPROVABLE_MS);
  if (state.nearSince !== undefined) times.push(state.nearSince + NEAR_DELAY_MS);
  if (!state.importing && state.queue.size > 0) times.push(state.importAt);
  const service = state.loading ? undefined : serviceDueAt(state, now);
  if (service !== undefined) times.push(service);
  const due = times.filter((time) => time > now);
  return due.length === 0 ? undefined : Math.min(...due);
}
