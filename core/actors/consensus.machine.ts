/** The statechart of PBFT, made from its table. Source: pbft 14, 16 */
import type { ActorRefFrom } from "xstate";
import type { Effect } from "../consensus/pbft/effect.ts";
import type { Input } from "../consensus/pbft/input.ts";
import type { PbftState } from "../consensus/pbft/state.ts";
import { step } from "../consensus/pbft/step.ts";
import { PBFT_TABLE } from "../consensus/pbft/table.ts";
import { machineOf, takeStep } from "./protocol-machine.ts";

/** Observer, idle, pre-prepared, prepared, view changing, committed, catching up. */
export const consensusMachine = machineOf<{ readonly pbft: PbftState }>(PBFT_TABLE, "pbft");

/** Takes an input. Undefined: the actor has ended or failed. */
export function stepPbft(
  actor: ActorRefFrom<typeof consensusMachine>,
  input: Input,
): readonly Effect[] | undefined {
  return takeStep(actor, (take) => step(actor.getSnapshot().context.pbft, input, take));
}
