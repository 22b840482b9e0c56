/** The entry point of the PBFT core: one input in, effects out, in order. Source: pbft 14, 16 */
import { beginStep, setTimer, type Take } from "../../protocol/step.ts";
import { dispatch } from "../../protocol/table.ts";
import { arrive } from "./arrival.ts";
import type { Effect } from "./effect.ts";
import { aheadOf } from "./future.ts";
import type { Input } from "./input.ts";
import type { PbftState } from "./state.ts";
import { PBFT } from "./table.ts";
import { nextDeadline } from "./timer.ts";
import { putRecordFirst } from "./step-context.ts";

/** Takes an input, and what was kept for the round it opens; gives effects. Source: pbft 14 */
export function step(
  state: PbftState,
  input: Input,
  take: Take = (event) => dispatch(PBFT, state, event),
): readonly Effect[] {
  if (state.phase === "stopped") return [];
  beginStep(state, input);
  state.isDurable = false;
  state.isIdle = false;
  state.body = undefined;
  state.via = undefined;
  const event = arrive(state, input);
  if (event) take(event);
  while (state.futureDue && hasNotStopped(state)) takeKept(state, take);
  putRecordFirst(state);
  setTimer(state, hasNotStopped(state) ? nextDeadline(state) : undefined);
  return state.effects;
}

/** Events change the phase: this is asked anew after each. */
function hasNotStopped({ phase }: PbftState): boolean {
  return phase !== "stopped";
}

/** What was kept is taken once the round has moved, all of it before the node reacts. */
function takeKept(state: PbftState, take: Take): void {
  state.futureDue = false;
  const kept = state.future;
  state.future = new Map();
  let isTaken = false;
  for (const input of kept.values()) {
    const { message } = input;
    if (message.type === "viewCertificate" || message.type === "status") continue;
    const event = aheadOf(state, message) < 0 ? undefined : arrive(state, input);
    if (!event) continue;
    take({ ...event, isFollowed: true });
    isTaken = true;
  }
  if (isTaken) take({ type: "keptTaken", input: undefined });
}
