/**
 * When to download, what to ask whom, and what happens when nobody answers. Source: sync 4, 9
 */
import type { NodeId } from "../../bytes/ids.ts";
import { SHARD_LIMIT } from "../sync-message.ts";
import { highestPeer, isUsable, noteUnprovable, punish } from "./peers.ts";
import {
  draw,
  memoryBytes,
  type Range,
  type Shard,
  type SyncPeer,
  type SyncState,
} from "./state.ts";
import { report, type Turn } from "./turn.ts";
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

/**
 * Decides between idle and downloading. Downloading lasts while a usable peer is above what
 * consensus decides itself, or blocks that follow the head are at hand. Source: sync 4
 */
export function evaluate(state: SyncState, turn: Turn): void {
  const best = highestPeer(state, turn.now);
  noteUnprovable(state, turn);
  state.knownHighest = best?.number ?? state.height;
  state.knownHash = best?.latestHash ?? state.head;
  const isWanted = best !== undefined && isDue(state, turn, best.number);
  const isAtHand = state.importing !== undefined || state.queue.has(state.height + 1);
  const downloading = isWanted || isAtHand;
  if (!downloading) goIdle(state);
  if (downloading === state.downloading) return;
  state.downloading = downloading;
  const event = downloading ? "syncing" : "idle";
  report(turn, { event, number: state.height, highest: state.knownHighest });
}

/** Whether a height is worth asking for: consensus most likely writes the next block itself. */
function isDue(state: SyncState, turn: Turn, highest: number): boolean {
  if (highest <= state.sealing) return false;
  const { sealers, self } = state.config;
  const isNear = highest === state.height + 1 && sealers.includes(self);
  if (!isNear) return true;
  state.nearSince ??= turn.now;
  return turn.now >= state.nearSince + NEAR_DELAY_MS;
}

function goIdle(state: SyncState): void {
  for (const shard of state.shards) remember(state, shard);
  state.shards = [];
  state.queue.clear();
  state.queueBytes = 0;
  state.verifying = undefined;
  state.failedBy.clear();
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

/** Marks who failed to deliver, so that others are asked first. Source: sync 4 (DEVIATE) */
function noteFailure(state: SyncState, shard: Shard): void {
  for (const number of shard.waiting) state.failedBy.set(number, shard.peer);
}

/** Gives up requests whose time is over. Source: sync 4, 9 (TIMEOUT) */
export function expireShards(state: SyncState, turn: Turn): void {
  for (const shard of state.shards.filter(({ deadline }) => deadline <= turn.now)) {
    state.counters.requestsTimedOut++;
    noteFailure(state, shard);
    dropShard(state, shard);
    const peer = state.peers.get(shard.peer);
    if (!peer) continue;
    // Slow is not silent: it is merely asked later than others.
    if (shard.answered) peer.failures++;
    else punish(state, turn, peer, "silence");
  }
}

/** A peer left or lied: its requests are asked of others. Source: sync 9 (PEER_LEFT) */
export function dropShardsOf(state: SyncState, peer: NodeId): void {
  for (const shard of state.shards.filter((candidate) => candidate.peer === peer)) {
    noteFailure(state, shard);
    dropShard(state, shard);
  }
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

/** Asks for what is missing, up to four requests at a time. Source: sync 4 */
export function requestShards(state: SyncState, turn: Turn): void {
  if (!state.downloading) return;
  const end = Math.min(state.knownHighest, state.height + QUEUE_LIMIT);
  let number = state.height + 1;
  while (state.shards.length < SHARDS_PER_TURN) {
    while (number <= end && !isMissing(state, number)) number++;
    if (number > end) return;
    const isNext = number === state.height + 1;
    if (!isNext && freeBytes(state) < MEMORY_FACTOR * expectedBytes(state)) return;
    const peer = choosePeer(state, number, turn.now);
    if (!peer) return;
    let to = Math.min(number + blocksFor(state, peer) - 1, peer.number, end);
    for (let next = number + 1; next <= to; next++) if (!isMissing(state, next)) to = next - 1;
    request(state, turn, peer, { from: number, to });
  }
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
 * asked again only when there is nobody else; a doubtful one has one request at a time.
 * Source: sync 4 (DEVIATE)
 */
function choosePeer(state: SyncState, number: number, now: number): SyncPeer | undefined {
  const failer = state.failedBy.get(number);
  let chosen: SyncPeer | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  let last: SyncPeer | undefined;
  for (const peer of state.peers.values()) {
    if (peer.number < number || !isUsable(state, peer, now)) continue;
    const busy = outstanding(state, peer);
    if (busy > 0 && isDoubtful(peer)) continue;
    if (peer.id === failer) {
      last = peer;
      continue;
    }
    const doublings = Math.min(peer.failures, MAX_COST_DOUBLINGS);
    const spread = 1 + COST_SPREAD * draw(state);
    const cost = (peer.latencyMs + BASE_COST_MS) * (busy + 1) * 2 ** doublings * spread;
    if (cost >= lowest) continue;
    chosen = peer;
    lowest = cost;
  }
  return chosen ?? last;
}

function request(state: SyncState, turn: Turn, peer: SyncPeer, range: Range): void {
  const { from, to } = range;
  const count = to - from + 1;
  const waiting = new Set(Array.from({ length: count }, (_, index) => from + index));
  const patience = Math.max(REQUEST_TIMEOUT_MS, BLOCK_TIMEOUT_MS * count);
  state.shards.push({
    peer: peer.id,
    range,
    waiting,
    askedAt: turn.now,
    answered: false,
    deadline: turn.now + patience,
  });
  state.counters.requestsSent++;
  turn.effects.push({
    type: "send",
    to: [peer.id],
    message: { type: "requestRange", from, count },
  });
}
