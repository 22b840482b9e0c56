/** What a step says and asks for. */
import type { NodeId } from "../../bytes/ids.ts";
import type { Audience } from "../exchange.ts";
import type { IgnoreReason, ReportEvent } from "./effect.ts";
import type { Received, RoundMessage } from "./input.ts";
import type { ExecutedClaim, LockClaim, Message } from "./message.ts";
import { reservedView } from "./view-reservation.ts";
import { recordOf, type PbftState } from "./state.ts";

/** Broadcasts to sealers, members or observers. */
export function broadcast(state: PbftState, message: Message, to: Audience): void {
  state.effects.push({ type: "broadcast", message, to });
}

/** Broadcasts own messages; they are on disk first. Source: pbft 16.2 */
export function broadcastDurable(state: PbftState, message: Message): void {
  state.isDurable = true;
  state.isIdle = false;
  broadcast(state, message, "sealers");
}

/**
 * Broadcasts what gives up every view below `toView`; the record on disk may cover it already.
 * `isEmpty`: it came of an empty round, more of which are likely to follow. Source: pbft 16.2
 */
export function broadcastIdle(
  state: PbftState,
  message: Message,
  toView: number,
  isEmpty: boolean,
): void {
  if (toView > state.reserved) {
    state.isIdle = isEmpty && (state.isIdle || !state.isDurable);
    state.isDurable = true;
  }
  broadcast(state, message, "sealers");
}

/** Has the block at work stored with the record of this step. Source: pbft 16.2 */
export function storeBody(state: PbftState): void {
  const { work } = state;
  if (!work || work.stored) return;
  work.stored = true;
  state.body = work.token.proposal;
}

/** Puts the record in front of everything that was gathered. Source: pbft 16.2 */
export function putRecordFirst(state: PbftState): void {
  if (!state.isDurable || !state.rules.durableVote) return;
  state.reserved = state.isIdle ? reservedView(state) : state.toView;
  state.effects.unshift({ type: "persist", record: recordOf(state), body: state.body });
}

/** Sends to one node. */
export function send(state: PbftState, to: NodeId, message: Message): void {
  state.effects.push({ type: "send", message, to });
}

/** Reports an event. */
export function report(state: PbftState, event: ReportEvent): void {
  state.effects.push({ type: "report", report: event });
}

/** Whether two messages of one sealer, kind and round say different things. */
export function isOtherMessage(first: Message, second: RoundMessage): boolean {
  switch (second.type) {
    case "prepare":
      return first.type === "prepare" && first.proposal !== second.proposal;
    case "sign":
    case "commit":
      return first.type === second.type && !isSameResult(first, second);
    case "viewChange":
      return first.type === "viewChange" && !isSameLock(first.lock, second.lock);
    default:
      return second satisfies never;
  }
}

function isSameResult(first: ExecutedClaim, second: ExecutedClaim): boolean {
  return first.proposal === second.proposal && first.executed === second.executed;
}

function isSameLock(first: LockClaim | undefined, second: LockClaim | undefined): boolean {
  if (!first || !second) return first === second;
  return first.view === second.view && isSameResult(first, second);
}

/** Reports a second message that says something else than the first. Source: pbft 3 */
export function reportEquivocation(
  state: PbftState,
  first: Message | undefined,
  second: RoundMessage,
): void {
  const { index } = second;
  if (first && isOtherMessage(first, second))
    report(state, { event: "equivocation", index, first, second });
}

/** Says why something had no effect; of what was passed on a node that did so is named. */
export function ignore(state: PbftState, from: NodeId, type: string, reason: IgnoreReason): void {
  report(state, { event: "ignored", from: state.via ?? from, type, reason });
}

/** Makes the function that ignores a message for that reason. */
export function ignoring(reason: IgnoreReason) {
  return (state: PbftState, { message, from }: Received) =>
    ignore(state, from, message.type, reason);
}
