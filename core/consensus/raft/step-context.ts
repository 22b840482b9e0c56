/** What a step says and asks for. */
import type { NodeId } from "../../bytes/ids.ts";
import type { IgnoreReason, ReportEvent } from "./effect.ts";
import type { Spoken } from "./input.ts";
import type { Message } from "./message.ts";
import { recordOf, type RaftState } from "./state.ts";

/** Where this node stands, as every message says it. Source: raft 2 */
export function placeOf(state: RaftState): Pick<Message, "term" | "height" | "head"> {
  return { term: state.term, height: state.height, head: state.head };
}

/** Sends to all other sealers. */
export function broadcast(state: RaftState, message: Message): void {
  state.effects.push({ type: "broadcast", message, to: "sealers" });
}

/** Sends to one sealer. */
export function send(state: RaftState, message: Message, to: NodeId): void {
  state.effects.push({ type: "send", message, to });
}

/** Reports an event. */
export function report(state: RaftState, event: ReportEvent): void {
  state.effects.push({ type: "report", report: event });
}

/** Says why something had no effect. */
export function ignore(state: RaftState, from: NodeId, type: string, reason: IgnoreReason): void {
  report(state, { event: "ignored", from, type, reason });
}

/** Makes the function that ignores a message for that reason. */
export function ignoring(reason: IgnoreReason) {
  return (state: RaftState, { from, message }: Spoken) => ignore(state, from, message.type, reason);
}

/** Puts the record in front of everything that was gathered. Source: raft 8 */
export function putRecordFirst(state: RaftState): void {
  if (!state.changed) return;
  state.effects.unshift({ type: "persist", record: recordOf(state), body: state.body });
}
