/**
 * What a message can still do here, told from its messages before anybody examines its signatures.
 * Old messages are as good as new ones to somebody who wants this node at work: one message may
 * carry hundreds of signatures, and saying it again costs nothing.
 *
 * "none" and "behind" are reported of nothing that a step would take: the simulator holds the two
 * against each other. What a step may take, and may leave without a trace and without blame, is
 * "doubtful": a node that sends that could keep this node at work for ever, and cannot be
 * distinguished from an honest sealer by its messages. Source: pbft 16.1, 16.3
 */
import type { NodeId } from "../../bytes/ids.ts";
import { leaderIndex } from "../quorum.ts";
import {
  aheadOf,
  decidedHeight,
  hasKeptOwn,
  isKept,
  isTooFarAhead,
  lacksCertificate,
} from "./future.ts";
import type { RoundMessage } from "./input.ts";
import { claimsLostMessages, isBeyondOwnMessages } from "./lost-votes.ts";
import type { Commit, Message, Prepare, Sign, ViewCertificate, ViewChange } from "./message.ts";
import { isSealer, signedBy, VIEW_WINDOW, voterKey, type PbftState } from "./state.ts";
import { isOtherMessage } from "./step-context.ts";

/** What a message is good for. */
export type Relevance =
  /** It may move the protocol on. */
  | "counts"
  /** It may, but a node that sends it can make up as many as it likes: examined now and then. */
  | "doubtful"
  /** It has no effect here; it may tell of a fault or of where a peer stands. */
  | "evidence"
  /** A prepare that is late or early: the block it is about may be wanted. */
  | "compact"
  /** It is long over: who sends it may be behind, and is answered unread. */
  | "behind"
  | "none";

/** What an unverified message of a peer (its session proves it) can do. Source: pbft 16.3 */
export function relevanceOf(state: PbftState, message: Message, from: NodeId): Relevance {
  if (state.phase === "stopped") return "none";
  if (message.type === "status") return "evidence";
  const use = relevanceInRound(state, message, from);
  if (use === "counts" || use === "doubtful") return use;
  return claimsLostMessages(state, message) ? "evidence" : use;
}

function relevanceInRound(
  state: PbftState,
  message: RoundMessage | ViewCertificate,
  from: NodeId,
): Relevance {
  if (message.type === "viewCertificate")
    return isSealer(state) && opensView(state, message) ? "counts" : "none";
  if (!isSealer(state)) return isNearPrepare(state, message) ? "compact" : "none";
  const isCurrent = decidedHeight(message) === state.height + 1;
  if (isCurrent && message.index === state.index)
    return isBeyondOwnMessages(state, message) ? "evidence" : "none";
  const ahead = aheadOf(state, message);
  if (ahead < 0) return relevanceOfStale(message);
  if (ahead === 0) return relevanceNow(state, message);
  return relevanceLater(state, message, from);
}

/**
 * What is for a later round is kept, once for each sealer, kind and round; what is not kept leaves
 * no trace, so the same may be sent for ever. Of a sealer's own messages for itself that is so with
 * the second ones only. A sealer that the next block adds, or gives another place in the list,
 * cannot be distinguished from a Byzantine node before that block is here: it repeats itself.
 */
function relevanceLater(state: PbftState, message: RoundMessage, from: NodeId): Relevance {
  if (isTooFarAhead(state, message) || lacksCertificate(state, message)) return "none";
  if (isKept(state, message, from)) return "none";
  if (!signedBy(state, message.index, from)) return "doubtful";
  return hasKeptOwn(state, message, from) ? "evidence" : "counts";
}

function relevanceOfStale({ type }: RoundMessage): Relevance {
  return type === "prepare" || type === "viewChange" ? "behind" : "none";
}

/** An observer may be a sealer at the next height; one that keeps quiet executes all the same. */
function isNearPrepare({ height }: PbftState, message: RoundMessage): boolean {
  return message.type === "prepare" && message.height > height && message.height <= height + 2;
}

/** Whether a justification on its own is for a view that may be entered. Source: pbft 16.3.7 */
function opensView(state: PbftState, { height, view }: ViewCertificate): boolean {
  if (state.decision || height !== state.height) return false;
  return view > state.view && view >= state.toView;
}

function relevanceNow(state: PbftState, message: RoundMessage): Relevance {
  if (state.config.sealers[message.index] === undefined) return "none";
  switch (message.type) {
    case "prepare":
      return relevanceOfPrepare(state, message);
    case "viewChange":
      return relevanceOfViewChange(state, message);
    case "sign":
    case "commit":
      return relevanceOfVote(state, message);
    default:
      return message satisfies never;
  }
}

function relevanceOfPrepare(state: PbftState, { view, index, proposal }: Prepare): Relevance {
  const { round, decision, height, toView } = state;
  // Its justification may open the view, no matter who speaks.
  if (!decision && view > state.view && view >= toView) return "counts";
  if (index !== leaderIndex(height, view, state.config.sealers.length)) return "none";
  if (decision || view !== state.view) return "compact";
  if (round.prepare) return round.prepare.proposal === proposal ? "none" : "evidence";
  if (round.proposal !== undefined && round.proposal !== proposal) return "compact";
  if (toView > view) return "compact";
  return round.refused ? "doubtful" : "counts";
}

/** A second vote has no effect: another one is a proof, the same one is nothing. */
function relevanceOfVote(state: PbftState, message: Sign | Commit): Relevance {
  if (state.decision) return "none";
  if (Math.abs(message.view - state.view) > VIEW_WINDOW) return "none";
  const votes = message.type === "sign" ? state.signs : state.commits.get(message.view);
  const first = votes?.get(voterKey(state, message));
  if (!first) return "counts";
  return isOtherMessage(first, message) ? "evidence" : "none";
}

function relevanceOfViewChange(state: PbftState, message: ViewChange): Relevance {
  const { view, lock } = message;
  if (message.head !== state.head) return "none";
  if (view <= state.view) return relevanceOfStale(message);
  if (view > state.view + VIEW_WINDOW) return "none";
  if (lock && (lock.view >= view || lacksCertificate(state, message))) return "none";
  const first = state.viewChanges.get(view)?.get(voterKey(state, message));
  if (!first) return "counts";
  return isOtherMessage(first, message) ? "evidence" : "none";
}
