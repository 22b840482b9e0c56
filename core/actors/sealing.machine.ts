/** When this node builds a proposal: asked, waiting, handed over. Source: pbft 4, 14 (Sealing) */
import { type ActorRefFrom, assign, emit, setup } from "xstate";
import {
  decideSealing,
  EMPTY_INTERVAL_MS,
  type SealingDecision,
  type SealingInput,
} from "../consensus/sealing.ts";

/** A proposal that consensus asked for. */
export interface SealingAsk {
  readonly height: number;
  readonly view: number;
  /** Steady time from which an empty proposal will do. */
  readonly emptyFrom: number;
  /** An empty one never will, and `emptyFrom` is when one that is not full is due: Raft. */
  readonly neverEmpty?: boolean | undefined;
}

/** The facts a decision needs besides the ask. */
export type SealingFacts = Pick<SealingInput, "now" | "packable" | "sealLimit" | "minBlockMs">;

/** The decision for an ask at these facts. */
function decide({ emptyFrom, neverEmpty }: SealingAsk, facts: SealingFacts): SealingDecision {
  return decideSealing({ ...facts, lastConsensusMs: emptyFrom - EMPTY_INTERVAL_MS, neverEmpty });
}

/** Collects until the decision of core/consensus/sealing.ts says seal; hands over once per ask. */
export const sealingMachine = setup({
  types: {} as {
    context: { ask: SealingAsk | undefined; decision: SealingDecision | undefined };
    events:
      | { type: "seal.asked"; ask: SealingAsk; facts: SealingFacts }
      /** Something changed: transactions came, or the time waited for. */
      | { type: "facts.changed"; facts: SealingFacts }
      /** The view or height moved on. */
      | { type: "seal.withdrawn" };
    /** What is to be done. */
    emitted:
      | { type: "wake"; at: number | undefined }
      | { type: "build"; ask: SealingAsk; limit: number };
  },
  actions: {
    takeAsk: assign(({ event }) =>
      event.type === "seal.asked"
        ? { ask: event.ask, decision: decide(event.ask, event.facts) }
        : {},
    ),
    lookAgain: assign(({ context, event }) =>
      event.type === "facts.changed" && context.ask
        ? { decision: decide(context.ask, event.facts) }
        : {},
    ),
    forget: assign({ ask: undefined, decision: undefined }),
    wake: emit(({ context }) => {
      const { decision } = context;
      const at = decision?.kind === "wait" ? decision.untilMs : undefined;
      return { type: "wake" as const, at };
    }),
    build: emit(({ context }) => {
      const { ask, decision } = context;
      const nothing: SealingAsk = { height: 0, view: 0, emptyFrom: 0 };
      const limit = decision?.kind === "seal" ? decision.limit : 0;
      return { type: "build" as const, ask: ask ?? nothing, limit };
    }),
  },
  guards: {
    mustWait: ({ context }) => context.decision?.kind === "wait",
    maySeal: ({ context }) =>
      context.decision?.kind === "seal" || context.decision?.kind === "empty",
  },
}).createMachine({
  id: "sealing",
  context: { ask: undefined, decision: undefined },
  initial: "off",
  on: {
    "seal.asked": { target: ".collecting", actions: "takeAsk", reenter: true },
    "seal.withdrawn": { target: ".off", actions: "forget" },
  },
  states: {
    off: {},
    collecting: {
      always: { guard: "maySeal", target: "handed", actions: "build" },
      entry: "wake",
      on: { "facts.changed": { target: "collecting", actions: "lookAgain", reenter: true } },
    },
    handed: {},
  },
});

/** A running sealing actor. */
export type SealingActor = ActorRefFrom<typeof sealingMachine>;
