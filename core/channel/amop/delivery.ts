/**
 * A unicast at the node of the receiver: one client after another is asked until one answers.
 *
 * Source: channel-protocol 8.1 (steps 4, 5); node-network 4
 */
import { byteString } from "../../bytes/byte-string.ts";
import { type Frame, MESSAGE_TYPE } from "../frame.ts";
import { AMOP_TIME, type Delivery, type Turn } from "./state.ts";

/** Names what a client was asked: frames of that session with that seq are the answer. */
export function askedKey(session: number, seq: Uint8Array): string {
  return `${session} ${byteString(seq)}`;
}

/**
 * Asks the next client that has the topic, at random.
 *
 * @returns false when there is none left
 */
export function askNextClient(turn: Turn, delivery: Delivery): boolean {
  const { state, sight, effects } = turn;
  const { topic, seq, data, tried } = delivery;
  const free = sight.subscribers(topic).filter((it) => !tried.has(it));
  const session = free[free.length === 0 ? 0 : sight.random(free.length)];
  if (session === undefined) return false;
  delivery.session = session;
  delivery.deadline = sight.now + AMOP_TIME.deliveryMs;
  tried.add(session);
  state.deliveries.add(delivery);
  const key = askedKey(session, seq);
  state.asked.set(key, [...(state.asked.get(key) ?? []), delivery]);
  const frame: Frame = { type: MESSAGE_TYPE.amopRequest, seq, result: 0, data };
  effects.push({ type: "toSession", session, frame });
  return true;
}

/** Forgets what a client was asked. */
export function withdraw({ state }: Turn, delivery: Delivery): void {
  state.deliveries.delete(delivery);
  const key = askedKey(delivery.session, delivery.seq);
  const left = (state.asked.get(key) ?? []).filter((it) => it !== delivery);
  if (left.length > 0) state.asked.set(key, left);
  else state.asked.delete(key);
}
