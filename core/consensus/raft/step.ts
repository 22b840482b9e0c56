/** The entry point of the Raft core: one input in, effects out, in order. Source: raft 5, 8 */
import { dispatch, type ProtocolEvent } from "../../protocol/table.ts";
import type { Effect } from "./effect.ts";
import type { Input } from "./input.ts";
import type { RaftState } from "./state.ts";
import { RAFT } from "./table.ts";
import { hasLostMajority } from "./timer.ts";
import type { StepContext } from "./step-context.ts";

/** What a step gives: the state (the same object, changed) and what is to be done, in order. */
export interface Step {
  readonly state: RaftState;
  readonly effects: readonly Effect[];
}

/** A step that an input begins. */
export function beginStep({ now, type }: Input): StepContext {
  return { now, isTick: type === "tick", effects: [], changed: false, body: undefined };
}

/** What happens in a step, in order. Source: raft 2, 3 */
export function eventsOf(state: RaftState, input: Input): readonly ProtocolEvent[] {
  const events = [eventOf(state, input), { type: "rest", input: undefined }];
  if (hasLostMajority(state, input.now)) return [{ type: "leaseExpired", input }, ...events];
  return events;
}

function eventOf({ config, indexes }: RaftState, input: Input): ProtocolEvent {
  if (input.type !== "message") return { type: input.type, input };
  const isOfSealer = input.from !== config.self && indexes.has(input.from);
  return isOfSealer ? { type: input.message.type, input } : { type: "stray", input };
}

/**
 * Takes one input. Pure but for the state object, which it changes and gives back. Source: raft 8
 */
export function step(state: RaftState, input: Input): Step {
  const context = beginStep(input);
  for (const event of eventsOf(state, input)) dispatch(RAFT, state, context, event);
  return { state, effects: context.effects };
}
