/** The messages between clients of a node and its peers: state, inputs and effects of the step. */
import type { NodeId } from "../../bytes/ids.ts";
import type { Frame } from "../frame.ts";
import type { PeerMessage } from "./peer-message.ts";
import { emptyIndex, type TopicIndex } from "./topic-index.ts";

/** Results in frames 0x31 and between nodes. Source: channel-protocol 9 */
export const AMOP_RESULT = {
  success: 0,
  unreachable: 100,
  notDelivered: 101,
  overBandwidth: 103,
  noSession: 104,
} as const;

/** Time limits. Source: channel-protocol 8, 11; node-network 4 */
export const AMOP_TIME = {
  /** A whole unicast, over all nodes that are tried. */
  exchangeMs: 30_000,
  /** One client that is asked. */
  deliveryMs: 5_000,
  /** The answer to 0x37. */
  verifyMs: 5_000,
  /** Between telling peers the number of the topics, and between attempts to verify. */
  beatMs: 5_000,
  /** Between two announcements; the first goes at once. */
  announceMs: 100,
  /** A peer is told all topics no more often than this when it asks. */
  tellMs: 1_000,
  /** Between examines what announcements of one peer have left to verify; the beat looks too. */
  verifyPauseMs: 50,
} as const;

/** What is held at most. */
export const AMOP_BOUNDS = {
  /** Unicasts of one client under way; more are answered with 100. */
  exchangesPerSession: 128,
  exchanges: 16_384,
  /** Unicasts of one peer under way here; more are answered with 101. */
  requestsPerPeer: 1_024,
  /** Data of all that is under way; what does not fit is answered with 100 or 101. */
  heldBytes: 64 * 1024 * 1024,
  /** Of the clients of a topic this many are examined for one that reads and was not asked. */
  looks: 64,
  /** What is overdue is ended this many at a time; the rest follows after others had their turn. */
  endsAtOnce: 1_024,
  /** Copies of multicasts to clients of this node per second; above it a sender is told 103. */
  copiesPerSecond: 10_000,
  /** A longer 0x38 is ignored: it holds two names and a number. */
  statusBytes: 4_096,
} as const;

/** How a topic of a node stands; only open and verified ones are used. */
export type TopicState = "open" | "verifying" | "verified" | "failed";

/** What is known of a node's topics. */
export interface NodeTopics {
  /** Undefined until it has told them. */
  topicSeq: number | undefined;
  topics: Map<string, TopicState>;
  /** Until then it is not asked again. */
  askedUntil: number;
  /** Until then it is not reported again. */
  toldUntil: number;
  /** Until then its announcements are left to the next beat to verify. */
  verifiedUntil: number;
  /** Ids of its unicasts that are under way here. */
  readonly requests: Set<number>;
}

/** A unicast of a client of this node. */
export interface Exchange {
  readonly id: number;
  readonly session: number;
  readonly seq: Uint8Array;
  readonly topic: string;
  readonly data: Uint8Array;
  readonly deadline: number;
  /** Nodes that have the topic and were not tried, this one maybe included. */
  readonly untried: NodeId[];
  /** The node that is tried. */
  current: NodeId | undefined;
  /** Some node has the topic and no client that answers. */
  wasRefused: boolean;
}

/** A unicast that waits for a client of this node. */
export interface Delivery {
  /** An exchange of this node, or a request of a peer. */
  readonly origin: { readonly exchange: number } | { readonly peer: NodeId; readonly id: number };
  readonly topic: string;
  readonly seq: Uint8Array;
  readonly data: Uint8Array;
  readonly tried: Set<number>;
  session: number;
  deadline: number;
}

/** A publisher that was asked to verify a topic of a node. */
export interface Verification {
  readonly session: number;
  readonly node: NodeId;
  readonly topic: string;
  readonly deadline: number;
}

/** What the step knows; it changes it in place. */
export interface AmopState {
  readonly self: NodeId;
  /** Topics of the sessions of this node. */
  readonly index: TopicIndex;
  /** Connected nodes. */
  readonly peers: Map<NodeId, NodeTopics>;
  /** This node's own topics as they were announced. */
  readonly own: NodeTopics;
  /** By id; the oldest first, so also by deadline. */
  readonly exchanges: Map<number, Exchange>;
  /** By deadline. */
  readonly deliveries: Set<Delivery>;
  /** By {@link askedKey}, the oldest first: other senders may have chosen the same seq. */
  readonly asked: Map<string, Set<Delivery>>;
  /** By {@link askedKey}; by deadline. */
  readonly verifications: Map<string, Verification>;
  /** Node and topic of those: each is asked for once at a time. */
  readonly verifying: Set<string>;
  /** Unicasts under way by session. */
  readonly perSession: Map<number, number>;
  heldBytes: number;
  lastId: number;
  /** Counter of the `seq` of 0x37. */
  lastVerification: number;
  /** The topics of the sessions may not be the announced ones. */
  hasChanged: boolean;
  nextAnnounce: number;
  nextBeat: number;
}

/** Nothing known, nothing under way. */
export function newAmopState(self: NodeId): AmopState {
  return {
    self,
    index: emptyIndex(),
    peers: new Map(),
    own: newNodeTopics(0),
    exchanges: new Map(),
    deliveries: new Set(),
    asked: new Map(),
    verifications: new Map(),
    verifying: new Set(),
    perSession: new Map(),
    heldBytes: 0,
    lastId: 0,
    lastVerification: 0,
    hasChanged: false,
    nextAnnounce: 0,
    nextBeat: 0,
  };
}

/** A node of which nothing is known but the number. */
export function newNodeTopics(topicSeq: number | undefined): NodeTopics {
  const times = { askedUntil: 0, toldUntil: 0, verifiedUntil: 0 };
  return { topicSeq, topics: new Map(), ...times, requests: new Set() };
}

/** What the step sees of the port, as it is at the moment. */
export interface AmopSight {
  /** Steady milliseconds. */
  readonly now: number;
  /** Whether a session may be sent so much that it has not asked for: it reads what it is sent. */
  isFree(session: number, bytes: number): boolean;
  /** A random integer from 0 to below the count. */
  random(count: number): number;
  /** Takes from the outgoing bandwidth; false when there is not enough. */
  takeBandwidth(bytes: number): boolean;
  /** Takes from the multicasts that may be copied; false when there are not enough. */
  takeCopies(count: number): boolean;
}

/** What happened. */
export type AmopInput =
  | { readonly type: "frame"; readonly session: number; readonly frame: Frame }
  | { readonly type: "sessionClosed"; readonly session: number }
  | {
      readonly type: "topicsChanged";
      readonly session: number;
      readonly topics: ReadonlySet<string>;
    }
  | { readonly type: "peerUp"; readonly peer: NodeId }
  | { readonly type: "peerDown"; readonly peer: NodeId }
  | { readonly type: "message"; readonly from: NodeId; readonly message: PeerMessage }
  | { readonly type: "tick" };

/** What is to be done, in this order. */
export type AmopEffect =
  | { readonly type: "toSession"; readonly session: number; readonly frame: Frame }
  /** A multicast: sessions that are not free are left out. */
  | { readonly type: "toSessions"; readonly sessions: readonly number[]; readonly frame: Frame }
  | { readonly type: "toPeers"; readonly peers: readonly NodeId[]; readonly message: PeerMessage };

/** One step: what it knows and sees, and what is to be done. */
export interface StepContext {
  readonly state: AmopState;
  readonly sight: AmopSight;
  readonly effects: AmopEffect[];
}
