/** Messages as they arrive: distinguished, and kept when their round has not begun here. */
import type { NodeId } from "../../bytes/ids.ts";
import type { ProtocolEvent } from "../../protocol/table.ts";
import { aheadOf, decidedHeight, keepForLater } from "./future.ts";
import type { Received, Input, InputOf, RoundMessage } from "./input.ts";
import { holdsOwnLostMessages, isBeyondOwnMessages } from "./lost-votes.ts";
import { answerStale } from "./resend.ts";
import { isSealer, signedBy, type PbftState } from "./state.ts";
import { ignore, ignoring, report } from "./step-context.ts";

/** The event that an input is. Undefined: it is kept for a later round, or beyond what is kept. */
export function arrive(state: PbftState, input: Input): ProtocolEvent | undefined {
  if (input.type !== "message") return { type: input.type, input };
  state.via = input.via;
  const { message } = input;
  if (message.type === "status") return { type: "status", input };
  const isOwn = message.type !== "viewCertificate" && message.signer === state.config.self;
  if (!isOwn && holdsOwnLostMessages(state, message)) return { type: "lostMessages", input };
  if (!isSealer(state) || message.type === "viewCertificate") return { type: message.type, input };
  return isOwn ? { type: "ownMessage", input } : arriveInRound(state, input, message);
}

function arriveInRound(
  state: PbftState,
  input: InputOf<"message">,
  message: RoundMessage,
): ProtocolEvent | undefined {
  const isKnown = state.indexes.has(message.signer);
  if (!isKnown || isUnderOtherName(state, message, input.from)) return { type: "stray", input };
  const ahead = aheadOf(state, message);
  if (ahead > 0) return void keepForLater(state, input);
  if (ahead < 0) return { type: "outdated", input };
  state.views.set(message.index, message.view);
  return { type: message.type, input };
}

/** Whether a message names another sealer's index than its signer's: who sends that lies. */
function isUnderOtherName(state: PbftState, message: RoundMessage, from: NodeId): boolean {
  const { index, signer } = message;
  if (decidedHeight(message) === state.height + 1) return !signedBy(state, index, signer);
  // The list of another height may be another one. Honest nodes pass nothing on that others signed:
  // what is signed by no node known, or not by the sender whose index it names, is made up.
  return signer !== from && (!state.indexes.has(signer) || signedBy(state, index, from));
}

/** Of what was passed on no node can tell who lies. */
export function ignoreStray(state: PbftState, { message, from }: Received<RoundMessage>): void {
  const isBlamed = state.via === undefined && isUnderOtherName(state, message, from);
  ignore(state, from, message.type, isBlamed ? "otherSigner" : "notSealer");
}

/** A node that sends it may be behind. */
export function ignoreOutdated(state: PbftState, { message, from }: Received<RoundMessage>): void {
  if (message.type === "prepare" || message.type === "viewChange") answerStale(state, { from });
  ignore(state, from, message.type, "stale");
}

/** An echo, or messages of a twin that the record knows nothing of. Source: decision 25 */
export function ignoreOwnMessage(
  state: PbftState,
  { message, from }: Received<RoundMessage>,
): void {
  ignore(state, from, message.type, "ownMessage");
  if (isBeyondOwnMessages(state, message)) report(state, { event: "twin", message });
}

/** Observers take no part. Source: pbft 6 */
export const ignoreAsObserver = ignoring("observer");

/** The block of this height is final. */
export const ignoreAsDecided = ignoring("decided");
