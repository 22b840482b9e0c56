/** The peer table: who is in it, where each stands, who is not asked for a while. Source: sync 2 */
import type { NodeId } from "../../bytes/ids.ts";
import type { Offence } from "./effect.ts";
import type { InputOf } from "./input.ts";
import { isListed, isMember, newPeer, type SyncPeer, type SyncState } from "./state.ts";
import { ignore, report, sendStatus } from "./step-context.ts";
import {
  CROSSING_MS,
  FREE_STATUS_LIFE_MS,
  LIE_EXCLUSION_MS,
  MAX_EXCLUSION_MS,
  PEER_LIMIT,
  SILENCE_EXCLUSION_MS,
  STATUS_INTERVAL_MS,
  UNPROVABLE_MS,
} from "./tuning.ts";

/** This many good blocks make up for one lie. */
const GOOD_BLOCKS_PER_LIE = 256;
/** Doublings of an exclusion beyond this number change nothing. */
const MAX_DOUBLINGS = 20;

/** Whether a node reports all peers where it stands: not in no list. Source: sync 2; groups 5 */
export function mayAnnounce(state: SyncState): boolean {
  return isMember(state) || state.tuning.allowFreeNode;
}

/**
 * Members whom a node in no list goes on telling where it stands: of these it does not know that
 * they have its newest block, and no other node may have it. They may be in no list of their own
 * either, and so wait to be told. Source: sync 2
 */
export function uninformedMembers(state: SyncState): NodeId[] {
  if (mayAnnounce(state)) return [];
  const lower = [...state.peers.values()].filter(({ number }) => number < state.height);
  return lower.map(({ id }) => id).filter((id) => isListed(state, id));
}

/** Whether a connected node belongs into the table. Source: sync 2 */
function isWanted(state: SyncState, peer: NodeId): boolean {
  if (peer === state.config.self || !state.connected.has(peer)) return false;
  return state.tuning.allowFreeNode || isListed(state, peer);
}

function enter(state: SyncState, id: NodeId): SyncPeer | undefined {
  if (state.peers.size >= PEER_LIMIT) return undefined;
  const peer = newPeer(id, state.genesis);
  state.peers.set(id, peer);
  return peer;
}

/**
 * Brings the table in line with sessions and lists: new members enter and hear where this node
 * stands; of the others only those that are higher stay. Source: sync 2
 */
export function refreshPeers(state: SyncState): void {
  for (const [id, peer] of state.peers) {
    if (!isWanted(state, id) && peer.number <= state.height) state.peers.delete(id);
  }
  const entered: NodeId[] = [];
  for (const id of state.connected) {
    if (state.peers.has(id) || !isWanted(state, id)) continue;
    if (enter(state, id)) entered.push(id);
  }
  if (mayAnnounce(state)) sendStatus(state, entered);
  else if (entered.length > 0) state.farewellMs = STATUS_INTERVAL_MS;
}

/** A session is up. Source: sync 2 */
export function enterPeer(state: SyncState, { peer }: InputOf<"peerUp">): void {
  state.connected.add(peer);
  refreshPeers(state);
}

/** A peer reports where it stands. Source: sync 1 (acceptance) */
export function noteStatus(
  state: SyncState,
  { from, status, ofConsensus = false }: InputOf<"status">,
): void {
  const { number, latestHash, genesisHash } = status;
  if (from === state.config.self || !state.connected.has(from)) {
    return ignore(state, from, "unknownPeer");
  }
  if (genesisHash !== state.genesis) return ignore(state, from, "otherGenesis");
  const known = state.peers.get(from);
  // An unknown node counts only when it is higher: this node's own lists may be old.
  const peer = known ?? (number > state.height ? enter(state, from) : undefined);
  if (!peer) return ignore(state, from, "unknownPeer");
  const [way, otherWay] = ofConsensus ? (["heard", "told"] as const) : (["told", "heard"] as const);
  if (number < peer[way].number && peer.number > state.height) noteTakenBack(state, peer);
  peer[way] = { number, latestHash };
  peer.statusAt = state.now;
  // Of two messages about one number the newer counts.
  Object.assign(peer, peer[otherWay].number > number ? peer[otherWay] : peer[way]);
  // A member that is lower does not know the block which removed this node, nor where it is.
  if (!mayAnnounce(state) && number < state.height && isListed(state, from))
    sendStatus(state, [from]);
  if (number === state.height && latestHash !== state.head) {
    report(state, { event: "otherHash", peer: from, number });
  }
}

/**
 * No node loses blocks again and again: a claim that is taken back counts as one not served. A peer
 * that begins again may have lost some: once in a while that is nothing.
 */
function noteTakenBack(state: SyncState, peer: SyncPeer): void {
  const isOften = state.now < peer.takenBackAt + CROSSING_MS;
  peer.takenBackAt = state.now;
  if (isOften) punish(state, peer, "silence");
}

/**
 * Whether a peer may be asked and what it says counts. A node that is in no list hears only of
 * members that still count it in, so what it heard long ago is void. Source: groups 5; sync 2
 */
export function isUsable(state: SyncState, peer: SyncPeer): boolean {
  if (state.now < peer.excludedUntil) return false;
  const { certified, sealers } = state.config;
  // Nothing proves a block without seals but who sent it. Source: raft 8
  if (!certified && !sealers.includes(peer.id)) return false;
  if (mayAnnounce(state)) return true;
  return state.now - peer.statusAt <= FREE_STATUS_LIFE_MS;
}

/** The highest usable peer above own height. Source: sync 4 */
export function highestPeer(state: SyncState): SyncPeer | undefined {
  let best: SyncPeer | undefined;
  for (const peer of state.peers.values()) {
    if (peer.number <= state.height || peer.number <= (best?.number ?? 0)) continue;
    if (isUsable(state, peer)) best = peer;
  }
  return best;
}

/** What is known at the end of a step of those that are ahead. Source: sync 4, 8 */
export function notePeers(state: SyncState): void {
  const best = highestPeer(state);
  state.knownHighest = best?.number ?? state.height;
  state.knownHash = best?.latestHash ?? state.head;
  noteUnprovable(state);
}

/**
 * Tells operators when this node learns of blocks while the sealers that it could take them of are
 * silent: they are down, or they were replaced while it was away. Source: raft 8
 */
function noteUnprovable(state: SyncState): void {
  const above = unprovablePeer(state);
  if (!above) {
    state.unprovable = undefined;
    return;
  }
  state.unprovable ??= { since: state.now, isReported: false };
  const { since, isReported } = state.unprovable;
  if (isReported || state.now < since + UNPROVABLE_MS) return;
  state.unprovable.isReported = true;
  const { id, number } = above;
  report(state, { event: "unprovable", peer: id, number, silent: silentSealers(state) });
}

/**
 * Blocks without seals prove nothing: a peer that speaks of one, while of the sealers none speaks
 * of it and too few speak at all to make one. A majority that speaks needs no help, no matter who
 * lies.
 */
function unprovablePeer(state: SyncState): SyncPeer | undefined {
  const { certified, sealers } = state.config;
  if (certified) return undefined;
  const silent = silentSealers(state);
  if (silent.length === 0 || silent.length * 2 < sealers.length) return undefined;
  const higher = freshPeers(state).filter(({ number }) => number > state.height);
  return higher.some(({ id }) => sealers.includes(id)) ? undefined : higher[0];
}

/** Sealers other than this node that have not said for a while where they stand. */
function silentSealers(state: SyncState): NodeId[] {
  const { self, sealers } = state.config;
  const heard = new Set(freshPeers(state).map(({ id }) => id));
  return sealers.filter((sealer) => sealer !== self && !heard.has(sealer));
}

function freshPeers({ peers, now }: SyncState): SyncPeer[] {
  return [...peers.values()].filter(({ statusAt }) => now - statusAt <= FREE_STATUS_LIFE_MS);
}

/**
 * Notes an offence and excludes the peer for a while: longer for a lie than for no answer, and
 * twice as long each time. What may be bad luck counts once for each exclusion, as nothing is asked
 * of the peer meanwhile: so it is excluded about as long as it went on, and not for minutes more
 * when it may be the only one that has a block. Source: sync 4 (DEVIATE)
 */
export function punish(state: SyncState, peer: SyncPeer, offence: Offence): void {
  state.counters.penalties++;
  const isLie = offence !== "silence" && offence !== "unasked";
  if (!isLie && state.now < peer.excludedUntil) return;
  // Bad luck of long ago says nothing about today.
  if (state.now > peer.excludedUntil + MAX_EXCLUSION_MS) peer.failures = 0;
  peer.failures++;
  if (isLie) {
    peer.lies++;
    peer.late = [];
  }
  const base = isLie ? LIE_EXCLUSION_MS : SILENCE_EXCLUSION_MS;
  const times = Math.min((isLie ? peer.lies : peer.failures) - 1, MAX_DOUBLINGS);
  const until = state.now + Math.min(base * 2 ** times, MAX_EXCLUSION_MS);
  peer.excludedUntil = Math.max(peer.excludedUntil, until);
  report(state, { event: "penalised", peer: peer.id, offence, until: peer.excludedUntil });
}

/** A block of the peer was imported: slowness is forgiven at once, lies little by little. */
export function credit(peer: SyncPeer): void {
  peer.failures = 0;
  peer.goodBlocks++;
  if (peer.lies === 0) peer.excludedUntil = Number.NEGATIVE_INFINITY;
  else if (peer.goodBlocks % GOOD_BLOCKS_PER_LIE === 0) peer.lies--;
}
