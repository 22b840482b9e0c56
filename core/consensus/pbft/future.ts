/** Messages for rounds that have not begun here; what is kept. Source: pbft 16.3.7, 16.3.10 */
import type { NodeId } from "../../bytes/ids.ts";
import type { IgnoreReason } from "./effect.ts";
import type { InputOf, RoundMessage } from "./input.ts";
import { hasQuorum } from "./justification.ts";
import type { Message } from "./message.ts";
import { signedBy, VIEW_WINDOW, type PbftState } from "./state.ts";
import { ignore, reportEquivocation } from "./step-context.ts";

/** The height that a message is about: a view change names the one below. */
export function decidedHeight({ type, height }: RoundMessage): number {
  return type === "viewChange" ? height + 1 : height;
}

/** Whether a message is for a later round (1), an earlier one (-1), or this one (0). */
export function aheadOf(state: PbftState, message: RoundMessage): number {
  const decided = decidedHeight(message);
  const current = state.height + 1;
  if (decided !== current) return decided > current ? 1 : -1;
  if (message.type !== "sign") return 0;
  return Math.sign(message.view - state.view);
}

/** Whether a message for a later round is beyond what is kept. Source: pbft 16.3.10 */
export function isTooFarAhead(state: PbftState, message: RoundMessage): boolean {
  const decided = decidedHeight(message);
  const base = decided === state.height + 1 ? state.view : 0;
  return decided > state.height + 2 || message.view > base + VIEW_WINDOW;
}

/** A view change that no node can count: its lock is without the votes that would prove it. */
export function lacksCertificate(state: PbftState, message: Message): boolean {
  if (message.type !== "viewChange" || !message.lock) return false;
  return !hasQuorum(state, message.lock);
}

function keyOf({ type, height, view }: RoundMessage, signer: NodeId): string {
  return `${type}/${height}/${view}/${signer}`;
}

/**
 * Bounded: the next height at most, views near, one per kind, round and signer. A signature does
 * not cover what goes with a message (compact proposal, justification, certificate), so another
 * member may pass on a copy without it: such a copy never stands in the way of the signer's own.
 * Source: pbft 16.3.10
 */
export function keepForLater(state: PbftState, input: InputOf<"message">): void {
  const { message, from } = input;
  if (message.type === "viewCertificate" || message.type === "status") return;
  const reason = reasonNotToKeep(state, message, input.proposal !== undefined);
  if (reason) return ignore(state, from, message.type, reason);
  const key = keyOf(message, message.signer);
  const kept = state.future.get(key);
  if (!kept || (from === message.signer && kept.from !== from)) state.future.set(key, input);
  // In another list the index may name somebody else.
  const isOfSigner = signedBy(state, message.index, message.signer);
  if (isOfSigner) reportEquivocation(state, kept?.message, message);
}

function reasonNotToKeep(
  state: PbftState,
  message: RoundMessage,
  hasProposal: boolean,
): IgnoreReason | undefined {
  if (isTooFarAhead(state, message)) return "tooFarAhead";
  if (message.type === "prepare" && !hasProposal) return "missingHeader";
  return lacksCertificate(state, message) ? "badLock" : undefined;
}

/**
 * Whether the same is kept already: told from an unverified message, by the very signature. A copy
 * that comes from its signer itself is examined while only somebody else's is kept.
 */
export function isKept(state: PbftState, message: RoundMessage, from: NodeId): boolean {
  const named = state.config.sealers[message.index];
  return [from, named].some((signer) => {
    const kept = signer === undefined ? undefined : state.future.get(keyOf(message, signer));
    if (!kept || !isSigned(kept.message, message)) return false;
    return from !== signer || kept.from === from;
  });
}

/** Whether a sealer's own messages of that kind and round are kept, as they came from itself. */
export function hasKeptOwn(state: PbftState, message: RoundMessage, from: NodeId): boolean {
  return state.future.get(keyOf(message, from))?.from === from;
}

/** Whether a verified message bears the place and signature of another. */
function isSigned(kept: Message, { index, signature }: RoundMessage): boolean {
  if (kept.type === "viewCertificate" || kept.index !== index) return false;
  return kept.signature.every((byte, at) => byte === signature[at]);
}
