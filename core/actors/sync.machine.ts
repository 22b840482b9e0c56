/** The statechart of block sync, made from its table. Source: sync 4, 9 */
import type { ActorRefFrom } from "xstate";
import type { SyncEffect } from "../sync/planner/effect.ts";
import type { SyncInput } from "../sync/planner/input.ts";
import type { SyncState } from "../sync/planner/state.ts";
import { step } from "../sync/planner/step.ts";
import { SYNC_TABLE } from "../sync/planner/table.ts";
import { machineOf, takeStep } from "./protocol-machine.ts";

/** Idle, requesting, downloading, importing. */
export const syncMachine = machineOf<{ readonly sync: SyncState }>(SYNC_TABLE, "sync");

/** A running sync actor. */
export type SyncActor = ActorRefFrom<typeof syncMachine>;

/** Takes an input. Undefined: the actor has ended or failed. */
export function stepSync(actor: SyncActor, input: SyncInput): readonly SyncEffect[] | undefined {
  return takeStep(actor, (take) => step(actor.getSnapshot().context.sync, input, take));
}
