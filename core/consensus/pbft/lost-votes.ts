/**
 * Own messages that this node knows nothing of, in what others hold: its store is older than its
 * votes. What it would say at this height and the next ones may contradict what it has sent, so it
 * falls silent at once. The record holds the newest messages of each kind: there is no false alarm.
 * Source: decision 25; pbft 16.2
 */
import { NOT_A_SEALER, type NodeId, type SealerIndex } from "../../bytes/ids.ts";
import type { SyncedBlock } from "../exchange.ts";
import type { Lock, Message, ViewChange } from "./message.ts";
import { configure, listedIndex, type PbftState } from "./state.ts";
import { report } from "./step-context.ts";

/**
 * Whether such messages are news: a silent node knows of them, and the operator may have confirmed
 * that they do not matter. An abstaining one looks too: it may vote at this very height.
 */
function isWatched(state: PbftState): boolean {
  const { votingRole } = state.config;
  return (
    listedIndex(state) !== NOT_A_SEALER && (votingRole === undefined || votingRole === "muted")
  );
}

/** From this moment on. */
export function abstainAfterLoss(state: PbftState): void {
  report(state, { event: "lostVote", height: state.height + 1 });
  configure(state, { ...state.config, votingRole: "silent" });
}

/** A verified block of the next height: is the own seal on it one that this node gave? */
export function checkOwnSeal(state: PbftState, { executed, seals }: SyncedBlock): void {
  if (!isWatched(state) || state.ownCommit?.executed === executed) return;
  const own = listedIndex(state);
  if (seals.some(({ index }) => index === own)) abstainAfterLoss(state);
}

/** Whether a verified message holds such messages. */
export function holdsOwnLostMessages(state: PbftState, message: Message): boolean {
  const { self } = state.config;
  return holdsLostMessages(state, message, ({ signer }) => signer === self);
}

/** Whether an unverified message claims to: the own index is no other's at this height. */
export function claimsLostMessages(state: PbftState, message: Message): boolean {
  const own = listedIndex(state);
  return holdsLostMessages(state, message, ({ index }) => index === own);
}

/** Whether a part of a message is this node's. */
type IsOwn = (part: { readonly index: SealerIndex; readonly signer: NodeId }) => boolean;

function holdsLostMessages(state: PbftState, message: Message, isOwn: IsOwn): boolean {
  return isWatched(state) && viewChangesIn(message).some((item) => isLost(state, item, isOwn));
}

function viewChangesIn(message: Message): readonly ViewChange[] {
  if (message.type === "viewChange") return [message];
  const isJustified = message.type === "prepare" || message.type === "viewCertificate";
  return isJustified ? message.justification : [];
}

function isLost(state: PbftState, item: ViewChange, isOwn: IsOwn): boolean {
  const { height, head, view, lock } = item;
  if (height !== state.height || head !== state.head) return false;
  // A whole message under the own key is reported as a twin's, see isBeyondOwnMessages.
  return (isOwn(item) && view > state.toView) || (lock ? holdsLost(state, lock, isOwn) : false);
}

function holdsLost({ ownSign }: PbftState, lock: Lock, isOwn: IsOwn): boolean {
  if (!lock.certificate.some(isOwn)) return false;
  if (!ownSign || lock.view > ownSign.view) return true;
  return lock.view === ownSign.view && lock.proposal !== ownSign.proposal;
}

/**
 * Whether a whole message under the own key is none of this node's: a twin said it. The record
 * holds the newest messages of each kind, so newer or other ones cannot be an echo.
 */
export function isBeyondOwnMessages(state: PbftState, message: Message): boolean {
  const { height, ownSign, ownCommit } = state;
  if (message.type === "viewChange") {
    return message.height > height || (message.height === height && message.view > state.toView);
  }
  if (message.type !== "sign" && message.type !== "commit") return false;
  if (message.height !== height + 1) return message.height > height + 1;
  const own = message.type === "sign" ? ownSign : ownCommit;
  if (!own || message.view > own.view) return true;
  return message.view === own.view && message.proposal !== own.proposal;
}
