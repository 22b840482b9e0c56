/** How messages about topics, which have no group, reach their users. Source: node-network 4 */
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import type { TokenBucket } from "../../limits/token-bucket.ts";

/** Stands for the group of what belongs to none. Source: node-network 3 */
export const NO_GROUP: GroupId = 0;

/** What the node reports the one who exchanges topics. */
export interface TopicsExtension {
  onMessage(from: NodeId, bytes: Uint8Array): void;
  onPeerUp(peer: NodeId): void;
  onPeerDown(peer: NodeId): void;
  /** Topics of a peer that count, for getPeers. */
  topicsOf(peer: NodeId): readonly string[];
  /** Topics of this node, for getNodeInfo. */
  ownTopics(): readonly string[];
}

/** What the node lends to its extension. */
export interface TopicsLine {
  readonly self: NodeId;
  /** Connected at the moment; later ones are told. */
  peers(): readonly NodeId[];
  send(to: NodeId, bytes: Uint8Array): void;
  penalise(peer: NodeId, reason: string): void;
  /** The limiter of what the node sends; absent: unlimited. Source: channel-protocol 8.3 */
  readonly bandwidth: TokenBucket | undefined;
}
