/**
 * A unicast at the node of the receiver: one client after another is asked until one answers.
 * Source: channel-protocol 8.1.4, 8.1.5; node-network 4
 */
import { byteString } from "../../bytes/byte-string.ts";
import { type Frame, HEADER_BYTES, MESSAGE_TYPE } from "../frame.ts";
import { AMOP_BOUNDS, AMOP_TIME, type Delivery, type StepContext } from "./state.ts";
import { subscribersOf } from "./topic-index.ts";
import { isReserved } from "./topic-name.ts";

/** Names what a client was asked: frames of that session with that seq are the answer. */
export function askedKey(session: number, seq: Uint8Array): string {
  return `${session} ${byteString(seq)}`;
}

/** Clients of this node to which messages of the topic go. Source: channel-protocol 4, 8 */
export function reachable({ state }: StepContext, topic: string): readonly number[] {
  return isReserved(topic) ? [] : subscribersOf(state.index, topic);
}

/** One at random that was not asked and reads what it is sent; the looks are bounded. */
function draw(context: StepContext, { topic, data, tried }: Delivery): number | undefined {
  const { sight } = context;
  const all = reachable(context, topic);
  const looks = Math.min(all.length, AMOP_BOUNDS.looks);
  const start = looks === 0 ? 0 : sight.random(all.length);
  for (let i = 0; i < looks; i++) {
    const session = all[(start + i) % all.length];
    if (session === undefined || tried.has(session)) continue;
    if (sight.isFree(session, HEADER_BYTES + data.length)) return session;
  }
  return undefined;
}

/**
 * Asks the next client that has the topic, at random.
 *
 * @returns false when there is none left
 */
export function askNextClient(context: StepContext, delivery: Delivery): boolean {
  const { state, sight, effects } = context;
  const { seq, data, tried } = delivery;
  const session = draw(context, delivery);
  if (session === undefined) return false;
  delivery.session = session;
  delivery.deadline = sight.now + AMOP_TIME.deliveryMs;
  tried.add(session);
  state.deliveries.add(delivery);
  const key = askedKey(session, seq);
  state.asked.set(key, (state.asked.get(key) ?? new Set()).add(delivery));
  const frame: Frame = { type: MESSAGE_TYPE.amopRequest, seq, result: 0, data };
  effects.push({ type: "toSession", session, frame });
  return true;
}

/** Forgets what a client was asked. */
export function withdraw({ state }: StepContext, delivery: Delivery): void {
  state.deliveries.delete(delivery);
  const key = askedKey(delivery.session, delivery.seq);
  const left = state.asked.get(key);
  left?.delete(delivery);
  if (left?.size === 0) state.asked.delete(key);
}
