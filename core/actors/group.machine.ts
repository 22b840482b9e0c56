/**
 * The life of one group on this node. Every status is on disk before the state changes; the first
 * state comes from the stored word, never from a saved snapshot. A group whose word cannot be read
 * is not known and has no actor. Source: groups 2, 10; interface 3.1
 */
import {
  type ActorRefFrom,
  assign,
  type ErrorActorEvent,
  fromPromise,
  raise,
  setup,
  stopChild,
} from "xstate";
import { ResultFault } from "../fault/invariant.ts";
import { StoreFault } from "../fault/store-fault.ts";
import { type ChildEvent, describe } from "./supervise.ts";

/** Words of the status record. */
export type StatusWord = "RUNNING" | "STOPPING" | "STOPPED" | "DELETED";

/** What became of the record. `start`: the word says RUNNING, and it is on disk. */
export type BootState = "start" | "stopped" | "deleted" | "inexistent";

/** Commands to a group, and the fact that it cannot go on. */
export type GroupEvent = Readonly<
  | { type: "group.generate" }
  | { type: "group.start" }
  | { type: "group.stop" }
  | { type: "group.remove" }
  | { type: "group.recover" }
  | { type: "ledger.failed"; cause: string; isDamage?: boolean }
  /** The node shuts down: the record stays as it is. */
  | { type: "node.stop" }
>;

/** Steps are provided by the wiring: without files and a ledger there is nothing to do. */
const persist = () => fromPromise<void, { readonly word: StatusWord }>(async () => {});
const step = () => fromPromise<void>(async () => {});

const noteAndFail = { target: "failing", actions: "noteFailure" } as const;
const toFailed = { target: "failed", actions: "noteFailure" } as const;
const repairFailed = { target: "failed", actions: "noteFailedRepair" } as const;

/**
 * Whether a failure is that of a store whose bytes are not what was written: it says so, or its
 * blocks give other results than a quorum found.
 */
export function isDamage(cause: unknown): boolean {
  return cause instanceof ResultFault || (cause instanceof StoreFault && cause.kind === "corrupt");
}

/** A state that writes a word and goes on, or elsewhere when the word cannot be written. */
const persisting = <Target extends string, Otherwise extends string>(
  word: StatusWord,
  target: Target,
  otherwise: Otherwise,
) => ({
  invoke: {
    src: "persistStatus" as const,
    input: { word },
    onDone: target,
    onError: { target: otherwise, actions: "noteFailure" as const },
  },
});

/** How a group begins. */
export interface GroupInput {
  readonly boot: BootState;
  /** Whether a damaged ledger can be built anew next to the old one here. */
  readonly canRepair?: boolean;
}

interface GroupContext extends Required<GroupInput> {
  readonly failure: string | undefined;
  /** The last failure is damage that was not tried to be repaired yet. */
  readonly damaged: boolean;
}

/** Writes, starts and stops a group. */
export const groupMachine = setup({
  types: {} as {
    input: GroupInput;
    context: GroupContext;
    events: GroupEvent | ChildEvent | ErrorActorEvent;
  },
  actors: {
    writeFiles: step(),
    persistStatus: persist(),
    startLedger: step(),
    stopLedger: step(),
    repairLedger: step(),
    adoptRepair: step(),
  },
  actions: {
    noteFailure: assign({
      failure: ({ event }) =>
        "error" in event ? describe(event.error) : "cause" in event ? event.cause : "unknown",
      damaged: ({ event, context }) =>
        context.canRepair &&
        ("error" in event ? isDamage(event.error) : "isDamage" in event && event.isDamage === true),
    }),
    /** A repair that failed is not begun again by itself. */
    noteFailedRepair: assign({
      failure: ({ event }) => ("error" in event ? describe(event.error) : "unknown"),
    }),
    beginChild: assign(({ spawn, event }) => {
      if (event.type === "child.begin")
        spawn(event.logic, { id: event.id, input: event.input } as never);
      return {};
    }),
    endChild: stopChild(({ event }) => ("child" in event ? event.child : "")),
    /** What cannot go on without its part fails as it does without its ledger. */
    childFailed: raise(({ event }) => {
      const cause = "error" in event ? event.error : undefined;
      return { type: "ledger.failed" as const, cause: describe(cause), isDamage: isDamage(cause) };
    }),
    clearFailure: assign({ failure: undefined, damaged: false }),
    repairBegins: assign({ damaged: false }),
  },
  guards: {
    bootStarts: ({ context }) => context.boot === "start",
    bootDeleted: ({ context }) => context.boot === "deleted",
    bootInexistent: ({ context }) => context.boot === "inexistent",
    failedMeanwhile: ({ context }) => context.failure !== undefined,
    isDamaged: ({ context }) => context.damaged,
    meetsDamage: ({ context, event }) =>
      context.canRepair && "error" in event && isDamage(event.error),
  },
}).createMachine({
  id: "group",
  context: ({ input: { boot, canRepair = false } }) => ({
    boot,
    canRepair,
    failure: undefined,
    damaged: false,
  }),
  initial: "booting",
  on: {
    "child.begin": { actions: "beginChild" },
    "child.end": { actions: "endChild" },
    "xstate.error.actor.*": { actions: "childFailed" },
  },
  states: {
    booting: {
      always: [
        { guard: "bootStarts", target: "resuming" },
        { guard: "bootDeleted", target: "deleted" },
        { guard: "bootInexistent", target: "inexistent" },
        { target: "stopped" },
      ],
    },
    inexistent: {
      on: {
        "group.generate": { target: "generating", actions: "clearFailure" },
        "node.stop": "closed",
      },
    },
    generating: {
      invoke: {
        src: "writeFiles",
        onDone: "stopped",
        onError: { target: "inexistent", actions: "noteFailure" },
      },
    },
    stopped: {
      on: {
        "group.start": "starting",
        "group.remove": { target: "removing", actions: "clearFailure" },
        "node.stop": "closed",
      },
    },
    // The record says RUNNING: a group that cannot run now runs after a repair and a restart. Its
    // first effects may fail before the start has returned; it never shows as running then.
    resuming: {
      entry: "clearFailure",
      invoke: {
        src: "startLedger",
        onDone: [{ guard: "failedMeanwhile", target: "failing" }, { target: "running" }],
        onError: toFailed,
      },
      on: { "ledger.failed": { actions: "noteFailure" } },
    },
    starting: {
      entry: "clearFailure",
      invoke: {
        src: "startLedger",
        onDone: [{ guard: "failedMeanwhile", target: "abandoning" }, { target: "announcing" }],
        onError: [
          { guard: "meetsDamage", target: "insisting", actions: "noteFailure" },
          { target: "stopped", actions: "noteFailure" },
        ],
      },
      on: { "ledger.failed": { actions: "noteFailure" } },
    },
    // It is to run, and does once its ledger is repaired.
    insisting: persisting("RUNNING", "failed", "stopped"),
    announcing: {
      ...persisting("RUNNING", "running", "abandoning"),
      on: { "ledger.failed": noteAndFail },
    },
    // The word could not be written, or the group failed before: what was started is taken back.
    abandoning: { invoke: { src: "stopLedger", onDone: "stopped", onError: "stopped" } },
    running: {
      on: {
        "group.stop": { target: "beginningStop", actions: "clearFailure" },
        "ledger.failed": noteAndFail,
        "node.stop": "closing",
      },
    },
    beginningStop: {
      // Nothing has been stopped yet: the group goes on.
      ...persisting("STOPPING", "stopping", "running"),
      on: { "ledger.failed": noteAndFail },
    },
    stopping: { invoke: { src: "stopLedger", onDone: "endingStop", onError: toFailed } },
    endingStop: persisting("STOPPED", "stopped", "failed"),
    removing: persisting("DELETED", "deleted", "stopped"),
    deleted: {
      on: {
        "group.recover": { target: "recovering", actions: "clearFailure" },
        "node.stop": "closed",
      },
    },
    recovering: persisting("STOPPED", "stopped", "deleted"),
    // What failed takes no further part: it neither votes nor accepts what it cannot keep. Its word
    // stays, so that it is tried again with the next start of the node.
    failing: { invoke: { src: "stopLedger", onDone: "failed", onError: "failed" } },
    failed: {
      always: { guard: "isDamaged", target: "repairing" },
      on: {
        "group.start": "retrying",
        // It is stopped already; from now on it stays so.
        "group.stop": { target: "settling", actions: "clearFailure" },
        "group.remove": { target: "removingFailed", actions: "clearFailure" },
        "node.stop": "closing",
      },
    },
    retrying: {
      entry: "clearFailure",
      invoke: {
        src: "startLedger",
        onDone: [{ guard: "failedMeanwhile", target: "failing" }, { target: "announcing" }],
        onError: toFailed,
      },
      on: { "ledger.failed": { actions: "noteFailure" } },
    },
    // A second ledger is built from peers, next to the damaged one; nobody but peers sees it.
    repairing: {
      entry: "repairBegins",
      invoke: { src: "repairLedger", onDone: "adopting", onError: repairFailed },
      on: {
        "group.stop": { target: "endingRepair", actions: "clearFailure" },
        "group.remove": { target: "droppingRepair", actions: "clearFailure" },
        "node.stop": "closing",
      },
    },
    endingRepair: { invoke: { src: "stopLedger", onDone: "settling", onError: "settling" } },
    droppingRepair: {
      invoke: { src: "stopLedger", onDone: "removingFailed", onError: "removingFailed" },
    },
    adopting: { invoke: { src: "adoptRepair", onDone: "resuming", onError: repairFailed } },
    settling: persisting("STOPPED", "stopped", "failed"),
    removingFailed: persisting("DELETED", "deleted", "failed"),
    closing: { invoke: { src: "stopLedger", onDone: "closed", onError: "closed" } },
    closed: { type: "final" },
  },
});

/** What queryGroupStatus reports of states; of all others STOPPED. Source: groups 2, 10 */
const STATUS: Readonly<Record<string, StatusWord | "INEXISTENT">> = {
  inexistent: "INEXISTENT",
  generating: "INEXISTENT",
  resuming: "RUNNING",
  running: "RUNNING",
  closing: "RUNNING",
  beginningStop: "RUNNING",
  stopping: "STOPPING",
  endingStop: "STOPPING",
  deleted: "DELETED",
  recovering: "DELETED",
};

/** The status that queryGroupStatus reports of a state. */
export function statusOfState(state: string): StatusWord | "INEXISTENT" {
  return STATUS[state] ?? "STOPPED";
}

/** Whether a state waits for a command: nothing of the group is under way. */
export function isSettled(state: string): boolean {
  return SETTLED.includes(state);
}

const SETTLED = ["inexistent", "running", "stopped", "deleted", "failed", "repairing", "closed"];

/** A running group actor. */
export type GroupActor = ActorRefFrom<typeof groupMachine>;

/** What the steps of a group do; each rejects when it fails. */
interface GroupSteps {
  /** Writes the files of a new group. */
  writeFiles(): Promise<void>;
  persistStatus(word: StatusWord): Promise<void>;
  startLedger(): Promise<void>;
  stopLedger(): Promise<void>;
  /** Builds the ledger anew next to the damaged one, until it is as far as the others. */
  repairLedger(): Promise<void>;
  /** Puts it in the place of the damaged one. */
  adoptRepair(): Promise<void>;
}

/** The chart with its steps. */
export function groupMachineWith(steps: GroupSteps): typeof groupMachine {
  return groupMachine.provide({
    actors: {
      writeFiles: fromPromise(() => steps.writeFiles()),
      persistStatus: fromPromise(({ input }: { input: { readonly word: StatusWord } }) =>
        steps.persistStatus(input.word),
      ),
      startLedger: fromPromise(() => steps.startLedger()),
      stopLedger: fromPromise(() => steps.stopLedger()),
      repairLedger: fromPromise(() => steps.repairLedger()),
      adoptRepair: fromPromise(() => steps.adoptRepair()),
    },
  });
}
