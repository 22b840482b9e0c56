/**
 * Messages between clients (AMOP) as a step: frames of clients, messages of peers and time in,
 * frames and messages out. The state is changed in place: what is under way may be many.
 * Source: channel-protocol 8; node-network 4
 */
import type { NodeId } from "../../bytes/ids.ts";
import { type Frame, MESSAGE_TYPE, readTopic } from "../frame.ts";
import { askedKey } from "./delivery.ts";
import {
  deliverToAll,
  onAnswer,
  onClientAnswer,
  onExchangeTime,
  onMulticast,
  onPeerGone,
  onRequest,
  onSessionGone,
  onUnicast,
} from "./exchange.ts";
import type { PeerMessage } from "./peer-message.ts";
import type { AmopEffect, AmopInput, AmopSight, AmopState, StepContext } from "./state.ts";
import {
  announceIfDue,
  beatIfDue,
  endVerification,
  onPeerUp,
  onTopicMessage,
  onTopicStatus,
  onVerifyTime,
} from "./topics.ts";
import { setTopics } from "./topic-index.ts";

const NO_TOPICS: ReadonlySet<string> = new Set();

/** Takes one input. @returns what is to be done, in order */
export function step(state: AmopState, sight: AmopSight, input: AmopInput): readonly AmopEffect[] {
  const context: StepContext = { state, sight, effects: [] };
  switch (input.type) {
    case "frame":
      onFrame(context, input.session, input.frame);
      break;
    case "sessionClosed":
      onTopics(context, input.session, NO_TOPICS);
      for (const [key, asked] of state.verifications) {
        if (asked.session === input.session) endVerification(state, key);
      }
      onSessionGone(context, input.session);
      break;
    case "topicsChanged":
      onTopics(context, input.session, input.topics);
      break;
    case "peerUp":
      onPeerUp(context, input.peer);
      break;
    case "peerDown":
      onPeerDown(context, input.peer);
      break;
    case "message":
      onMessage(context, input.from, input.message);
      break;
    case "tick":
      onVerifyTime(context);
      onExchangeTime(context);
      beatIfDue(context);
      break;
  }
  announceIfDue(context);
  return context.effects;
}

/**
 * Whether a frame is for this step: its type, or it may answer what was asked of its session.
 * Source: channel-protocol 3.1 (response frame)
 */
export function isForAmop(state: AmopState, session: number, { type, seq }: Frame): boolean {
  switch (type) {
    case MESSAGE_TYPE.amopRequest:
    case MESSAGE_TYPE.amopResponse:
    case MESSAGE_TYPE.amopMulticast:
    case MESSAGE_TYPE.topicVerify:
    case MESSAGE_TYPE.topicStatus:
      return true;
  }
  if (state.asked.size === 0 && state.verifications.size === 0) return false;
  const key = askedKey(session, seq);
  return state.asked.has(key) || state.verifications.has(key);
}

/** When the input `tick` is wanted, in steady milliseconds; undefined while nothing waits. */
export function nextTick(state: AmopState): number | undefined {
  const isBeating = (state.own.topicSeq ?? 0) > 0;
  const times = [
    first(state.exchanges.values())?.deadline,
    first(state.deliveries)?.deadline,
    first(state.verifications.values())?.deadline,
    state.hasChanged ? state.nextAnnounce : undefined,
    isBeating ? state.nextBeat : undefined,
  ].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}

function onTopics({ state }: StepContext, session: number, topics: ReadonlySet<string>): void {
  if (topics.size === 0 && !state.index.sessions.has(session)) return;
  setTopics(state.index, session, topics);
  state.hasChanged = true;
}

function onFrame(context: StepContext, session: number, frame: Frame): void {
  const { state } = context;
  const key = askedKey(session, frame.seq);
  // A caller that sends a unicast chooses its seq, and may choose that of a 0x37.
  if (frame.type === MESSAGE_TYPE.topicVerify && endVerification(state, key)) return;
  const delivery = first(state.asked.get(key) ?? []);
  if (delivery) return onClientAnswer(context, delivery, frame);
  if (endVerification(state, key)) return;
  switch (frame.type) {
    case MESSAGE_TYPE.amopRequest:
      return onUnicast(context, session, frame);
    case MESSAGE_TYPE.amopMulticast:
      return onMulticast(context, session, frame);
    case MESSAGE_TYPE.topicStatus:
      return onTopicStatus(context, session, frame);
  }
}

function onPeerDown(context: StepContext, peer: NodeId): void {
  if (!context.state.peers.delete(peer)) return;
  for (const [key, { node }] of context.state.verifications) {
    if (node === peer) endVerification(context.state, key);
  }
  onPeerGone(context, peer);
}

function onMessage(context: StepContext, from: NodeId, message: PeerMessage): void {
  if (!context.state.peers.has(from)) return;
  switch (message.type) {
    case "topics":
    case "topicSeq":
    case "ask":
      return onTopicMessage(context, from, message);
    case "request":
      return onRequest(context, from, message);
    case "answer":
      return onAnswer(context, from, message);
    case "multicast": {
      const read = readTopic(message.data);
      if (read.ok) deliverToAll(context, read.topic, message);
      return;
    }
  }
}
