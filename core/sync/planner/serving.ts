/** Serving blocks: a queue per peer, fair turns, bandwidth. Source: sync 4 (serving), 10 */
import { chargeServed, SERVED_BLOCK_COST, servableAt } from "../serving-budget.ts";
import { SHARD_LIMIT } from "../sync-message.ts";
import { permitsOfBytes, takeFromAll } from "../../limits/token-bucket.ts";
import type { InputOf } from "./input.ts";
import { isListed, type Range, type SyncPeer, type SyncState } from "./state.ts";
import { ignore } from "./step-context.ts";
import {
  MERGED_RANGE_LIMIT,
  PACKET_BYTES,
  SERVE_QUEUE_LIMIT,
  STATUS_INTERVAL_MS,
} from "./tuning.ts";

type Request = InputOf<"requestRange">;
type Loaded = InputOf<"loaded">;

/** Ascending by start, larger first. Source: sync 4 (serving) */
function isBefore(left: Range, right: Range): boolean {
  return left.from < right.from || (left.from === right.from && left.to > right.to);
}

/** Puts a range at its place. */
export function insertRange(ranges: Range[], range: Range): void {
  const index = ranges.findIndex((other) => isBefore(range, other));
  ranges.splice(index < 0 ? ranges.length : index, 0, range);
}

/** Takes the lowest range, merged with what overlaps or follows. Source: sync 4 (serving) */
export function takeMerged(ranges: Range[]): Range | undefined {
  const first = ranges.shift();
  if (!first) return undefined;
  let { to } = first;
  for (let next = ranges[0]; next && next.from <= to + 1; next = ranges[0]) {
    if (Math.max(to, next.to) - first.from >= MERGED_RANGE_LIMIT) break;
    to = Math.max(to, next.to);
    ranges.shift();
  }
  return { from: first.from, to };
}

/**
 * A peer asks for blocks. Only known sync peers are served. A node that is in no list any more
 * serves members still: it may be the only one that holds the block which removed it.
 * Source: sync 1 (acceptance), 4; groups 5
 */
export function queueRequest(state: SyncState, request: Request): void {
  const { from, first, count } = request;
  const peer = state.peers.get(from);
  const isServed = state.tuning.allowFreeNode || isListed(state, from);
  if (!peer || !isServed) return ignore(state, from, "unknownPeer");
  if (first > state.height) return ignore(state, from, "stale");
  if (peer.wants.length >= SERVE_QUEUE_LIMIT) return ignore(state, from, "queueFull");
  // In no list of its own, it counts this node only for as long as it goes on hearing of it.
  state.farewellMs = STATUS_INTERVAL_MS;
  insertRange(peer.wants, { from: first, to: Math.min(first + count - 1, state.height) });
}

/** Reads blocks for the next peer whose turn it is. Source: sync 4 */
export function serveNext(state: SyncState): void {
  if (state.loading || state.now < state.serveAt) return;
  const peer = nextServed(state);
  const range = peer && takeMerged(peer.wants);
  if (!range) return;
  const token = state.nextToken++;
  const count = Math.min(range.to - range.from + 1, SHARD_LIMIT);
  state.loading = { token, peer: peer.id, range };
  state.servedLast = peer.id;
  state.effects.push({ type: "load", token, from: range.from, count, maxBytes: PACKET_BYTES });
}

/** When a peer that waits can be served; undefined when none waits. */
export function serviceDueAt(state: SyncState): number | undefined {
  let at: number | undefined;
  for (const { id, wants } of state.peers.values()) {
    if (wants.length === 0) continue;
    const due = Math.max(state.serveAt, servableAt(state.budgets, id, state.now));
    at = Math.min(at ?? due, due);
  }
  return at;
}

/** The peer after the one that was served last, in the order of the table, with a share left. */
function nextServed(state: SyncState): SyncPeer | undefined {
  let before: SyncPeer | undefined;
  let after: SyncPeer | undefined;
  let isAfter = false;
  for (const peer of state.peers.values()) {
    if (peer.wants.length > 0 && servableAt(state.budgets, peer.id, state.now) <= state.now) {
      if (isAfter) after ??= peer;
      else before ??= peer;
    }
    if (peer.id === state.servedLast) isAfter = true;
  }
  return after ?? before;
}

/** Whether blocks were read for a peer that still waits for them. */
export function isOfThisLoad({ loading }: SyncState, { token }: Loaded): boolean {
  return loading?.token === token;
}

/** Sends what bandwidth allows; the rest of the range goes back. Source: sync 4, 10 */
export function serveLoaded(state: SyncState, { blocks }: Loaded): void {
  const { loading } = state;
  state.loading = undefined;
  const peer = loading && state.peers.get(loading.peer);
  if (!peer) return;
  const sent: Uint8Array[] = [];
  let isRefused = false;
  for (const bytes of blocks.slice(0, SHARD_LIMIT)) {
    const retryAt = takeFromAll(state.buckets, permitsOfBytes(bytes.length), state.now);
    isRefused = retryAt !== undefined;
    if (retryAt !== undefined) {
      state.serveAt = retryAt;
      state.counters.bandwidthWaits++;
      break;
    }
    sent.push(bytes);
  }
  const from = loading.range.from + sent.length;
  const isOver = from > loading.range.to || (sent.length === 0 && !isRefused);
  if (!isOver) insertRange(peer.wants, { from, to: loading.range.to });
  if (sent.length === 0) return;
  charge(state, peer, sent);
  state.counters.blocksServed += sent.length;
  const message = { type: "blocks", blocks: sent } as const;
  state.effects.push({ type: "send", to: [peer.id], message });
}

/** A node that has had its share waits; others are served meanwhile. */
function charge(state: SyncState, { id, wants }: SyncPeer, sent: readonly Uint8Array[]): void {
  let cost = 0;
  for (const bytes of sent) cost += bytes.length + SERVED_BLOCK_COST;
  chargeServed(state.budgets, id, cost, state.now);
  const waits = wants.length > 0 && servableAt(state.budgets, id, state.now) > state.now;
  if (waits) state.counters.budgetWaits++;
}
