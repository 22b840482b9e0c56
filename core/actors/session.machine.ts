/** The session with one peer; who comes back has another one. Source: node-network 9 */
import { type ActorRefFrom, assign, setup } from "xstate";
import type { NodeId } from "../bytes/ids.ts";

/**
 * Rejected messages after which a peer is ignored, and cut off until it is let in again. One is
 * forgiven whenever `time.passed`: what honest peers run into must not add up over months.
 */
export const REJECTIONS_BEFORE_BLOCK = 1_000;

/** Counts what a peer sends and blocks one that keeps sending what no honest node sends. */
export const sessionMachine = setup({
  types: {} as {
    input: { peer: NodeId };
    context: { peer: NodeId; rejected: number; lastReason: string };
    events:
      | { type: "peer.up" }
      | { type: "message.rejected"; reason: string }
      /** A while has passed: see {@link REJECTIONS_BEFORE_BLOCK}. */
      | { type: "time.passed" }
      | { type: "session.close" };
  },
  actions: {
    countRejection: assign({
      rejected: ({ context }) => context.rejected + 1,
      lastReason: ({ event }) => (event.type === "message.rejected" ? event.reason : ""),
    }),
    forgive: assign({ rejected: 0, lastReason: "" }),
    forgiveOne: assign({ rejected: ({ context }) => Math.max(0, context.rejected - 1) }),
  },
  guards: { tooManyRejections: ({ context }) => context.rejected + 1 >= REJECTIONS_BEFORE_BLOCK },
}).createMachine({
  id: "session",
  context: ({ input }) => ({ peer: input.peer, rejected: 0, lastReason: "" }),
  initial: "down",
  on: { "session.close": ".closed" },
  states: {
    down: { on: { "peer.up": "up" } },
    up: {
      entry: "forgive",
      on: {
        "time.passed": { actions: "forgiveOne" },
        "message.rejected": [
          { guard: "tooManyRejections", actions: "countRejection", target: "blocked" },
          { actions: "countRejection" },
        ],
      },
    },
    blocked: {},
    closed: { type: "final" },
  },
});

/** A running session actor. */
export type SessionActor = ActorRefFrom<typeof sessionMachine>;
