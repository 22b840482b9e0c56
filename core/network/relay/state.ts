/** What a node remembers of the messages that it passes on, and its bounds. Source: pbft 3, 11 */
import type { NodeId } from "../../bytes/ids.ts";
import type { RelayTuning } from "../../model/config.ts";

/**
 * So long a message goes to each receiver once. Then it is a new one: its author says it again
 * because somebody may have missed it. Source: pbft 11, 16.3.9
 */
export const REPEAT_MS = 500;
/** Messages remembered of each peer that brought them; at the bound the oldest is forgotten. */
export const MESSAGES_OF_ONE = 1_024;
/** Messages of one sealer that are taken for passing on from one peer in a second. */
export const MESSAGES_A_SECOND = 128;
/** And their bytes; the largest message passes. */
export const BYTES_A_SECOND = 16 * 1024 * 1024;

/** One message that came for passing on, or that this node has sent. */
export function newMessage(at: number, carrier: NodeId) {
  return {
    /** When its first copy came. */
    at,
    carrier,
    /** Copies of what is not verified yet wait; what is bad goes nowhere. */
    verdict: "pending" as "pending" | "good" | "bad",
    author: undefined as NodeId | undefined,
    /** Who has it: sent from here, or came from there. */
    holders: new Set<NodeId>(),
    /** Hops that are left. */
    ttl: 0,
    /** Who was named as missing in any copy. */
    missing: new Set<NodeId>(),
    byList: false,
  };
}
/** See {@link newMessage}. */
export type RelayedMessage = ReturnType<typeof newMessage>;

/** What came within a second. */
interface Share {
  since: number;
  count: number;
  bytes: number;
}

/** A node that has heard nothing. */
export function createRelay(self: NodeId, tuning: RelayTuning) {
  return {
    self,
    tuning,
    sealers: new Set() as ReadonlySet<NodeId>,
    /** Sealers with a session. */
    connected: new Set() as ReadonlySet<NodeId>,
    /** Those of them that pass on. */
    links: new Set() as ReadonlySet<NodeId>,
    messages: new Map<string, RelayedMessage>(),
    /** Names of the words of each carrier, the oldest first. */
    carried: new Map<NodeId, Set<string>>(),
    /** By carrier, then by the sealer that is named as the author. */
    shares: new Map<NodeId, Map<NodeId, Share>>(),
    /** Messages beyond a share, counted. */
    dropped: 0,
  };
}
/** All of it; changed in place by this folder only. */
export type RelayState = ReturnType<typeof createRelay>;

/** Remembers a word; of its carrier's only this many, and none for long. */
export function remember(state: RelayState, id: string, message: RelayedMessage): void {
  forget(state, id);
  const names = state.carried.get(message.carrier) ?? new Set();
  state.carried.set(message.carrier, names);
  for (const oldest of names) {
    const known = state.messages.get(oldest);
    const isOld = known !== undefined && message.at >= known.at + REPEAT_MS;
    if (!isOld && names.size < MESSAGES_OF_ONE) break;
    names.delete(oldest);
    state.messages.delete(oldest);
  }
  names.add(id);
  state.messages.set(id, message);
}

/** A word that is known, unless that is so long ago that it may be sent again. */
export function known(state: RelayState, id: string, now: number): RelayedMessage | undefined {
  const message = state.messages.get(id);
  return message && now < message.at + REPEAT_MS ? message : undefined;
}

/** Forgets a word. */
export function forget(state: RelayState, id: string): void {
  const message = state.messages.get(id);
  if (!message) return;
  state.messages.delete(id);
  state.carried.get(message.carrier)?.delete(id);
}

/** Forgets what a peer brought that is no link any more. */
export function forgetCarrier(state: RelayState, carrier: NodeId): void {
  for (const id of state.carried.get(carrier) ?? []) state.messages.delete(id);
  state.carried.delete(carrier);
  state.shares.delete(carrier);
}

/** Whether one more message of a carrier and the sealer that is named is taken now. */
export function takesShare(
  state: RelayState,
  { carrier, speaker }: { readonly carrier: NodeId; readonly speaker: NodeId },
  { now, bytes }: { readonly now: number; readonly bytes: number },
): boolean {
  const ofCarrier = state.shares.get(carrier) ?? new Map<NodeId, Share>();
  state.shares.set(carrier, ofCarrier);
  let share = ofCarrier.get(speaker);
  if (!share || now >= share.since + 1_000) {
    share = { since: now, count: 0, bytes: 0 };
    ofCarrier.set(speaker, share);
  }
  if (share.count >= MESSAGES_A_SECOND || share.bytes + bytes > BYTES_A_SECOND) {
    state.dropped++;
    return false;
  }
  share.count++;
  share.bytes += bytes;
  return true;
}
