/** When to download, what to ask whom, and what happens when no node answers. Source: sync 4, 9 */
import type { NodeId } from "../../bytes/ids.ts";
import { SHARD_LIMIT } from "../sync-message.ts";
import type { InputOf } from "./input.ts";
import { highestPeer, isUsable, punish } from "./peers.ts";
import {
  draw,
  memoryBytes,
  type Range,
  type Shard,
  type SyncPeer,
  type SyncState,
} from "./state.ts";
import { report } from "./step-context.ts";
import {
  BLOCK_TIMEOUT_MS,
  FIRST_BLOCK_BYTES,
  LATE_RANGE_LIMIT,
  MEMORY_FACTOR,
  NEAR_DELAY_MS,
  QUEUE_LIMIT,
  REQUEST_TIMEOUT_MS,
  SHARDS_PER_TURN,
} from "./tuning.ts";

/** Blocks asked of a peer that has not proven itself: they time out in the shortest time. */
const TRIAL_BLOCKS = Math.floor(REQUEST_TIMEOUT_MS / BLOCK_TIMEOUT_MS);
/** Added to a latency, so that a very near peer does not get everything. */
const BASE_COST_MS = 50;
/** Failures beyond this number no longer raise the cost. */
const MAX_COST_DOUBLINGS = 10;
/** Costs are spread by up to this share, so that equal peers share the work. */
const COST_SPREAD = 0.5;

/** Numbers that are neither here nor asked for, from the head on. */
function isMissing(state: SyncState, number: number): boolean {
  if (state.queue.has(number)) return false;
  return !state.shards.some((shard) => shard.waiting.has(number));
}

/** Whether a usable peer is above what consensus decides, or blocks are here. Source: sync 4 */
export function hasBlocksToGet(state: SyncState): boolean {
  if (state.phase === "importing" || state.queue.has(state.height + 1)) return true;
  const best = highestPeer(state);
  if (!best || best.number <= state.sealing) return false;
  if (!isNear(state, best)) return true;
  return state.nearSince !== undefined && state.now >= state.nearSince + NEAR_DELAY_MS;
}

/** No node usable is ahead any more, or consensus most likely writes the next block itself. */
export function hasNothingToGet(state: SyncState): boolean {
  return !hasBlocksToGet(state);
}

/** A sealer lacks one block, for which its own commit votes may be on their way. */
function isNear({ height, config }: SyncState, { number }: SyncPeer): boolean {
  return number === height + 1 && config.sealers.includes(config.self);
}

/** Whether just now a sealer has come to lack one block. */
export function isOneBehind(state: SyncState): boolean {
  if (state.nearSince !== undefined) return false;
  const best = highestPeer(state);
  return best !== undefined && best.number > state.sealing && isNear(state, best);
}

/** Consensus has a while to write the block itself. Source: sync 4 */
export function awaitOwnVotes(state: SyncState): void {
  state.nearSince = state.now;
}

/** Tells operators that blocks are fetched. */
export function reportDownload(state: SyncState): void {
  reportProgress(state, "syncing");
}

function reportProgress(state: SyncState, event: "syncing" | "idle"): void {
  const highest = highestPeer(state)?.number ?? state.height;
  report(state, { event, number: state.height, highest });
}

/** Whether stale blocks have come. */
export function hasBlocks({ queue }: SyncState): boolean {
  return queue.size > 0;
}

/** Blocks that wait are forgotten. */
export function dropBlocks(state: SyncState): void {
  state.queue.clear();
  state.queueBytes = 0;
}

/** What is under way is given up. */
export function endDownload(state: SyncState): void {
  for (const shard of state.shards) remember(state, shard);
  state.shards = [];
  dropBlocks(state);
  state.verifying = undefined;
  state.failedBy.clear();
  reportProgress(state, "idle");
}

/** A late answer to a request that was given up is no offence, and may still help. */
function remember(state: SyncState, shard: Shard): void {
  const late = state.peers.get(shard.peer)?.late;
  if (!late) return;
  late.push(shard.range);
  if (late.length > LATE_RANGE_LIMIT) late.shift();
}

/** Gives up a request; what it has not brought is asked for again. */
export function dropShard(state: SyncState, shard: Shard): void {
  state.shards = state.shards.filter((other) => other !== shard);
  remember(state, shard);
}

/** Gives it up, and marks who failed, so that others are asked first. Source: sync 4 (DEVIATE) */
function failShard(state: SyncState, shard: Shard): void {
  for (const number of shard.waiting) state.failedBy.set(number, shard.peer);
  dropShard(state, shard);
}

/** Whether the time of a request is over. */
export function hasTimedOut({ shards, now }: SyncState): boolean {
  return shards.some(({ deadline }) => deadline <= now);
}

/** Gives up requests whose time is over. Source: sync 4, 9 (TIMEOUT) */
export function expireRequests(state: SyncState): void {
  for (const shard of state.shards.filter(({ deadline }) => deadline <= state.now)) {
    state.counters.requestsTimedOut++;
    failShard(state, shard);
    const peer = state.peers.get(shard.peer);
    if (!peer) continue;
    // Slow is not silent: it is merely asked later than others.
    if (shard.answered) peer.failures++;
    else punish(state, peer, "silence");
  }
}

/** A session is gone: so is its entry, and others are asked for its shards. Source: sync 9 */
export function leavePeer(state: SyncState, { peer }: InputOf<"peerDown">): void {
  state.connected.delete(peer);
  dropShardsOf(state, peer);
  state.peers.delete(peer);
  // Another session must not get what this one asked for.
  if (state.loading?.peer === peer) state.loading = undefined;
}

/** A peer left or lied: its requests are asked of others. Source: sync 9 (PEER_LEFT) */
export function dropShardsOf(state: SyncState, peer: NodeId): void {
  for (const shard of state.shards) if (shard.peer === peer) failShard(state, shard);
}

/** Size of a block to expect. */
function expectedBytes(state: SyncState): number {
  return state.averageBlockBytes || FIRST_BLOCK_BYTES;
}

/** Memory that is neither taken nor expected to be. */
function freeBytes(state: SyncState): number {
  const asked = state.shards.reduce((sum, { waiting }) => sum + waiting.size, 0);
  const expected = MEMORY_FACTOR * asked * expectedBytes(state);
  return state.tuning.maxMemoryBytes - memoryBytes(state) - expected;
}

/** Blocks in a request: what memory allows, 1 to 32. Source: sync 4 */
function shardSize(state: SyncState): number {
  const perShard = freeBytes(state) / SHARDS_PER_TURN;
  const size = Math.floor(perShard / (MEMORY_FACTOR * expectedBytes(state)));
  return Math.max(1, Math.min(SHARD_LIMIT, size));
}

/** Whether requests are under way. */
export function hasRequests({ shards }: SyncState): boolean {
  return shards.length > 0;
}

/** Whether none is. */
export function hasNoRequests({ shards }: SyncState): boolean {
  return shards.length === 0;
}

/** The next number to ask for, as far as memory and the number of requests allow. */
function nextMissing(state: SyncState): { number: number; end: number } | undefined {
  if (state.shards.length >= SHARDS_PER_TURN) return undefined;
  const highest = highestPeer(state)?.number ?? state.height;
  const end = Math.min(highest, state.height + QUEUE_LIMIT);
  let number = state.height + 1;
  while (number <= end && !isMissing(state, number)) number++;
  if (number > end) return undefined;
  const isNext = number === state.height + 1;
  if (!isNext && freeBytes(state) < MEMORY_FACTOR * expectedBytes(state)) return undefined;
  return { number, end };
}

/** Whether something is missing that a peer can be asked for now. */
export function canRequest(state: SyncState): boolean {
  const missing = nextMissing(state);
  if (!missing) return false;
  const { number } = missing;
  for (const peer of state.peers.values()) if (mayBeAsked(state, peer, number)) return true;
  return false;
}

/** Asks for what is missing, up to four requests at a time. Source: sync 4 */
export function requestNext(state: SyncState): void {
  const missing = nextMissing(state);
  const peer = missing && choosePeer(state, missing.number);
  if (!peer) return;
  const { number, end } = missing;
  let to = Math.min(number + blocksFor(state, peer) - 1, peer.number, end);
  for (let next = number + 1; next <= to; next++) if (!isMissing(state, next)) to = next - 1;
  request(state, peer, { from: number, to });
}

/** Whether a peer has a block and is free to send it. */
function mayBeAsked(state: SyncState, peer: SyncPeer, number: number): boolean {
  if (peer.number < number || !isUsable(state, peer)) return false;
  return !isDoubtful(peer) || outstanding(state, peer) === 0;
}

function isDoubtful(peer: SyncPeer): boolean {
  return peer.failures > 0 || peer.goodBlocks === 0;
}

function blocksFor(state: SyncState, peer: SyncPeer): number {
  const size = shardSize(state);
  return isDoubtful(peer) ? Math.min(size, TRIAL_BLOCKS) : size;
}

function outstanding(state: SyncState, peer: SyncPeer): number {
  return state.shards.filter((shard) => shard.peer === peer.id).length;
}

/**
 * The cheapest peer that has the block: near, idle, reliable. One that failed to deliver it is
 * asked again only when there is no other node; a doubtful one has one request at a time.
 * Source: sync 4 (DEVIATE)
 */
function choosePeer(state: SyncState, number: number): SyncPeer | undefined {
  const failer = state.failedBy.get(number);
  let chosen: SyncPeer | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  let last: SyncPeer | undefined;
  for (const peer of state.peers.values()) {
    if (!mayBeAsked(state, peer, number)) continue;
    if (peer.id === failer) {
      last = peer;
      continue;
    }
    const doublings = Math.min(peer.failures, MAX_COST_DOUBLINGS);
    const spread = 1 + COST_SPREAD * draw(state);
    const busy = outstanding(state, peer);
    const cost = (peer.latencyMs + BASE_COST_MS) * (busy + 1) * 2 ** doublings * spread;
    if (cost >= lowest) continue;
    chosen = peer;
    lowest = cost;
  }
  return chosen ?? last;
}

function request(state: SyncState, peer: SyncPeer, range: Range): void {
  const { from, to } = range;
  const count = to - from + 1;
  const waiting = new Set(Array.from({ length: count }, (_, index) => from + index));
  const patience = Math.max(REQUEST_TIMEOUT_MS, BLOCK_TIMEOUT_MS * count);
  state.shards.push({
    peer: peer.id,
    range,
    waiting,
    askedAt: state.now,
    answered: false,
    deadline: state.now + patience,
  });
  state.counters.requestsSent++;
  state.effects.push({
    type: "send",
    to: [peer.id],
    message: { type: "requestRange", from, count },
  });
}
