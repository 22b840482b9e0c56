/** One step in progress: its time and the effects gathered so far. */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Audience } from "../exchange.ts";
import type { Effect, IgnoreReason, ReportEvent } from "./effect.ts";
import type { Message } from "./message.ts";
import { reservedView } from "./view-reservation.ts";
import { recordOf, type PbftState } from "./state.ts";

/** Gathered while a step runs. */
export interface StepContext {
  readonly now: number;
  /** Time has passed: the shell's one timer is used up. */
  readonly isTick: boolean;
  readonly effects: Effect[];
  /** Something durable was sent: a record goes to disk before all of this step's effects. */
  isDurable: boolean;
  /** All of it belongs to empty rounds: the record may reservation some more of them. */
  isIdle: boolean;
  /** Block bytes to store with that record. */
  body: Hash | undefined;
  /** Who passed on the message that is examined. Source: pbft 11 */
  via: NodeId | undefined;
}

/** Broadcasts to sealers, members or observers. */
export function broadcast(context: StepContext, message: Message, to: Audience): void {
  context.effects.push({ type: "broadcast", message, to });
}

/** Broadcasts own messages; they are on disk first. Source: pbft 16.2 */
export function broadcastDurable(context: StepContext, message: Message): void {
  context.isDurable = true;
  context.isIdle = false;
  broadcast(context, message, "sealers");
}

/** What a step says of rounds without transactions. */
export interface IdleMessage {
  readonly message: Message;
  /** Every view below it is given up with this word. */
  readonly toView: number;
  /** It came of an empty round, more of which are likely to follow. */
  readonly isEmpty: boolean;
}

/** Broadcasts a word that the record on disk may cover already. Source: pbft 16.2 */
export function broadcastIdle(
  state: PbftState,
  context: StepContext,
  { message, toView, isEmpty }: IdleMessage,
): void {
  if (toView > state.reserved) {
    context.isIdle = isEmpty && (context.isIdle || !context.isDurable);
    context.isDurable = true;
  }
  broadcast(context, message, "sealers");
}

/**
 * Marks the block of the current work to be stored with the record of this step. Source: pbft 16.2
 */
export function storeBody(state: PbftState, context: StepContext): void {
  const { work } = state;
  if (!work || work.stored) return;
  work.stored = true;
  context.body = work.token.proposal;
}

/** Puts the record in front of everything that was gathered. Source: pbft 16.2 */
export function putRecordFirst(state: PbftState, context: StepContext): void {
  if (!context.isDurable || !state.rules.durableVote) return;
  state.reserved = context.isIdle ? reservedView(state) : state.toView;
  context.effects.unshift({ type: "persist", record: recordOf(state), body: context.body });
}

/** Sends to one node. */
export function send(context: StepContext, to: NodeId, message: Message): void {
  context.effects.push({ type: "send", message, to });
}

/** Reports an event. */
export function report(context: StepContext, event: ReportEvent): void {
  context.effects.push({ type: "report", report: event });
}

/** Says why something had no effect; of what was passed on a node that did so is named. */
export function ignore(
  context: StepContext,
  from: NodeId,
  type: string,
  reason: IgnoreReason,
): void {
  report(context, { event: "ignored", from: context.via ?? from, type, reason });
}
