/** The step that a core takes: its state holds it, so that functions of a table need no more. */
import type { ProtocolEvent } from "./table.ts";

/** A step in progress: its time and the effects gathered so far. */
export interface StepState<Effect> {
  now: number;
  /** Time has passed: the shell's one timer is used up. */
  isTick: boolean;
  effects: Effect[];
  lastDeadline: number | undefined;
}

/** Takes each event of a step at once: by the plain dispatcher, or by an actor. */
export type Take = (event: ProtocolEvent) => void;

/** A step that an input begins. */
export function beginStep(
  core: StepState<unknown>,
  { now, type }: { readonly now: number; readonly type: string },
): void {
  core.now = now;
  // A step that threw leaves nothing to the next one.
  core.effects = [];
  core.isTick = type === "tick";
}

/** The part of a core that has the shell's one timer set. */
interface Timed extends Pick<StepState<unknown>, "isTick" | "lastDeadline"> {
  readonly effects: { push(effect: { type: "deadline"; at: number | undefined }): unknown };
}

/** Asks for a tick when something is due next. */
export function setTimer(core: Timed, at: number | undefined): void {
  // A tick has used up the timer, also when it came too early.
  if (at === core.lastDeadline && !core.isTick) return;
  core.lastDeadline = at;
  core.effects.push({ type: "deadline", at });
}
