/**
 * The port of the SDKs: closed, listening, draining; and how many sessions there are. Frames are no
 * events: only sessions that come and go.
 * Source: channel-protocol 2.1
 */
import { type ActorRefFrom, assign, setup } from "xstate";

/** What happens to the port. */
export type ChannelPortEvent =
  | { readonly type: "port.listening" }
  | { readonly type: "session.opened" }
  /** There were too many. */
  | { readonly type: "session.refused" }
  | { readonly type: "session.closed" }
  | { readonly type: "port.drain" }
  | { readonly type: "port.closed" };

/** Counts sessions; takes none before it listens and none while it drains. */
export const channelMachine = setup({
  types: {} as {
    input: { limit: number };
    context: { limit: number; sessions: number; refused: number };
    events: ChannelPortEvent;
  },
  actions: {
    countOpened: assign({ sessions: ({ context }) => context.sessions + 1 }),
    countClosed: assign({ sessions: ({ context }) => Math.max(0, context.sessions - 1) }),
    countRefused: assign({ refused: ({ context }) => context.refused + 1 }),
  },
}).createMachine({
  id: "channel",
  context: ({ input }) => ({ limit: input.limit, sessions: 0, refused: 0 }),
  initial: "closed",
  states: {
    closed: { on: { "port.listening": "listening", "port.closed": "ended" } },
    listening: {
      on: {
        "session.opened": { actions: "countOpened" },
        "session.closed": { actions: "countClosed" },
        "session.refused": { actions: "countRefused" },
        "port.drain": "draining",
      },
    },
    draining: {
      on: {
        "session.closed": { actions: "countClosed" },
        "port.closed": "ended",
      },
    },
    ended: { type: "final" },
  },
});

/** A running actor of the port. */
export type ChannelPortActor = ActorRefFrom<typeof channelMachine>;
