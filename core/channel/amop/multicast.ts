/** Multicasts: to all nodes that have the topic, and there to all clients. */
import { type Frame, HEADER_BYTES, MESSAGE_TYPE, readTopic } from "../frame.ts";
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import { reachable } from "./delivery.ts";
import { answerSender, candidatesOf } from "./exchange.ts";
import { MAX_CARRIED_BYTES } from "./peer-message.ts";
import { AMOP_RESULT, type Turn } from "./state.ts";

/**
 * A client sends to all that have a topic, itself included. It is answered at once, also when
 * nobody has it.
 *
 * Source: channel-protocol 3.1, 8.2, 8.3
 */
export function onMulticast(turn: Turn, session: number, { seq, data }: Frame): void {
  const { state, sight, effects } = turn;
  const read = readTopic(data);
  if (!read.ok && read.reason !== "pastEnd") return;
  const isCarried = data.length <= MAX_CARRIED_BYTES;
  const nodes = read.ok && isCarried ? candidatesOf(turn, read.topic) : [];
  const peers = nodes.filter((node) => node !== state.self);
  const bytes = (HEADER_BYTES + data.length) * nodes.length;
  const own = read.ok && nodes.length > peers.length ? reachable(turn, read.topic) : [];
  const isWithin =
    (own.length === 0 || sight.takeCopies(own.length)) &&
    (nodes.length === 0 || sight.takeBandwidth(bytes));
  if (!isWithin) {
    const answer = { result: AMOP_RESULT.overBandwidth, data: EMPTY_BYTES };
    answerSender(turn, { session, seq }, answer);
    return;
  }
  if (peers.length > 0) {
    effects.push({ type: "toPeers", peers, message: { type: "multicast", seq, data } });
  }
  answerSender(turn, { session, seq }, { result: AMOP_RESULT.success, data });
  deliver(turn, own, { seq, data });
}

/** What a peer's client sends to all goes to every client of this node that has the topic. */
export function deliverToAll(
  turn: Turn,
  topic: string,
  message: Pick<Frame, "seq" | "data">,
): void {
  const sessions = reachable(turn, topic);
  if (message.data.length > MAX_CARRIED_BYTES || !turn.sight.takeCopies(sessions.length)) return;
  deliver(turn, sessions, message);
}

function deliver(
  { effects }: Turn,
  sessions: readonly number[],
  { seq, data }: Pick<Frame, "seq" | "data">,
): void {
  if (sessions.length === 0) return;
  const frame: Frame = { type: MESSAGE_TYPE.amopMulticast, seq, result: 0, data };
  effects.push({ type: "toSessions", sessions, frame });
}
