/** One step in progress: its time and the effects gathered so far. */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Effect, IgnoreReason, ReportEvent } from "./effect.ts";
import type { Message } from "./message.ts";
import { recordOf, type RaftState } from "./state.ts";

/** Gathered while a step runs. */
export interface StepContext {
  readonly now: number;
  /** Time has passed: the shell's one timer is used up. */
  readonly isTick: boolean;
  readonly effects: Effect[];
  /** The record changed: it goes to disk before all of this step's effects. */
  changed: boolean;
  /** Block to store with that record. */
  body: Hash | undefined;
}

/** Where this node stands, as every message says it. Source: raft 2 */
export function placeOf(state: RaftState): Pick<Message, "term" | "height" | "head"> {
  return { term: state.term, height: state.height, head: state.head };
}

/** Sends to all other sealers. */
export function broadcast(context: StepContext, message: Message): void {
  context.effects.push({ type: "broadcast", message, to: "sealers" });
}

/** Sends to one sealer. */
export function send(context: StepContext, message: Message, to: NodeId): void {
  context.effects.push({ type: "send", message, to });
}

/** Reports an event. */
export function report(context: StepContext, event: ReportEvent): void {
  context.effects.push({ type: "report", report: event });
}

/** Says why something had no effect. */
export function ignore(
  context: StepContext,
  from: NodeId,
  type: string,
  reason: IgnoreReason,
): void {
  report(context, { event: "ignored", from, type, reason });
}

/** Puts the record in front of everything that was gathered. Source: raft 8 */
export function putRecordFirst(state: RaftState, context: StepContext): void {
  if (!context.changed) return;
  context.effects.unshift({ type: "persist", record: recordOf(state), body: context.body });
}
