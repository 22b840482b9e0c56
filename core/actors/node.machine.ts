/**
 * The life of a node: boot, serve, drain. Source: groups 8
 */
import {
  type ActorRefFrom,
  assign,
  type ErrorActorEvent,
  fromPromise,
  setup,
  stopChild,
} from "xstate";
import { type ChildEvent, describe } from "./supervise.ts";

/** What a node is told. */
export type NodeEvent = { readonly type: "node.start" } | { readonly type: "node.stop" };

/** A step of the boot or of the end; the wiring provides what it does. */
const step = () =>
  fromPromise<void>(async () => {
    // Replaced through `provide`; a node without wiring has nothing to do in this step.
  });

/** Boots in the order network, groups, serving; stops in the reverse order. */
export const nodeMachine = setup({
  types: {} as {
    context: { failure: string | undefined };
    events: NodeEvent | ChildEvent | ErrorActorEvent;
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
      invoke: {
        src: "startNetwork",
        onDone: "loadingGroups",
        onError: { target: "failed", actions: "noteFailure" },
      },
      on: { "node.stop": "draining" },
    },
    loadingGroups: {
      invoke: {
        src: "loadGroups",
        onDone: "serving",
        onError: { target: "failed", actions: "noteFailure" },
      },
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
