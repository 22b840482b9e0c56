/** The statechart of Raft, made from its table. Source: raft 5, 8 */
import type { ActorRefFrom } from "xstate";
import type { Effect } from "../consensus/raft/effect.ts";
import type { Input } from "../consensus/raft/input.ts";
import type { RaftState } from "../consensus/raft/state.ts";
import { step } from "../consensus/raft/step.ts";
import { RAFT_TABLE } from "../consensus/raft/table.ts";
import { machineOf, takeStep } from "./protocol-machine.ts";

/** Suspended, follower, pre-candidate, candidate, leader. */
export const raftMachine = machineOf<{ readonly raft: RaftState }>(RAFT_TABLE, "raft");

/** Takes an input. Undefined: the actor has ended or failed. */
export function stepRaft(
  actor: ActorRefFrom<typeof raftMachine>,
  input: Input,
): readonly Effect[] | undefined {
  return takeStep(actor, (take) => step(actor.getSnapshot().context.raft, input, take));
}
