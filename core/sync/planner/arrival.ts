/** Packets of blocks: which are taken into the queue, and what is an offence. Source: sync 4 */
import type { NodeId } from "../../bytes/ids.ts";
import type { SyncBlock } from "../sync-message.ts";
import { dropShard, dropShardsOf } from "./download.ts";
import type { Offence } from "./effect.ts";
import type { InputOf } from "./input.ts";
import { punish } from "./peers.ts";
import { memoryBytes, type Range, type SyncPeer, type SyncState } from "./state.ts";
import { ignore } from "./step-context.ts";
import { MEMORY_FACTOR, QUEUE_LIMIT } from "./tuning.ts";

/** Weight of the newest value in a running average. */
const AVERAGE_WEIGHT = 0.25;

type Packet = InputOf<"blocks">;
type Blocks = readonly SyncBlock[];

/** Whether no node that was asked has sent them. */
export function isOfUnknownSender(state: SyncState, { from }: Packet): boolean {
  return !state.peers.has(from);
}

/** Says so. */
export function ignoreSender(state: SyncState, { from }: Packet): void {
  ignore(state, from, "unknownPeer");
}

/** Whether no honest node sends such a packet. Source: sync 4 (DEVIATE) */
export function breaksRules(state: SyncState, { from, blocks }: Packet): boolean {
  const peer = state.peers.get(from);
  return peer !== undefined && offenceOf(state, peer, blocks) !== undefined;
}

/** What came breaks the rules: its sender lied. */
export function convictForBlocks(state: SyncState, { from, blocks }: Packet): void {
  const peer = state.peers.get(from);
  const offence = peer && offenceOf(state, peer, blocks);
  if (offence) convict(state, peer, offence);
}

/** Takes a packet. Source: sync 4 (receiving) */
export function takeBlocks(state: SyncState, { from, blocks }: Packet): void {
  const peer = state.peers.get(from);
  if (!peer) return;
  noteAnswer(state, peer, blocks);
  for (const block of blocks) takeBlock(state, peer, block);
}

/** Something arrived that no honest node sends. */
export function convictForGarbage(state: SyncState, { from }: InputOf<"malformed">): void {
  const peer = state.peers.get(from);
  if (peer) convict(state, peer, "malformed");
}

/** What is wrong with a packet: blocks in a row, asked of this peer, each on the one before. */
function offenceOf(state: SyncState, peer: SyncPeer, blocks: Blocks): Offence | undefined {
  const ranges = rangesAsked(state, peer);
  for (const [index, block] of blocks.entries()) {
    const { number } = block;
    if (!ranges.some(({ from, to }) => number >= from && number <= to)) return "unasked";
    const before = blocks[index - 1];
    if (before && number !== before.number + 1) return "wrongNumbers";
    if (before && block.parentHash !== before.hash) return "wrongParent";
  }
  return undefined;
}

/**
 * Whether a packet may be an answer: asked before it is decoded, so that no node makes this node
 * hash what it does not want. Source: sync 4 (DEVIATE)
 */
export function expectsBlocks(state: SyncState, from: NodeId): boolean {
  const peer = state.peers.get(from);
  return peer !== undefined && rangesAsked(state, peer).length > 0;
}

/** Whether a packet of a peer could answer a question that was not given up. */
export function awaitsBlocks({ shards }: SyncState, from: NodeId): boolean {
  return shards.some(({ peer }) => peer === from);
}

function rangesAsked(state: SyncState, peer: SyncPeer): Range[] {
  const current = state.shards.filter((shard) => shard.peer === peer.id);
  return [...current.map((shard) => shard.range), ...peer.late];
}

function noteAnswer(state: SyncState, peer: SyncPeer, blocks: Blocks): void {
  for (const shard of state.shards) {
    if (shard.peer !== peer.id || shard.answered) continue;
    if (!blocks.some(({ number }) => shard.waiting.has(number))) continue;
    shard.answered = true;
    const latency = state.now - shard.askedAt;
    peer.latencyMs += (latency - peer.latencyMs) * AVERAGE_WEIGHT;
  }
}

function takeBlock(state: SyncState, peer: SyncPeer, block: SyncBlock): void {
  const { number } = block;
  const size = block.bytes.length;
  settleShards(state, peer, number);
  const known = state.averageBlockBytes;
  state.averageBlockBytes = known === 0 ? size : known + (size - known) * AVERAGE_WEIGHT;
  const isStale = number <= state.height || number > state.height + QUEUE_LIMIT;
  if (isStale || state.queue.has(number) || !makeRoom(state, block)) return;
  state.queue.set(number, { block, from: peer.id, stage: "queued" });
  state.queueBytes += size;
  state.failedBy.delete(number);
}

/** No node is waited for any more to deliver that number. */
function settleShards(state: SyncState, peer: SyncPeer, number: number): void {
  for (const shard of state.shards) {
    if (!shard.waiting.delete(number) || shard.waiting.size > 0) continue;
    if (shard.peer === peer.id) state.shards = state.shards.filter((other) => other !== shard);
    else dropShard(state, shard);
  }
}

/**
 * Whether a block fits into memory. The next one always does: for it those farthest away go.
 * Source: sync 4, 9
 */
function makeRoom(state: SyncState, block: SyncBlock): boolean {
  const fits = () =>
    memoryBytes(state) + MEMORY_FACTOR * block.bytes.length <= state.tuning.maxMemoryBytes;
  if (fits()) return true;
  if (block.number !== state.height + 1) return false;
  const farthest = [...state.queue.keys()].sort((left, right) => right - left);
  for (const number of farthest) {
    if (fits()) break;
    removeBlock(state, number);
  }
  return true;
}

/** Takes a block out of the queue. */
export function removeBlock(state: SyncState, number: number): void {
  const entry = state.queue.get(number);
  if (!entry) return;
  state.queue.delete(number);
  state.queueBytes -= entry.block.bytes.length;
}

/**
 * A peer lied: it is excluded, nothing it sent counts unless it is verified, and what was asked of
 * it is asked of others. Source: sync 4 (DEVIATE)
 */
export function convict(state: SyncState, peer: SyncPeer, offence: Offence): void {
  for (const [number, entry] of state.queue) {
    if (entry.from !== peer.id || entry.stage === "verified" || entry.stage === "importing") {
      continue;
    }
    removeBlock(state, number);
    state.failedBy.set(number, peer.id);
  }
  dropShardsOf(state, peer.id);
  punish(state, peer, offence);
}
