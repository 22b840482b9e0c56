/**
 * Unicasts, for which at the sender's node one node after another is tried, at the receiver's node
 * one client after another; and multicasts, which are answered at once.
 * Source: channel-protocol 8.1, 8.2, 8.3; node-network 4
 */
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { type Frame, HEADER_BYTES, MESSAGE_TYPE, readTopic } from "../frame.ts";
import { askNextClient, reachable, withdraw } from "./delivery.ts";
import { MAX_CARRIED_BYTES, type PeerMessage } from "./peer-message.ts";
import {
  AMOP_BOUNDS,
  AMOP_RESULT,
  AMOP_TIME,
  type Delivery,
  type Exchange,
  type NodeTopics,
  type StepContext,
} from "./state.ts";
import { isPrivateTopic, isReserved } from "./topic-name.ts";

/** Largest id; then they begin again, long after the first was done with. */
const MAX_ID = 0xffff_ffff;

/** Nodes to which a message of the topic may go. Source: channel-protocol 8.1.2, 8.4 */
function candidatesOf(context: StepContext, topic: string): NodeId[] {
  const { state } = context;
  if (isReserved(topic)) return [];
  const isUsable = (node: NodeTopics) => {
    const standing = node.topics.get(topic);
    return standing === "open" || standing === "verified";
  };
  const found = [...state.peers].filter(([, node]) => isUsable(node)).map(([peer]) => peer);
  const isOwn = !isPrivateTopic(topic) || isUsable(state.own);
  if (isOwn && reachable(context, topic).length > 0) found.push(state.self);
  return found;
}

type Reply = Pick<Frame, "result" | "data">;

/** An answer that says only what went wrong. */
function failed(result: number): Reply {
  return { result, data: EMPTY_BYTES };
}

/** The answer 0x31 to the client that sent. */
function answerSender(
  { effects }: StepContext,
  { session, seq }: Pick<Exchange, "session" | "seq">,
  { result, data }: Reply,
): void {
  const frame = { type: MESSAGE_TYPE.amopResponse, seq, result, data };
  effects.push({ type: "toSession", session, frame });
}

/** A client sends to one of those that have a topic. Source: channel-protocol 3.1, 8.1 */
export function onUnicast(context: StepContext, session: number, { seq, data }: Frame): void {
  const { state, sight } = context;
  const read = readTopic(data);
  if (!read.ok && read.reason !== "pastEnd") return;
  const sender = { session, seq };
  const refuse = (result: number) => answerSender(context, sender, failed(result));
  const isCarried = data.length <= MAX_CARRIED_BYTES;
  const untried = read.ok && isCarried ? candidatesOf(context, read.topic) : [];
  if (!read.ok || untried.length === 0 || !hasRoom(context, session, data)) {
    return refuse(AMOP_RESULT.unreachable);
  }
  if (!sight.takeBandwidth(HEADER_BYTES + data.length)) return refuse(AMOP_RESULT.overBandwidth);
  state.lastId = state.lastId >= MAX_ID ? 1 : state.lastId + 1;
  const exchange: Exchange = {
    id: state.lastId,
    session,
    seq: seq.slice(),
    topic: read.topic,
    data: ownBytes(data),
    deadline: sight.now + AMOP_TIME.exchangeMs,
    untried,
    current: undefined,
    wasRefused: false,
  };
  state.exchanges.set(exchange.id, exchange);
  state.perSession.set(session, (state.perSession.get(session) ?? 0) + 1);
  state.heldBytes += data.length;
  tryNextNode(context, exchange);
}

/**
 * Bytes for keeping: a short view would keep all that it was read with.
 *
 * @returns the bytes themselves when they are most of their buffer
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length * 2 >= bytes.buffer.byteLength ? bytes : bytes.slice();
}

function hasRoom({ state }: StepContext, session: number, data: Uint8Array): boolean {
  return (
    (state.perSession.get(session) ?? 0) < AMOP_BOUNDS.exchangesPerSession &&
    state.exchanges.size < AMOP_BOUNDS.exchanges &&
    state.heldBytes + data.length <= AMOP_BOUNDS.heldBytes
  );
}

/** One of the nodes that are left, at random; answers the sender when there is none. */
function tryNextNode(context: StepContext, exchange: Exchange): void {
  const { state, sight } = context;
  while (exchange.untried.length > 0) {
    const [node] = exchange.untried.splice(sight.random(exchange.untried.length), 1);
    exchange.current = node;
    if (node === state.self && askOwnClients(context, exchange)) return;
    if (node !== undefined && node !== state.self && askPeer(context, node, exchange)) return;
  }
  const { wasRefused, data } = exchange;
  const refused = { result: AMOP_RESULT.noSession, data };
  finish(context, exchange, wasRefused ? refused : failed(AMOP_RESULT.unreachable));
}

function askOwnClients(context: StepContext, { id, topic, seq, data }: Exchange): boolean {
  return askNextClient(context, newDelivery({ exchange: id }, { topic, seq, data }));
}

function askPeer({ state, effects }: StepContext, peer: NodeId, exchange: Exchange): boolean {
  const { id, seq, data } = exchange;
  if (!state.peers.has(peer)) return false;
  effects.push({ type: "toPeers", peers: [peer], message: { type: "request", id, seq, data } });
  return true;
}

function newDelivery(
  origin: Delivery["origin"],
  what: Pick<Delivery, "topic" | "seq" | "data">,
): Delivery {
  return { ...what, origin, tried: new Set(), session: 0, deadline: 0 };
}

/** Ends a unicast of an own client with the answer to it. */
function finish(context: StepContext, exchange: Exchange, answer: Reply): void {
  forget(context, exchange);
  answerSender(context, exchange, answer);
}

function forget({ state }: StepContext, { id, session, data }: Exchange): void {
  if (!state.exchanges.delete(id)) return;
  state.heldBytes -= data.length;
  const left = (state.perSession.get(session) ?? 1) - 1;
  if (left > 0) state.perSession.set(session, left);
  else state.perSession.delete(session);
}

/** A peer has a unicast for a client of this node. */
export function onRequest(
  context: StepContext,
  from: NodeId,
  { id, seq, data }: Extract<PeerMessage, { type: "request" }>,
): void {
  const { state } = context;
  const peer = state.peers.get(from);
  // One of the same number is under way: its answer answers both.
  if (!peer || peer.requests.has(id)) return;
  const read = readTopic(data);
  const isFull =
    peer.requests.size >= AMOP_BOUNDS.requestsPerPeer ||
    state.heldBytes + data.length > AMOP_BOUNDS.heldBytes;
  if (isFull || !read.ok) {
    return answerPeer(context, { peer: from, id }, failed(AMOP_RESULT.notDelivered));
  }
  const kept = { topic: read.topic, seq: seq.slice(), data: ownBytes(data) };
  const delivery = newDelivery({ peer: from, id }, kept);
  peer.requests.add(id);
  state.heldBytes += data.length;
  if (!askNextClient(context, delivery)) refuse(context, delivery);
}

/** No client of this node answers: the frame goes back. Source: channel-protocol 8.1.4 */
function refuse(context: StepContext, delivery: Delivery): void {
  const { origin, data } = delivery;
  if ("peer" in origin) {
    release(context, delivery);
    answerPeer(context, origin, { result: AMOP_RESULT.noSession, data });
    return;
  }
  const exchange = context.state.exchanges.get(origin.exchange);
  if (!exchange) return;
  exchange.wasRefused = true;
  tryNextNode(context, exchange);
}

function answerPeer(
  { effects }: StepContext,
  { peer, id }: { readonly peer: NodeId; readonly id: number },
  { result, data }: Reply,
): void {
  effects.push({ type: "toPeers", peers: [peer], message: { type: "answer", id, result, data } });
}

/** A request of a peer is no longer under way here. */
function release({ state }: StepContext, { origin, data }: Delivery): void {
  if (!("peer" in origin)) return;
  const isKnown = state.peers.get(origin.peer)?.requests.delete(origin.id) ?? false;
  if (isKnown) state.heldBytes -= data.length;
}

/** A client of this node has answered. Source: channel-protocol 8.1.5 */
export function onClientAnswer(context: StepContext, delivery: Delivery, frame: Frame): void {
  withdraw(context, delivery);
  const { origin } = delivery;
  const isCarried = frame.data.length <= MAX_CARRIED_BYTES;
  if ("exchange" in origin) {
    const exchange = context.state.exchanges.get(origin.exchange);
    const answer = isCarried ? frame : failed(AMOP_RESULT.unreachable);
    if (exchange) finish(context, exchange, answer);
    return;
  }
  release(context, delivery);
  answerPeer(context, origin, isCarried ? frame : failed(AMOP_RESULT.notDelivered));
}

/** A peer answers; answers that no caller waits for are dropped. Source: node-network 8 */
export function onAnswer(
  context: StepContext,
  from: NodeId,
  { id, result, data }: Extract<PeerMessage, { type: "answer" }>,
): void {
  const exchange = context.state.exchanges.get(id);
  if (exchange?.current !== from) return;
  if (result === AMOP_RESULT.noSession) exchange.wasRefused = true;
  const hasFailed = result === AMOP_RESULT.noSession || result === AMOP_RESULT.notDelivered;
  if (hasFailed) tryNextNode(context, exchange);
  else finish(context, exchange, { result, data });
}

/**
 * Clients that were too slow give way to others, unicasts that took too long end: this many at a
 * time that others have their turn.
 */
export function onExchangeTime(context: StepContext): void {
  const { state, sight } = context;
  let left: number = AMOP_BOUNDS.endsAtOnce;
  for (const exchange of state.exchanges.values()) {
    if (exchange.deadline > sight.now || left-- <= 0) break;
    finish(context, exchange, failed(AMOP_RESULT.unreachable));
  }
  // Those that are asked anew go to the end, beyond what is overdue.
  for (const delivery of state.deliveries) {
    if (delivery.deadline > sight.now || left-- <= 0) break;
    passOn(context, delivery);
  }
}

/** The client that was asked does not answer. */
function passOn(context: StepContext, delivery: Delivery): void {
  withdraw(context, delivery);
  const { origin } = delivery;
  const isWanted = "peer" in origin || context.state.exchanges.has(origin.exchange);
  if (isWanted && !askNextClient(context, delivery)) refuse(context, delivery);
}

/** Unicasts of the session end unanswered, those for it go to others. */
export function onSessionGone(context: StepContext, session: number): void {
  const { state } = context;
  for (const exchange of [...state.exchanges.values()]) {
    if (exchange.session === session) forget(context, exchange);
  }
  for (const delivery of [...state.deliveries]) {
    if (delivery.session === session) passOn(context, delivery);
  }
}

/** Unicasts to the node go elsewhere, those from it are wanted no more. */
export function onPeerGone(context: StepContext, peer: NodeId): void {
  const { state } = context;
  for (const delivery of [...state.deliveries]) {
    if (!("peer" in delivery.origin) || delivery.origin.peer !== peer) continue;
    withdraw(context, delivery);
    state.heldBytes -= delivery.data.length;
  }
  for (const exchange of [...state.exchanges.values()]) {
    if (exchange.current === peer) tryNextNode(context, exchange);
  }
}

// --- multicasts: to all nodes that have the topic, and there to all clients

/**
 * A client sends to all that have a topic, itself included. It is answered at once, also when
 * nobody has it. Source: channel-protocol 3.1, 8.2, 8.3
 */
export function onMulticast(context: StepContext, session: number, { seq, data }: Frame): void {
  const { state, sight, effects } = context;
  const read = readTopic(data);
  if (!read.ok && read.reason !== "pastEnd") return;
  const isCarried = data.length <= MAX_CARRIED_BYTES;
  const nodes = read.ok && isCarried ? candidatesOf(context, read.topic) : [];
  const peers = nodes.filter((node) => node !== state.self);
  const bytes = (HEADER_BYTES + data.length) * nodes.length;
  const own = read.ok && nodes.length > peers.length ? reachable(context, read.topic) : [];
  const isWithin =
    (own.length === 0 || sight.takeCopies(own.length)) &&
    (nodes.length === 0 || sight.takeBandwidth(bytes));
  if (!isWithin) {
    return answerSender(context, { session, seq }, failed(AMOP_RESULT.overBandwidth));
  }
  if (peers.length > 0) {
    effects.push({ type: "toPeers", peers, message: { type: "multicast", seq, data } });
  }
  answerSender(context, { session, seq }, { result: AMOP_RESULT.success, data });
  deliver(context, own, { seq, data });
}

/** What a peer's client sends to all goes to every client of this node that has the topic. */
export function deliverToAll(
  context: StepContext,
  topic: string,
  message: Pick<Frame, "seq" | "data">,
): void {
  const sessions = reachable(context, topic);
  if (message.data.length > MAX_CARRIED_BYTES || !context.sight.takeCopies(sessions.length)) return;
  deliver(context, sessions, message);
}

function deliver(
  { effects }: StepContext,
  sessions: readonly number[],
  { seq, data }: Pick<Frame, "seq" | "data">,
): void {
  if (sessions.length === 0) return;
  const frame: Frame = { type: MESSAGE_TYPE.amopMulticast, seq, result: 0, data };
  effects.push({ type: "toSessions", sessions, frame });
}
