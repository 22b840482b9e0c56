/**
 * Hosts the Raft core and mirrors its role and its one block as a statechart for people and
 * inspectors. What a step asks for stands in the context, in the order the core gave it.
 * Source: raft 5, 8
 */
import { assign, setup } from "xstate";
import type { Effect } from "../consensus/raft/effect.ts";
import type { Input } from "../consensus/raft/input.ts";
import type { RaftState, Role } from "../consensus/raft/state.ts";
import { step } from "../consensus/raft/step.ts";
import { mirrored } from "./mirrored.ts";

/** Where the block above the head stands. */
export type BlockPhase = (typeof PHASES)[number];

const ROLES: readonly Role[] = ["suspended", "follower", "preCandidate", "candidate", "leader"];
const PHASES = ["none", "fetching", "executing", "replicating", "writing"] as const;

/** Reads the phase off the core's state. */
export function blockPhase({ decision, work }: RaftState): BlockPhase {
  if (decision?.writing) return "writing";
  switch (work?.stage) {
    case "assembling":
    case "fetching":
    case "assembled":
      return "fetching";
    case "executing":
      return "executing";
    case "executed":
    case "refused":
      return "replicating";
    default:
      return "none";
  }
}

/** The chart: role and block side by side. The core decides; the chart shows. */
export const raftMachine = setup({
  types: {} as {
    input: { raft: RaftState };
    /** `effects`: what the last step asked for. */
    context: { raft: RaftState; effects: readonly Effect[] };
    events: { readonly type: "raft"; readonly input: Input };
  },
  actions: {
    advance: assign(({ context, event }) => {
      const { state, effects } = step(context.raft, event.input);
      return { raft: state, effects };
    }),
  },
  guards: {
    hasStopped: ({ context }) => context.raft.stopped,
    roleIs: ({ context }, { name }: { name: Role }) => context.raft.role === name,
    blockIs: ({ context }, { name }: { name: BlockPhase }) => blockPhase(context.raft) === name,
  },
}).createMachine({
  id: "raft",
  context: ({ input }) => ({ raft: input.raft, effects: [] }),
  initial: "member",
  states: {
    member: {
      type: "parallel",
      on: { raft: { actions: "advance" } },
      always: { guard: "hasStopped", target: "stopped" },
      states: {
        role: {
          initial: "suspended",
          states: mirrored(ROLES, "roleIs"),
        },
        block: {
          initial: "none",
          states: mirrored(PHASES, "blockIs"),
        },
      },
    },
    stopped: { type: "final" },
  },
});
