/** The life of a node: boot, serve, drain. Source: groups 8 */
import {
  type ActorRefFrom,
  assign,
  type ErrorActorEvent,
  fromPromise,
  setup,
  stopChild,
} from "xstate";
import { type ChildEvent, describe } from "./supervise.ts";

/** A step of the boot or of the end; without the wiring there is nothing to do in it. */
const step = () => fromPromise<void>(async () => {});
const toFailed = { target: "failed", actions: "noteFailure" } as const;

/** Boots in the order network, groups, serving; stops in the reverse order. */
export const nodeMachine = setup({
  types: {} as {
    context: { failure: string | undefined };
    events: { type: "node.start" } | { type: "node.stop" } | ChildEvent | ErrorActorEvent;
  },
  actors: { startNetwork: step(), loadGroups: step(), drain: step() },
  actions: {
    beginChild: assign(({ spawn, event }) => {
      if (event.type === "child.begin")
        spawn(event.logic, { id: event.id, input: event.input } as never);
      return {};
    }),
    endChild: stopChild(({ event }) => ("child" in event ? event.child : "")),
    noteFailure: assign({
      failure: ({ event }) => ("error" in event ? describe(event.error) : "unknown"),
    }),
  },
}).createMachine({
  id: "node",
  context: { failure: undefined },
  initial: "idle",
  on: {
    "child.begin": { actions: "beginChild" },
    "child.end": { actions: "endChild" },
    // A group that fails takes no other with it: its host has learned of it.
    "xstate.error.actor.*": {},
  },
  states: {
    idle: { on: { "node.start": "networking", "node.stop": "stopped" } },
    networking: {
      invoke: { src: "startNetwork", onDone: "loadingGroups", onError: toFailed },
      on: { "node.stop": "draining" },
    },
    loadingGroups: {
      invoke: { src: "loadGroups", onDone: "serving", onError: toFailed },
      on: { "node.stop": "draining" },
    },
    serving: { on: { "node.stop": "draining" } },
    draining: {
      invoke: {
        src: "drain",
        onDone: "stopped",
        onError: { target: "stopped", actions: "noteFailure" },
      },
    },
    failed: { on: { "node.stop": "draining" } },
    stopped: { type: "final" },
  },
});

/** A running node actor. */
export type NodeActor = ActorRefFrom<typeof nodeMachine>;

/** What the steps of a node do; each rejects when it fails. */
export interface NodeSteps {
  startNetwork(): Promise<void>;
  loadGroups(): Promise<void>;
  drain(): Promise<void>;
}

/** The chart with its steps. */
export function nodeMachineWith(steps: NodeSteps): typeof nodeMachine {
  return nodeMachine.provide({
    actors: {
      startNetwork: fromPromise(() => steps.startNetwork()),
      loadGroups: fromPromise(() => steps.loadGroups()),
      drain: fromPromise(() => steps.drain()),
    },
  });
}
