/**
 * Hosts the planner of block sync and mirrors its phases as a statechart for people and inspectors.
 * Effects leave as one emitted event per step, in the order the planner gave them.
 * Source: sync 4, 9
 */
import { type ActorRefFrom, enqueueActions, setup } from "xstate";
import type { SyncEffect } from "../sync/planner/effect.ts";
import type { SyncInput } from "../sync/planner/input.ts";
import type { SyncState } from "../sync/planner/state.ts";
import { step } from "../sync/planner/step.ts";

/** What the actor emits after every step that asked for something. */
export interface SyncEffectsEmitted {
  readonly type: "effects";
  readonly effects: readonly SyncEffect[];
}

/** The chart: idle or downloading, and what a download waits for. The planner decides. */
export const syncMachine = setup({
  types: {} as {
    input: { sync: SyncState };
    context: { sync: SyncState };
    events: { readonly type: "sync"; readonly input: SyncInput };
    emitted: SyncEffectsEmitted;
  },
  actions: {
    advance: enqueueActions(({ context, enqueue, event }) => {
      const { state, effects } = step(context.sync, event.input);
      enqueue.assign({ sync: state });
      if (effects.length > 0) enqueue.emit({ type: "effects", effects });
    }),
  },
  guards: {
    isDownloading: ({ context }) => context.sync.downloading,
    isIdle: ({ context }) => !context.sync.downloading,
    isImporting: ({ context }) => context.sync.importing !== undefined,
    isRequesting: ({ context }) => context.sync.importing === undefined,
    hasStopped: ({ context }) => context.sync.stopped,
  },
}).createMachine({
  id: "sync",
  context: ({ input }) => ({ sync: input.sync }),
  initial: "running",
  states: {
    running: {
      initial: "idle",
      on: { sync: { actions: "advance" } },
      always: { guard: "hasStopped", target: "stopped" },
      states: {
        idle: { always: { guard: "isDownloading", target: "downloading" } },
        downloading: {
          initial: "requesting",
          always: { guard: "isIdle", target: "idle" },
          states: {
            requesting: { always: { guard: "isImporting", target: "importing" } },
            importing: { always: { guard: "isRequesting", target: "requesting" } },
          },
        },
      },
    },
    stopped: { type: "final" },
  },
});

/** A running sync actor. */
export type SyncActor = ActorRefFrom<typeof syncMachine>;
