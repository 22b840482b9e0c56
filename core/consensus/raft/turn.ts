/** One step in progress: its time and the effects gathered so far. */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Effect, IgnoreReason, ReportEvent } from "./effect.ts";
import type { Message } from "./message.ts";
import { recordOf, type RaftState } from "./state.ts";

/** Gathered while a step runs. */
export interface Turn {
  readonly now: number;
  /** Time has passed: the shell's one timer is used up. */
  readonly isTick: boolean;
  readonly effects: Effect[];
  /** The record changed: it goes to disk before all of this turn's effects. */
  changed: boolean;
  /** Block to store with that record. */
  body: Hash | undefined;
}

/** Where this node stands, as every message says it. Source: raft 2 */
export function placeOf(state: RaftState): Pick<Message, "term" | "height" | "head"> {
  return { term: state.term, height: state.height, head: state.head };
}

/** Sends to all other sealers. */
export function broadcast(turn: Turn, message: Message): void {
  turn.effects.push({ type: "broadcast", message, to: "sealers" });
}

/** Sends to one sealer. */
export function send(turn: Turn, message: Message, to: NodeId): void {
  turn.effects.push({ type: "send", message, to });
}

/** Reports an event. */
export function report(turn: Turn, event: ReportEvent): void {
  turn.effects.push({ type: "report", report: event });
}

/** Says why something had no effect. */
export function ignore(turn: Turn, from: NodeId, type: string, reason: IgnoreReason): void {
  report(turn, { event: "ignored", from, type, reason });
}

/** Puts the record in front of everything that was gathered. Source: raft 8 */
export function putRecordFirst(state: RaftState, turn: Turn): void {
  if (!turn.changed) return;
  turn.effects.unshift({ type: "persist", record: recordOf(state), body: turn.body });
}
