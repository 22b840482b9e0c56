/**
 * The life of one group on this node. Every status is on disk before the chart shows it; the first
 * state comes from the stored word, never from a saved snapshot.
 * Source: groups 2, 10; interface 3.1
 */
import { type ActorRefFrom, assign, fromPromise, setup } from "xstate";
import { describe } from "./supervise.ts";

/** Words of the status record. */
export type StatusWord = "RUNNING" | "STOPPING" | "STOPPED" | "DELETED";

/** What the boot plan made of the record. */
export type BootState = "start" | "stopped" | "deleted" | "unknown";

/** Commands to a group, and the fact that it cannot go on. */
export type GroupEvent =
  | { readonly type: "group.start" }
  | { readonly type: "group.stop" }
  | { readonly type: "group.remove" }
  | { readonly type: "group.recover" }
  | { readonly type: "ledger.failed"; readonly cause: string }
  /** The node shuts down: the record stays as it is. */
  | { readonly type: "node.stop" };

/** Writes a status word durably; the wiring provides it. */
const persist = () =>
  fromPromise<void, { readonly word: StatusWord }>(async () => {
    // Provided by the wiring: without a store there is nothing to write to.
  });

const step = () =>
  fromPromise<void>(async () => {
    // Provided by the wiring: without a ledger there is nothing to start or stop.
  });

const noteAndFail = { target: "failing" as const, actions: "noteFailure" as const };

/** A state that writes a word and goes on; a failed write is a failed group. */
const persisting = <Target extends string>(word: StatusWord, target: Target) => ({
  invoke: {
    src: "persistStatus" as const,
    input: { word },
    onDone: target,
    onError: noteAndFail,
  },
  on: { "ledger.failed": noteAndFail },
});

/** Starts and stops the ledger of a group. */
export const groupMachine = setup({
  types: {} as {
    input: { boot: BootState };
    context: { boot: BootState; failure: string | undefined };
    events: GroupEvent;
  },
  actors: { persistStatus: persist(), startLedger: step(), stopLedger: step() },
  actions: {
    noteFailure: assign({
      failure: ({ event }) =>
        "error" in event ? describe(event.error) : "cause" in event ? event.cause : "unknown",
    }),
    clearFailure: assign({ failure: undefined }),
  },
  guards: {
    bootStarts: ({ context }) => context.boot === "start",
    bootDeleted: ({ context }) => context.boot === "deleted",
    bootUnknown: ({ context }) => context.boot === "unknown",
  },
}).createMachine({
  id: "group",
  context: ({ input }) => ({ boot: input.boot, failure: undefined }),
  initial: "booting",
  states: {
    booting: {
      always: [
        { guard: "bootStarts", target: "starting" },
        { guard: "bootDeleted", target: "deleted" },
        { guard: "bootUnknown", target: "unknown" },
        { target: "stopped" },
      ],
    },
    stopped: {
      on: {
        "group.start": "starting",
        "group.remove": { target: "removing", actions: "clearFailure" },
        "node.stop": "closed",
      },
    },
    starting: {
      entry: "clearFailure",
      invoke: {
        src: "startLedger",
        onDone: "announcing",
        onError: { target: "stopped", actions: "noteFailure" },
      },
    },
    announcing: persisting("RUNNING", "running"),
    running: {
      on: {
        "group.stop": { target: "beginningStop", actions: "clearFailure" },
        "ledger.failed": noteAndFail,
        "node.stop": "closing",
      },
    },
    beginningStop: persisting("STOPPING", "stopping"),
    stopping: {
      invoke: {
        src: "stopLedger",
        onDone: "endingStop",
        onError: { target: "failed", actions: "noteFailure" },
      },
    },
    endingStop: persisting("STOPPED", "stopped"),
    removing: persisting("DELETED", "deleted"),
    deleted: {
      on: {
        "group.recover": { target: "recovering", actions: "clearFailure" },
        "node.stop": "closed",
      },
    },
    recovering: persisting("STOPPED", "stopped"),
    unknown: { on: { "node.stop": "closed" } },
    // What failed takes no further part: it neither votes nor accepts what it cannot keep.
    failing: { invoke: { src: "stopLedger", onDone: "failed", onError: "failed" } },
    failed: {
      on: {
        "group.stop": { target: "beginningStop", actions: "clearFailure" },
        "node.stop": "closing",
      },
    },
    closing: { invoke: { src: "stopLedger", onDone: "closed", onError: "closed" } },
    closed: { type: "final" },
  },
});

/** The status that queryGroupStatus reports of a state. Source: groups 2, 10 */
export function statusOfState(state: string): StatusWord | "UNKNOWN" {
  switch (state) {
    case "running":
    case "failing":
    case "failed":
    case "closing":
      return "RUNNING";
    case "beginningStop":
    case "stopping":
    case "endingStop":
      return "STOPPING";
    case "deleted":
    case "recovering":
      return "DELETED";
    case "unknown":
      return "UNKNOWN";
    default:
      return "STOPPED";
  }
}

/** A running group actor. */
export type GroupActor = ActorRefFrom<typeof groupMachine>;

/** What the steps of a group do; each rejects when it fails. */
export interface GroupSteps {
  persistStatus(word: StatusWord): Promise<void>;
  startLedger(): Promise<void>;
  stopLedger(): Promise<void>;
}

/** The chart with its steps. */
export function groupMachineWith(steps: GroupSteps): typeof groupMachine {
  return groupMachine.provide({
    actors: {
      persistStatus: fromPromise(({ input }: { input: { readonly word: StatusWord } }) =>
        steps.persistStatus(input.word),
      ),
      startLedger: fromPromise(() => steps.startLedger()),
      stopLedger: fromPromise(() => steps.stopLedger()),
    },
  });
}
