/**
 * Own words that this node knows nothing of, in what others hold: its store is older than its
 * votes. What it would say at this height and the next ones may contradict what it has said, so it
 * falls silent at once. The record holds the newest words of each kind: there is no false alarm.
 * Source: spec README 25; pbft 16.2
 */
import { NOT_A_SEALER, type NodeId } from "../../bytes/ids.ts";
import type { SyncedBlock } from "./input.ts";
import type { Lock, Message, ViewChange } from "./message.ts";
import { configure, listedIndex, type PbftState } from "./state.ts";
import type { Turn } from "./turn.ts";

/**
 * Whether such words are news: a silent node knows of them, and the operator may have confirmed
 * that they do not matter. A muted one looks too: it may vote at this very height once it speaks.
 */
function isWatched(state: PbftState): boolean {
  const { voice } = state.config;
  return listedIndex(state) !== NOT_A_SEALER && (voice === undefined || voice === "muted");
}

function fallSilent(state: PbftState, turn: Turn): void {
  const report = { event: "lostVote", height: state.height + 1 } as const;
  turn.effects.push({ type: "report", report });
  configure(state, { ...state.config, voice: "silent" });
}

/** A verified block of the next height: is the own seal on it one that this node gave? */
export function checkOwnSeal(state: PbftState, turn: Turn, { executed, seals }: SyncedBlock): void {
  if (!isWatched(state) || state.ownCommit?.executed === executed) return;
  const own = listedIndex(state);
  if (seals.some(({ index }) => index === own)) fallSilent(state, turn);
}

/** A verified message. Gives whether the node has fallen silent over it. */
export function checkOwnWords(state: PbftState, turn: Turn, message: Message): boolean {
  if (!isWatched(state) || !viewChangesIn(message).some((item) => isLost(state, item))) {
    return false;
  }
  fallSilent(state, turn);
  return true;
}

function viewChangesIn(message: Message): readonly ViewChange[] {
  if (message.type === "viewChange") return [message];
  const isJustified = message.type === "prepare" || message.type === "viewCertificate";
  return isJustified ? message.justification : [];
}

function isLost(state: PbftState, { height, head, view, signer, lock }: ViewChange): boolean {
  if (height !== state.height || head !== state.head) return false;
  const { self } = state.config;
  // A whole message under the own key is reported as a twin's, see step.ts.
  return (signer === self && view > state.toView) || (lock ? holdsLost(state, lock, self) : false);
}

function holdsLost({ ownSign }: PbftState, lock: Lock, self: NodeId): boolean {
  if (!lock.certificate.some(({ signer }) => signer === self)) return false;
  if (!ownSign || lock.view > ownSign.view) return true;
  return lock.view === ownSign.view && lock.proposal !== ownSign.proposal;
}
