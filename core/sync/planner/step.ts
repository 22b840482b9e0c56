/** The entry point of the sync planner: one input in, effects out, in order. Source: sync 9 */
import { beginStep, type Take } from "../../protocol/step.ts";
import { dispatch } from "../../protocol/table.ts";
import type { SyncEffect } from "./effect.ts";
import type { SyncInput } from "./input.ts";
import type { SyncState } from "./state.ts";
import { SYNC } from "./table.ts";

/** Takes one input; gives effects in order. Pure but for the state object. Source: sync 9 */
export function step(
  state: SyncState,
  input: SyncInput,
  take: Take = (event) => dispatch(SYNC, state, event),
): readonly SyncEffect[] {
  beginStep(state, input);
  take({ type: input.type, input });
  take({ type: "rest", input: undefined });
  return state.effects;
}
