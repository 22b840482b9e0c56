/** The statechart of block sync, made from its table. Source: sync 4, 9 */
import type { ActorRefFrom } from "xstate";
import type { SyncState } from "../sync/planner/state.ts";
import { SYNC_TABLE } from "../sync/planner/table.ts";
import { machineOf } from "./protocol-machine.ts";

/** Idle, requesting, downloading, importing. */
export const syncMachine = machineOf<{ readonly sync: SyncState }>(SYNC_TABLE, "sync");

/** A running sync actor. */
export type SyncActor = ActorRefFrom<typeof syncMachine>;
