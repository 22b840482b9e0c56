/** The entry point of the sync planner: one input in, effects out, in order. Source: sync 9 */
import { dispatch, type ProtocolEvent } from "../../protocol/table.ts";
import type { SyncEffect } from "./effect.ts";
import type { SyncInput } from "./input.ts";
import type { SyncState } from "./state.ts";
import { SYNC } from "./table.ts";
import type { StepContext } from "./step-context.ts";

/** What a step gives: the state (the same object, changed) and what is to be done, in order. */
export interface SyncStep {
  readonly state: SyncState;
  readonly effects: readonly SyncEffect[];
}

/** A step that an input begins. */
export function beginStep({ now, type }: SyncInput): StepContext {
  return { now, isTick: type === "tick", effects: [] };
}

/** What happens in a step, in order. */
export function eventsOf(input: SyncInput): readonly ProtocolEvent[] {
  return [
    { type: input.type, input },
    { type: "rest", input: undefined },
  ];
}

/**
 * Takes one input. Pure but for the state object, which it changes and gives back. Source: sync 9
 */
export function step(state: SyncState, input: SyncInput): SyncStep {
  const context = beginStep(input);
  for (const event of eventsOf(input)) dispatch(SYNC, state, context, event);
  return { state, effects: context.effects };
}
