/** The entry point of the Raft core: one input in, effects out, in order. Source: raft 5, 8 */
import { beginStep, type Take } from "../../protocol/step.ts";
import { dispatch } from "../../protocol/table.ts";
import type { Effect } from "./effect.ts";
import type { Input, Spoken } from "./input.ts";
import type { RaftState } from "./state.ts";
import { RAFT } from "./table.ts";
import { hasLostMajority } from "./timer.ts";

/** Takes one input; gives effects in order. Pure but for the state object. Source: raft 2, 3, 8 */
export function step(
  state: RaftState,
  input: Input,
  take: Take = (event) => dispatch(RAFT, state, event),
): readonly Effect[] {
  beginStep(state, input);
  state.changed = false;
  state.body = undefined;
  if (hasLostMajority(state)) take({ type: "leaseExpired", input });
  const isStray = input.type === "message" && !isOfOtherSealer(state, input);
  const type = input.type === "message" ? input.message.type : input.type;
  take({ type: isStray ? "stray" : type, input });
  take({ type: "rest", input: undefined });
  return state.effects;
}

function isOfOtherSealer({ config, indexes }: RaftState, { from }: Spoken): boolean {
  return from !== config.self && indexes.has(from);
}
