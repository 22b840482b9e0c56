/** One step in progress: its time and the effects gathered so far. */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Audience } from "../exchange.ts";
import type { Effect, IgnoreReason, ReportEvent } from "./effect.ts";
import type { Message } from "./message.ts";
import { promisedView } from "./promise.ts";
import { recordOf, type PbftState } from "./state.ts";

/** Gathered while a step runs. */
export interface Turn {
  readonly now: number;
  /** Time has passed: the shell's one timer is used up. */
  readonly isTick: boolean;
  readonly effects: Effect[];
  /** Something durable was said: a record goes to disk before all of this turn's effects. */
  said: boolean;
  /** All of it belongs to empty rounds: the record may promise some more of them. */
  isIdle: boolean;
  /** Block bytes to store with that record. */
  body: Hash | undefined;
  /** Who passed on the message that is looked at. Source: pbft 11 */
  via: NodeId | undefined;
}

/** Broadcasts to sealers, members or observers. */
export function broadcast(turn: Turn, message: Message, to: Audience): void {
  turn.effects.push({ type: "broadcast", message, to });
}

/** Broadcasts own words; they are on disk first. Source: pbft 16.2 */
export function say(turn: Turn, message: Message): void {
  turn.said = true;
  turn.isIdle = false;
  broadcast(turn, message, "sealers");
}

/** What a turn says of rounds without transactions. */
export interface IdleWord {
  readonly message: Message;
  /** Every view below it is given up with this word. */
  readonly toView: number;
  /** It came of an empty round, more of which are likely to follow. */
  readonly isEmpty: boolean;
}

/** Broadcasts a word that the record on disk may cover already. Source: pbft 16.2 */
export function sayIdle(
  state: PbftState,
  turn: Turn,
  { message, toView, isEmpty }: IdleWord,
): void {
  if (toView > state.promised) {
    turn.isIdle = isEmpty && (turn.isIdle || !turn.said);
    turn.said = true;
  }
  broadcast(turn, message, "sealers");
}

/**
 * Marks the block of the current work to be stored with the record of this turn. Source: pbft 16.2
 */
export function storeBody(state: PbftState, turn: Turn): void {
  const { work } = state;
  if (!work || work.stored) return;
  work.stored = true;
  turn.body = work.token.proposal;
}

/** Puts the record in front of everything that was gathered. Source: pbft 16.2 */
export function putRecordFirst(state: PbftState, turn: Turn): void {
  if (!turn.said || !state.rules.durableVote) return;
  state.promised = turn.isIdle ? promisedView(state) : state.toView;
  turn.effects.unshift({ type: "persist", record: recordOf(state), body: turn.body });
}

/** Sends to one node. */
export function send(turn: Turn, to: NodeId, message: Message): void {
  turn.effects.push({ type: "send", message, to });
}

/** Reports an event. */
export function report(turn: Turn, event: ReportEvent): void {
  turn.effects.push({ type: "report", report: event });
}

/** Says why something had no effect; of what was passed on whoever did so is named. */
export function ignore(turn: Turn, from: NodeId, type: string, reason: IgnoreReason): void {
  report(turn, { event: "ignored", from: turn.via ?? from, type, reason });
}
