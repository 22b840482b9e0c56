/**
 * What is played in the theatre: plain data, and the same as a text that fits into a URL.
 *
 * A text is fields with dots between them, a field is words with hyphens between them, the nodes of
 * a side stand with underscores between them: `1.pbft.nodes-4.seed-7.t1500-kill-0.t9000-restart-0`.
 * The first field is the version, the second the protocol. `t1500` is a virtual millisecond, `s312`
 * the moment after that step, `s312_9000` that much later.
 */

/** Version of the text form. */
export const SCENARIO_VERSION = 1;
/** Most nodes on a stage. */
export const MAX_NODES = 10;
/** Longest text that is read. */
export const MAX_TEXT = 16_384;
/** Most actions of a scenario. */
export const MAX_ACTIONS = 500;
/** An hour of virtual time. */
export const MAX_MS = 3_600_000;
/** Highest number of a step. */
export const MAX_STEP = 1_000_000;

/** How a lying sealer lies. Everything else of it is the production node. */
export type Lie =
  /** Another proposal to half of the sealers, and votes for something else to them. */
  | "equivocate"
  /** It says nothing to other sealers; it hears and fetches blocks. */
  | "silent"
  /** With each vote goes one in the name of another sealer, with a signature that is none. */
  | "forge";

/** Links that a rule is for: from one node to another, or all from and to a node, or all. */
export type Links =
  | { readonly of: "all" }
  | { readonly of: "node"; readonly node: number }
  | { readonly of: "link"; readonly from: number; readonly to: number };

/** Something that is done to the nodes or to what is between them. Nodes count from 0. */
export type Action =
  /** The power goes: what was not on disk is lost. */
  | { readonly kind: "kill"; readonly node: number }
  /** Power on; a node that runs loses power first. */
  | { readonly kind: "restart"; readonly node: number }
  /** It does nothing and receives nothing until `resume`; what arrives waits. */
  | { readonly kind: "pause"; readonly node: number }
  | { readonly kind: "resume"; readonly node: number }
  /** No message passes between different sides; nodes on no side keep their links. */
  | { readonly kind: "partition"; readonly sides: readonly (readonly number[])[] }
  /** Nothing passes from the first sides to later ones; the other way is open. */
  | { readonly kind: "oneWay"; readonly sides: readonly (readonly number[])[] }
  /** Nothing passes from one node to another. */
  | { readonly kind: "cut"; readonly from: number; readonly to: number }
  /** All links work. Rules about delay, loss and duplicates stay. */
  | { readonly kind: "heal" }
  | {
      readonly kind: "delay";
      readonly fromMs: number;
      readonly toMs: number;
      readonly links: Links;
    }
  | { readonly kind: "loss"; readonly percent: number; readonly links: Links }
  | { readonly kind: "duplicate"; readonly percent: number; readonly links: Links }
  /** One message in flight: it waits, goes on at once, or is lost. */
  | { readonly kind: "hold"; readonly message: number }
  | { readonly kind: "deliver"; readonly message: number }
  | { readonly kind: "drop"; readonly message: number }
  | { readonly kind: "lie"; readonly node: number; readonly lie: Lie }
  | { readonly kind: "honest"; readonly node: number }
  /** A client sends this many transactions to a node. */
  | { readonly kind: "send"; readonly node: number; readonly count: number }
  /** The timers of those who wait for a leader are drawn apart, or made to end together. */
  | { readonly kind: "spread" }
  | { readonly kind: "align" }
  /** Transactions that change the list of members. */
  | { readonly kind: "addSealer"; readonly node: number }
  | { readonly kind: "addObserver"; readonly node: number }
  | { readonly kind: "removeNode"; readonly node: number }
  /** One more node, with an empty store; it is made an observer and catches up. */
  | { readonly kind: "addNode" }
  /** What an operator does with a group. Group 1 is there; 2 is what `generate` makes. */
  | {
      readonly kind: "group";
      readonly node: number;
      readonly operation: GroupOperationName;
      readonly group: 1 | 2;
    };

/** Operations of a node on its groups. */
export type GroupOperationName = "start" | "stop" | "remove" | "recover" | "generate";

/** When: at a virtual time, or behind a step, as what was done by hand is kept. */
export type When =
  | { readonly atMs: number }
  /** With `atMs` behind a wait in which nothing happened. */
  | { readonly afterStep: number; readonly atMs?: number };

/** An action and when it happens. */
export interface TimedAction {
  readonly when: When;
  readonly action: Action;
}

/** A range of milliseconds, both ends included. */
export interface MsRange {
  readonly from: number;
  readonly to: number;
}

/** Everything that decides what happens: the same scenario gives the same trace. */
export interface Scenario {
  readonly version: typeof SCENARIO_VERSION;
  readonly protocol: "pbft" | "raft";
  /** Nodes at the beginning. */
  readonly nodes: number;
  /** The first of them seal; the others observe. */
  readonly sealers: number;
  /** What chance is drawn from. */
  readonly seed: number;
  /** How long a message takes. */
  readonly delayMs: MsRange;
  /** How long a block's execution takes, and a durable write. */
  readonly executeMs: number;
  readonly diskMs: number;
  /** `min_block_generation_time`. */
  readonly blockMs: number;
  /** Election timeouts of Raft. */
  readonly electMs: MsRange;
  /** Every this many milliseconds a client sends a transaction; 0: never. */
  readonly loadMs: number;
  /** The moment that is shown when the scenario is opened; absent: the beginning. */
  readonly show: When | undefined;
  readonly actions: readonly TimedAction[];
}

/** What a scenario is when nothing else is reported. */
export const DEFAULT_SCENARIO: Scenario = {
  version: SCENARIO_VERSION,
  protocol: "pbft",
  nodes: 4,
  sealers: 4,
  seed: 1,
  delayMs: { from: 20, to: 40 },
  executeMs: 15,
  diskMs: 2,
  blockMs: 500,
  electMs: { from: 1_000, to: 2_000 },
  loadMs: 0,
  show: undefined,
  actions: [],
};

/** What is wrong with a scenario. */
export type ScenarioFaultCode =
  | "tooLong"
  | "version"
  | "protocol"
  | "unknownSetting"
  | "unknownAction"
  | "badValue"
  | "outOfRange"
  | "twice"
  | "tooManyActions"
  | "noSuchNode"
  | "notInRaft";

/** A scenario that cannot be played, and the field that is to blame. */
export interface ScenarioFault {
  readonly code: ScenarioFaultCode;
  /** Position of the field in the text, from 0. */
  readonly position: number;
  /** The field as it stands in the text, cut to 80 characters. */
  readonly field: string;
}

/** A scenario, or why there is none. */
export type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly fault: ScenarioFault };
