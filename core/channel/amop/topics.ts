/**
 * Who has which topics: announcing own ones, believing those of peers, verifying private ones.
 * Source: channel-protocol 7.1, 8.4; node-network 4
 */
import { utf8Bytes, utf8Text } from "../../bytes/byte-string.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { isObject, parseJson } from "../../rpc/json.ts";
import { type Frame, MESSAGE_TYPE, SEQ_BYTES } from "../frame.ts";
import { askedKey } from "./delivery.ts";
import { MAX_TOPICS, type PeerMessage } from "./peer-message.ts";
import {
  AMOP_BOUNDS,
  AMOP_TIME,
  type AmopState,
  type NodeTopics,
  newNodeTopics,
  type TopicState,
  type StepContext,
} from "./state.ts";
import { fairUnion, hasTopic, subscribersOf } from "./topic-index.ts";
import { isPrivateTopic, proofTopics, publisherTopic } from "./topic-name.ts";

/** Numbers of topic sets begin again after this one. */
const MAX_TOPIC_SEQ = 0xffff_ffff;

/** Topics that count: of own ones all, of a peer's those that are open or verified. */
export function shownTopics({ topics }: NodeTopics, isOwn: boolean): string[] {
  const isShown = (standing: TopicState) => isOwn || standing === "open" || standing === "verified";
  return [...topics].filter(([, standing]) => isShown(standing)).map(([topic]) => topic);
}

/** Announces at once what has changed, but not more often than peers can follow. */
export function announceIfDue(context: StepContext): void {
  const { state, sight } = context;
  if (!state.hasChanged || state.nextAnnounce > sight.now) return;
  state.hasChanged = false;
  state.nextAnnounce = sight.now + AMOP_TIME.announceMs;
  const topics = fairUnion(state.index, MAX_TOPICS);
  const { own } = state;
  const isSame = topics.length === own.topics.size && topics.every((it) => own.topics.has(it));
  if (isSame) return;
  const topicSeq = own.topicSeq ?? 0;
  own.topicSeq = topicSeq >= MAX_TOPIC_SEQ ? 1 : topicSeq + 1;
  own.topics = statesOf(topics, own);
  announce(context, [...state.peers.keys()]);
  for (const node of [state.self, ...state.peers.keys()]) verifyTopics(context, node);
}

/** A topic that stays keeps its state; a private one begins unverified. */
function statesOf(topics: readonly string[], before: NodeTopics): Map<string, TopicState> {
  const stateOf = (topic: string): TopicState =>
    before.topics.get(topic) ?? (isPrivateTopic(topic) ? "verifying" : "open");
  return new Map(topics.map((topic) => [topic, stateOf(topic)]));
}

function announce({ state, effects }: StepContext, peers: readonly NodeId[]): void {
  if (peers.length === 0) return;
  const { topicSeq, topics } = state.own;
  const message = { type: "topics", topicSeq: topicSeq ?? 0, topics: [...topics.keys()] } as const;
  effects.push({ type: "toPeers", peers, message });
}

/** The number of the topics to all peers, and another attempt at what is not verified. */
export function beatIfDue(context: StepContext): void {
  const { state, sight, effects } = context;
  if (state.nextBeat > sight.now) return;
  state.nextBeat = sight.now + AMOP_TIME.beatMs;
  const topicSeq = state.own.topicSeq ?? 0;
  const peers = [...state.peers.keys()];
  // Who never had a topic has nothing to tell.
  if (topicSeq > 0 && peers.length > 0) {
    effects.push({ type: "toPeers", peers, message: { type: "topicSeq", topicSeq } });
  }
  for (const node of [state.self, ...peers]) verifyTopics(context, node);
}

/** A peer is connected: nothing of what it said before counts. */
export function onPeerUp(context: StepContext, peer: NodeId): void {
  context.state.peers.set(peer, newNodeTopics(undefined));
  if ((context.state.own.topicSeq ?? 0) > 0) announce(context, [peer]);
}

/** A peer speaks of topics. */
export function onTopicMessage(
  context: StepContext,
  from: NodeId,
  message: Extract<PeerMessage, { type: "topics" | "topicSeq" | "ask" }>,
): void {
  const { state, sight, effects } = context;
  const peer = state.peers.get(from);
  if (!peer) return;
  switch (message.type) {
    case "ask":
      if (peer.toldUntil > sight.now) return;
      peer.toldUntil = sight.now + AMOP_TIME.tellMs;
      announce(context, [from]);
      return;
    case "topicSeq":
      if (peer.topicSeq === message.topicSeq || peer.askedUntil > sight.now) return;
      peer.askedUntil = sight.now + AMOP_TIME.beatMs;
      effects.push({ type: "toPeers", peers: [from], message: { type: "ask" } });
      return;
    case "topics":
      peer.topicSeq = message.topicSeq;
      peer.askedUntil = 0;
      peer.topics = statesOf(message.topics, peer);
      if (peer.verifiedUntil > sight.now) return;
      peer.verifiedUntil = sight.now + AMOP_TIME.verifyPauseMs;
      verifyTopics(context, from);
      return;
  }
}

/**
 * Asks publishers among the own clients to verify what a node has. Source: channel-protocol 8.4.1
 */
function verifyTopics(context: StepContext, node: NodeId): void {
  const { state } = context;
  const known = node === state.self ? state.own : state.peers.get(node);
  const topics = known?.topics ?? new Map<string, TopicState>();
  const proofs = proofTopics(topics.keys());
  for (const [topic, topicForCert] of proofs) {
    if (topics.get(topic) !== "verifying" || state.verifying.has(verifyKey(node, topic))) continue;
    askPublisher(context, { nodeId: node, topic, topicForCert });
  }
}

function verifyKey(node: NodeId, topic: string): string {
  return `${node} ${topic}`;
}

/** A request to a publisher is over. @returns false when there was none */
export function endVerification({ verifications, verifying }: AmopState, key: string): boolean {
  const asked = verifications.get(key);
  if (!asked) return false;
  verifying.delete(verifyKey(asked.node, asked.topic));
  return verifications.delete(key);
}

/** The members of 0x37, in the order in which they are written. Source: channel-protocol 8.4 */
interface VerifyRequest {
  readonly nodeId: NodeId;
  readonly topic: string;
  readonly topicForCert: string;
}

function askPublisher({ state, sight, effects }: StepContext, request: VerifyRequest): void {
  const { nodeId: node, topic } = request;
  const publishers = subscribersOf(state.index, publisherTopic(topic));
  const session = publishers[publishers.length === 0 ? 0 : sight.random(publishers.length)];
  if (session === undefined) return;
  state.lastVerification += 1;
  const seq = utf8Bytes(String(state.lastVerification).padStart(SEQ_BYTES, "0"));
  const deadline = sight.now + AMOP_TIME.verifyMs;
  state.verifications.set(askedKey(session, seq), { session, node, topic, deadline });
  state.verifying.add(verifyKey(node, topic));
  const data = utf8Bytes(`${JSON.stringify(request)}\n`);
  const frame: Frame = { type: MESSAGE_TYPE.topicVerify, seq, result: 0, data };
  effects.push({ type: "toSession", session, frame });
}

/** Requests to publishers that were not answered are forgotten; the next beat asks again. */
export function onVerifyTime({ state, sight }: StepContext): void {
  for (const [key, { deadline }] of state.verifications) {
    if (deadline > sight.now) break;
    endVerification(state, key);
  }
}

/**
 * A publisher says whether a node's topic is genuine; only who publishes it may say so.
 * Source: channel-protocol 8.4.4, 8.4.5
 */
export function onTopicStatus({ state }: StepContext, session: number, frame: Frame): void {
  if (frame.data.length > AMOP_BOUNDS.statusBytes) return;
  const request = parseJson(utf8Text(frame.data));
  if (!isObject(request)) return;
  const { checkResult, nodeId, topic } = request;
  if (!Number.isInteger(checkResult) || typeof topic !== "string") return;
  if (!isPrivateTopic(topic) || !hasTopic(state.index, session, publisherTopic(topic))) return;
  const node = nodeId === state.self ? state.own : state.peers.get(nodeId as NodeId);
  if (!node?.topics.has(topic)) return;
  node.topics.set(topic, checkResult === 0 ? "verified" : "failed");
}
