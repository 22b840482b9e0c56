/**
 * Node-to-node messages as a port. Messages of one peer and class arrive in order or not at all.
 */
import type { GroupId, NodeId } from "../bytes/ids.ts";

/**
 * What a message is about: the class decides queue, bound and priority. Messages about topics
 * belong to no group: theirs is 0.
 */
export type MessageClass = "consensus" | "transactions" | "blocks" | "topics";

/** A message that arrived; `from` is authenticated by the transport. */
export interface Incoming {
  readonly from: NodeId;
  readonly groupId: GroupId;
  readonly kind: MessageClass;
  readonly bytes: Uint8Array;
}

/** What the owner thinks of a message that it has not taken yet. */
export interface PeerAdmission {
  /** Whether it is taken; what is not is counted and dropped. */
  readonly isAdmitted: boolean;
  /** How much of it its sender was not asked for, from 0 to 1; too much of that is an offence. */
  readonly charge: number;
}

/** What the network tells its owner. */
export interface NetworkEvents {
  message(message: Incoming): void;
  /** Asked before `message` by networks of peers that may misbehave; absent: all is heard. */
  admission?(message: Incoming): PeerAdmission;
  peerUp(peer: NodeId): void;
  peerDown(peer: NodeId): void;
}

/** A connected peer, for getPeers. */
export interface PeerInfo {
  readonly nodeId: NodeId;
  /** `ip:port`, IPv6 as `[ip]:port`. */
  readonly endpoint: string;
  readonly agency: string;
  readonly node: string;
  readonly topics: readonly string[];
  /** Of the peer protocol; absent: the newest. Source: decision 34 */
  readonly version?: number;
}

/**
 * Best-effort datagrams to connected peers. `send` never blocks; a full queue drops the oldest of
 * its class and counts it.
 */
export interface Network {
  readonly self: NodeId;
  peers(): readonly PeerInfo[];
  start(events: NetworkEvents): Promise<void>;
  send(
    to: NodeId,
    message: { readonly groupId: GroupId; readonly kind: MessageClass; readonly bytes: Uint8Array },
  ): void;
  /**
   * Ends the connection to a peer that misbehaved in a group and keeps it out for a while. Returns
   * before anything happens: `peerDown` comes in a later turn. A network of trusted peers may lack
   * it.
   */
  penalise?(peer: NodeId, reason: string): void;
  stop(): Promise<void>;
}
