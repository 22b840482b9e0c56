/** The entry point of the PBFT core: one input in, effects out, in order. Source: pbft 14, 16 */
import { dispatch, type ProtocolEvent } from "../../protocol/table.ts";
import { arrive } from "./arrival.ts";
import type { Effect } from "./effect.ts";
import { aheadOf } from "./future.ts";
import type { Input } from "./input.ts";
import type { PbftState } from "./state.ts";
import { PBFT } from "./table.ts";
import { nextDeadline } from "./timer.ts";
import { putRecordFirst, type StepContext } from "./step-context.ts";

/** What a step gives: the state (the same object, changed) and what is to be done, in order. */
export interface Step {
  readonly state: PbftState;
  readonly effects: readonly Effect[];
}

/** A step that an input begins. */
export function beginStep({ now, type }: Input): StepContext {
  const isTick = type === "tick";
  return {
    now,
    isTick,
    effects: [],
    isDurable: false,
    isIdle: false,
    body: undefined,
    via: undefined,
  };
}

/** A step to be taken. */
export interface Taking {
  readonly context: StepContext;
  readonly input: Input;
  /** Takes each event at once: by the plain dispatcher, or by an actor. */
  readonly take: (event: ProtocolEvent) => void;
}

/** A whole turn: the input, what was kept for the round that it opens, the record, the timer. */
export function takeInput(state: PbftState, { context, input, take }: Taking): void {
  if (state.phase === "stopped") return;
  const event = arrive(state, context, input);
  if (event) take(event);
  while (state.futureDue && hasNotStopped(state)) takeKept(state, context, take);
  putRecordFirst(state, context);
  const at = hasNotStopped(state) ? nextDeadline(state) : undefined;
  // A tick has used up the shell's one timer, also when it came too early.
  if (at === state.lastDeadline && !context.isTick) return;
  state.lastDeadline = at;
  context.effects.push({ type: "deadline", at });
}

/** Events change the phase: this is asked anew after each. */
function hasNotStopped({ phase }: PbftState): boolean {
  return phase !== "stopped";
}

/** What was kept is taken once the round has moved, all of it before the node reacts. */
function takeKept(state: PbftState, context: StepContext, take: Taking["take"]): void {
  state.futureDue = false;
  const kept = state.future;
  state.future = new Map();
  let isTaken = false;
  for (const input of kept.values()) {
    const { message } = input;
    if (message.type === "viewCertificate" || message.type === "status") continue;
    const event = aheadOf(state, message) < 0 ? undefined : arrive(state, context, input);
    if (!event) continue;
    take({ ...event, isFollowed: true });
    isTaken = true;
  }
  if (isTaken) take({ type: "keptTaken", input: undefined });
}

/**
 * Takes one input. Pure but for the state object, which it changes and gives back. Source: pbft 14
 */
export function step(state: PbftState, input: Input): Step {
  const context = beginStep(input);
  takeInput(state, { context, input, take: (event) => dispatch(PBFT, state, context, event) });
  return { state, effects: context.effects };
}
