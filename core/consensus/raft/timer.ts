/** Waiting: elections, back-off, heartbeats, the lease, and the one deadline of the core. */
import type { NodeId } from "../../bytes/ids.ts";
import { setTimer } from "../../protocol/step.ts";
import type { RaftState } from "./state.ts";

/** Heartbeats in one shortest election timeout. Source: raft 3 */
const HEARTBEATS_PER_TIMEOUT = 4;
/** An election timeout is one of this many steps between its bounds. Source: raft 3 */
const ELECTION_STEPS = 100;
/** Timeouts after a failed election differ by up to this share of the shortest one at least. */
const LEAST_SPREAD = 0.5;
/** Missing parts of a block are asked from the next holder after this. */
export const BODY_RETRY_MS = 500;
/** A block is asked from the next peer after this. */
export const BLOCK_RETRY_MS = 500;
/** A sealer that is behind waits this long for the commit notice to do without the block. */
export const CATCH_UP_DELAY_MS = 200;

/** 250 ms by default. Source: raft 3 */
export function heartbeatMs(state: RaftState): number {
  return state.config.minElectMs / HEARTBEATS_PER_TIMEOUT;
}

/** A number in [0, bound), from the seed of the beginning. */
function draw(state: RaftState, bound: number): number {
  state.chance = (state.chance + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state.chance ^ (state.chance >>> 15), 1 | state.chance);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
}

/** Waits anew for a leader. Source: raft 3 (electTimeout) */
export function resetElection(state: RaftState, now: number): void {
  const { electMinMs, electMaxMs } = state;
  const step = draw(state, ELECTION_STEPS);
  state.electionAt = now + electMinMs + (step * (electMaxMs - electMinMs)) / ELECTION_STEPS;
}

/**
 * After a failed election. Bounds that are one, or nearly, are drawn apart: candidates that time
 * out less than a message apart would tie for ever. Source: raft 3 (back-off)
 */
export function backOff(state: RaftState): void {
  const { minElectMs, maxElectMs } = state.config;
  const range = Math.max(maxElectMs - minElectMs, minElectMs * LEAST_SPREAD);
  const highest = minElectMs + range;
  const limit = highest + range / 2;
  const grown = Math.max(state.electMaxMs, highest) + range / 4;
  if (grown > limit) {
    state.electMaxMs = limit;
    return;
  }
  state.electMinMs += range / 4;
  state.electMaxMs = grown;
}

/** The configured bounds again. Source: raft 3 (back-off) */
export function forgetBackOff(state: RaftState): void {
  state.electMinMs = state.config.minElectMs;
  state.electMaxMs = state.config.maxElectMs;
}

/** Until when a majority has answered the leader recently enough. Source: raft 3 (lease) */
export function leaseUntil(state: RaftState): number {
  if (state.quorum <= 1) return Number.POSITIVE_INFINITY;
  const times = [...state.answeredAt.values()].sort((left, right) => right - left);
  // The leader is one of the majority.
  return (times[state.quorum - 2] ?? Number.NEGATIVE_INFINITY) + state.config.minElectMs;
}

/** Whether a majority has not answered the leader in time. Source: raft 3 (lease) */
export function hasLostMajority(state: RaftState): boolean {
  return state.role === "leader" && state.now >= leaseUntil(state);
}

/** Whether a leader was heard within the shortest election timeout. Source: raft 8 (pre-vote) */
export function isLed({ leaderContactAt, config, now }: RaftState): boolean {
  return leaderContactAt !== undefined && now < leaderContactAt + config.minElectMs;
}

/** A sealer that is ahead, the leader first, then one after the other. */
export function aheadPeer(state: RaftState): NodeId | undefined {
  const { leader, peers, height, catchUpAttempts } = state;
  const ahead: NodeId[] = [];
  for (const [id, at] of peers) if (at > height && state.indexes.has(id)) ahead.push(id);
  if (catchUpAttempts === 0 && leader !== undefined && ahead.includes(leader)) return leader;
  return ahead[catchUpAttempts % Math.max(1, ahead.length)];
}

/** Whether somebody has a newer block: a leader waits for it, however long. */
export function isBehind({ peers, height }: RaftState): boolean {
  for (const at of peers.values()) if (at > height) return true;
  return false;
}

/** Asks for a tick when something is due next. */
export function setDeadline(state: RaftState): void {
  setTimer(state, nextDeadline(state));
}

/** The earliest time at which something is due. */
function nextDeadline(state: RaftState): number | undefined {
  let at = Number.POSITIVE_INFINITY;
  if (state.role === "leader") {
    at = Math.min(state.heartbeatAt, leaseUntil(state));
    const waits = !state.proposeAsked && !state.entry && !state.fresh && !state.decision;
    if (waits && !isBehind(state)) at = Math.min(at, state.proposeFrom);
  } else if (state.role !== "suspended") {
    at = state.electionAt;
  }
  if (state.work?.stage === "fetching") at = Math.min(at, state.work.retryAt);
  if (state.catchUpAt !== undefined && !state.decision) at = Math.min(at, state.catchUpAt);
  return at === Number.POSITIVE_INFINITY ? undefined : at;
}
