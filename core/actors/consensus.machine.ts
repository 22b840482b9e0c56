/**
 * Hosts the PBFT core and mirrors its phases as a statechart for people and inspectors. What a
 * step asks for stands in the context, in the order the core gave it.
 * Source: pbft 14, 16
 */
import { assign, setup } from "xstate";
import type { Effect } from "../consensus/pbft/effect.ts";
import type { Input } from "../consensus/pbft/input.ts";
import { isSealer, type PbftState } from "../consensus/pbft/state.ts";
import { step } from "../consensus/pbft/step.ts";
import { mirrored } from "./mirrored.ts";

const PHASES = [
  "awaitingProposal",
  "fetchingTransactions",
  "executing",
  "collectingSigns",
  "collectingCommits",
  "writing",
] as const;
/** Where a sealer stands in the current round. Source: pbft 14 (Round) */
export type RoundPhase = (typeof PHASES)[number];

/** Reads the phase off the core's state. */
export function roundPhase(pbft: PbftState): RoundPhase {
  if (pbft.decision?.writing) return "writing";
  switch (pbft.work?.stage) {
    case "assembling":
    case "fetching":
    case "assembled":
      return "fetchingTransactions";
    case "executing":
      return "executing";
    case "executed":
      return pbft.lock?.view === pbft.view ? "collectingCommits" : "collectingSigns";
    default:
      return "awaitingProposal";
  }
}

/** The chart: membership, and inside it view and round. The core decides; the chart shows. */
export const consensusMachine = setup({
  types: {} as {
    input: { pbft: PbftState };
    /** `effects`: what the last step asked for. */
    context: { pbft: PbftState; effects: readonly Effect[] };
    events: { readonly type: "pbft"; readonly input: Input };
  },
  actions: {
    advance: assign(({ context, event }) => {
      const { state, effects } = step(context.pbft, event.input);
      return { pbft: state, effects };
    }),
  },
  guards: {
    isSealer: ({ context }) => isSealer(context.pbft),
    isObserver: ({ context }) => !isSealer(context.pbft),
    hasStopped: ({ context }) => context.pbft.stopped,
    viewIsChanging: ({ context }) => context.pbft.toView > context.pbft.view,
    viewIsStable: ({ context }) => context.pbft.toView === context.pbft.view,
    roundIs: ({ context }, { name }: { name: RoundPhase }) => roundPhase(context.pbft) === name,
  },
}).createMachine({
  id: "consensus",
  context: ({ input }) => ({ pbft: input.pbft, effects: [] }),
  initial: "member",
  states: {
    member: {
      initial: "observer",
      on: { pbft: { actions: "advance" } },
      always: { guard: "hasStopped", target: "stopped" },
      states: {
        observer: { always: { guard: "isSealer", target: "sealer" } },
        sealer: {
          always: { guard: "isObserver", target: "observer" },
          type: "parallel",
          states: {
            view: {
              initial: "stable",
              states: {
                stable: { always: { guard: "viewIsChanging", target: "changing" } },
                changing: { always: { guard: "viewIsStable", target: "stable" } },
              },
            },
            round: {
              initial: "awaitingProposal",
              states: mirrored(PHASES, "roundIs"),
            },
          },
        },
      },
    },
    stopped: { type: "final" },
  },
});
