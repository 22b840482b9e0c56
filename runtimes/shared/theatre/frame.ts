/**
 * What is seen at one step: plain data that can be drawn, kept and posted between threads. Frames
 * share what did not change with the frame before: compare by identity. Nothing in them is secret.
 */
import type { Message as PbftMessage } from "../../../core/consensus/pbft/message.ts";
import type { PbftPhase } from "../../../core/consensus/pbft/state.ts";
import type { Message as RaftMessage } from "../../../core/consensus/raft/message.ts";
import type { Role } from "../../../core/consensus/raft/state.ts";
import type { BlockPhase } from "../../../core/consensus/raft/status.ts";
import type { BlockMessage } from "../../../core/sync/block-exchange.ts";
import type { TransactionsMessage } from "../../../core/sync/gossip.ts";
import type { SyncMessage } from "../../../core/sync/sync-message.ts";
import type { Action, Lie, MsRange } from "./scenario.ts";

/** Kinds of messages, over all protocols; `status` is that of PBFT. */
export type MessageKind =
  | PbftMessage["type"]
  | RaftMessage["type"]
  | BlockMessage["type"]
  | SyncMessage["type"]
  /** The status of block sync. */
  | "chainStatus"
  | Exclude<TransactionsMessage["type"], "passOn">
  /** Topics of clients. */
  | "topics"
  /** Bytes that are no message. */
  | "unreadable";

/** A message on its way, or one that has ended. */
export interface Flight {
  /** Rises with each message that is sent; names it in actions. */
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly group: number;
  readonly kind: MessageKind;
  readonly bytes: number;
  readonly sentAt: number;
  /** Undefined while it is held or waits behind one that is, or where nobody can know. */
  readonly arrivesAt: number | undefined;
  readonly held: boolean;
  /** It is not what the production node wanted to send: a lie. */
  readonly lie: boolean;
  /** The message that this one is a second copy of. */
  readonly copyOf: number | undefined;
  /** Height that it speaks about, view or term, and the block that it names. */
  readonly height: number | undefined;
  /** View of PBFT, term of Raft. */
  readonly view: number | undefined;
  /** A hash in full, without 0x; R of a proposal, else E or the head. */
  readonly hash: string | undefined;
  /** More of its content, for the inspector; numbers, short texts, hashes. */
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

/** How a message ended. */
export interface EndedFlight {
  readonly flight: Flight;
  readonly how:
    | "delivered"
    /** By the rate of losses. */
    | "lost"
    /** By hand. */
    | "dropped"
    /** The link is cut, or its receiver is not there. */
    | "cut";
}

/** A block of a node's chain. */
export interface BlockView {
  readonly number: number;
  readonly hash: string;
  readonly transactions: number;
  /** Index of the sealer that proposed it; undefined for the genesis block. */
  readonly sealer: number | undefined;
  /** Seals in its certificate: 0 in Raft. */
  readonly seals: number;
}

/** Who of the nodes has voted, out of how many that are needed. */
export interface Tally {
  /** Node numbers, ascending. */
  readonly voters: readonly number[];
  readonly quorum: number;
}

/** What a sealer of PBFT has promised: no other block at this height without newer proof. */
export interface LockView {
  readonly view: number;
  readonly proposal: string;
  readonly executed: string;
  /** Whose sign votes prove it. */
  readonly voters: readonly number[];
}

/** The PBFT core of one node. */
export interface PbftView {
  readonly kind: "pbft";
  /** Height that is being decided: one above the head. */
  readonly height: number;
  readonly view: number;
  /** Above `view` while the view changes. */
  readonly toView: number;
  /** Node number of the leader of `view`; undefined when it is no node of the theatre. */
  readonly leader: number | undefined;
  /** Where it stands; the names of the statechart. */
  readonly phase: PbftPhase;
  readonly maxFaulty: number;
  readonly quorum: number;
  /** R of the accepted proposal of this view. */
  readonly proposal: string | undefined;
  readonly transactions: number | undefined;
  /** E, once executed here. */
  readonly executed: string | undefined;
  /** Own last votes at this height. */
  readonly ownSign: string | undefined;
  readonly ownCommit: string | undefined;
  /** Sign votes of this view for the accepted proposal's E, or the most voted one. */
  readonly signs: Tally;
  readonly commits: Tally;
  /** By wanted view, ascending. */
  readonly viewChanges: readonly (Tally & { readonly toView: number })[];
  readonly lock: LockView | undefined;
  /** Whose view changes justify the current view. */
  readonly justification: readonly number[];
  /** The block is final and is being written. */
  readonly decided: boolean;
  readonly failedViews: number;
  /** Virtual time at which the wait of the view began, and when it ends. */
  readonly waitsFrom: number;
  readonly deadline: number;
}

/** The entry above the head: the one slot of the log that is not final. */
export interface EntryView {
  readonly term: number;
  readonly height: number;
  readonly proposal: string;
  /** Node number of who proposed it. */
  readonly proposer: number | undefined;
}

/** The Raft core of one node. Its log is `blocks` of the node and the entry above them. */
export interface RaftView {
  readonly kind: "raft";
  readonly role: Role;
  readonly term: number;
  /** Whom it voted for in this term. */
  readonly vote: number | undefined;
  readonly leader: number | undefined;
  /** Where the block above the head stands; the names of the statechart. */
  readonly phase: BlockPhase;
  readonly quorum: number;
  /** Number of the newest final block here: the commit index. */
  readonly commitIndex: number;
  readonly entry: EntryView | undefined;
  /** (Pre-)candidate: who granted the vote, itself included. */
  readonly grants: Tally;
  /** Leader: who has the entry on disk under this term, itself included. */
  readonly stored: Tally;
  /** Virtual time at which it stands for election; undefined for leaders and suspended nodes. */
  readonly electionAt: number | undefined;
  /** Virtual time since which it waits. */
  readonly waitsFrom: number | undefined;
  /** Leader: when the next heartbeat goes out, and until when its lease lasts. */
  readonly heartbeatAt: number | undefined;
  readonly leaseUntil: number | undefined;
}

/** What block sync of a node does. */
export interface SyncView {
  readonly downloading: boolean;
  readonly knownHighest: number;
  /** Blocks that wait for import. */
  readonly queued: number;
}

/** One actor of a node and what is lit in its chart. */
export interface ActorView {
  /** As it is named in the node: `node`, `g1.consensus`, `g1.session.<peer>`. */
  readonly name: string;
  /** Id of its {@link Chart}. */
  readonly chart: string;
  /** Paths of the active states, outer before inner: `member`, `member.sealer`. */
  readonly active: readonly string[];
  readonly status: "active" | "done" | "error" | "stopped";
}

/** A group on a node, by the word of its statechart. */
export interface GroupView {
  readonly group: number;
  readonly status: string;
}

/** A node as it is seen at a step. */
export interface NodeView {
  readonly node: number;
  /** 128 hexadecimal digits. */
  readonly nodeId: string;
  readonly power: "on" | "starting" | "paused" | "off";
  readonly lie: Lie | undefined;
  readonly role: "sealer" | "observer" | "none";
  /** Position in the list of sealers in force. */
  readonly sealerIndex: number | undefined;
  /** Words of its groups, group 1 first: RUNNING, STOPPED and so on. */
  readonly groups: readonly GroupView[];
  readonly height: number;
  /** Hash of the newest block. */
  readonly head: string | undefined;
  /** The newest blocks, ascending, at most {@link BLOCKS_SHOWN}. */
  readonly blocks: readonly BlockView[];
  readonly pool: number;
  readonly consensus: PbftView | RaftView | undefined;
  readonly sync: SyncView | undefined;
  /** Nodes with which it has a session. */
  readonly peers: readonly number[];
  readonly actors: readonly ActorView[];
  /** In a live view: what others are known to be, which is less than what they are. */
  readonly seenFromOutside: boolean;
}

/** Blocks that a frame holds of each node. */
export const BLOCKS_SHOWN = 12;

/** Messages in flight that a frame lists. */
export const FLIGHTS_SHOWN = 500;

/** What has been noticed, in words of the page. */
export type TheatreEventId =
  | "killed"
  | "started"
  | "serving"
  | "paused"
  | "resumed"
  | "partitioned"
  | "healed"
  | "linkCut"
  | "ruleChanged"
  | "held"
  | "released"
  | "dropped"
  | "lieBegan"
  | "lieEnded"
  | "transactionSent"
  | "transactionTaken"
  | "transactionRefused"
  | "timersSpread"
  | "timersAligned"
  | "nodeAdded"
  | "actionRefused"
  | "peerUp"
  | "peerDown"
  // PBFT
  /** Its own proposal; `accepted`: that of another. */
  | "proposed"
  | "accepted"
  /** It has sent its sign vote, has locked, has sent its commit vote. */
  | "signed"
  | "locked"
  | "committed"
  /** It leaves the view: nobody led in time, or (`viewLeft`) there was nothing to decide. */
  | "timedOut"
  | "viewLeft"
  | "viewEntered"
  // Raft
  | "becameFollower"
  | "becamePreCandidate"
  | "becameCandidate"
  | "becameLeader"
  | "termRaised"
  | "voted"
  | "entryStored"
  // both
  | "blockWritten"
  | "syncBegan"
  | "syncEnded"
  | "roleChanged"
  | "groupStatus"
  | "messageRejected"
  | "equivocationSeen"
  | "groupFailed"
  /** Two nodes that do not lie have different blocks at one height. */
  | "fork";

/** Something that happened at a step. */
export interface TheatreEvent {
  readonly step: number;
  readonly timeMs: number;
  readonly id: TheatreEventId;
  /** Whom it happened to. */
  readonly node: number | undefined;
  /** Values for the words: `height`, `view`, `term`, `to`, `hash`, `lie`, `reason`, ... */
  readonly values: Readonly<Record<string, string | number>>;
}

/** Why there is a step. */
export type Cause =
  | { readonly kind: "begin" }
  | { readonly kind: "delivery"; readonly message: number }
  /** A timer of a node, or the end of a wait for its disk or its executor. */
  | { readonly kind: "timer" | "disk" | "execution"; readonly node: number }
  /** Two nodes find or lose each other. */
  | { readonly kind: "connection"; readonly from: number; readonly to: number }
  | { readonly kind: "action"; readonly action: Action; readonly done: boolean }
  /** A client's transaction. */
  | { readonly kind: "load"; readonly node: number }
  /** Live: the time between two frames has passed. */
  | { readonly kind: "live" };

/** Direction in which nothing passes. */
export interface CutView {
  readonly from: number;
  readonly to: number;
}

/** A link that differs from what the scenario says of all. */
export interface RuleView extends CutView {
  readonly delayMs: MsRange;
  readonly lossPercent: number;
  readonly duplicatePercent: number;
}

/** A transition that an actor of a node took. */
export interface TakenView {
  readonly node: number;
  /** Name of the actor, as {@link ActorView} has it. */
  readonly actor: string;
  /** Path of the state that declares it. */
  readonly from: string;
  readonly transition: ChartTransition;
}

/** Everything at one step. */
export interface Frame {
  readonly step: number;
  readonly timeMs: number;
  readonly protocol: "pbft" | "raft";
  readonly cause: Cause;
  /** By number. */
  readonly nodes: readonly NodeView[];
  /** In flight after this step, by id: the oldest {@link FLIGHTS_SHOWN}. */
  readonly flights: readonly Flight[];
  /** Sent at this step, and ended at it. */
  readonly sent: readonly Flight[];
  readonly ended: readonly EndedFlight[];
  readonly cuts: readonly CutView[];
  readonly rules: readonly RuleView[];
  readonly events: readonly TheatreEvent[];
  /** What the charts did at this step, in its order; live: each of it once, as far as listed. */
  readonly taken: readonly TakenView[];
  /** Heights at which honest nodes have different blocks: empty, or the protocol has failed. */
  readonly forks: readonly number[];
  /** Hash over the order and content of everything so far: 64 hexadecimal digits; live: empty. */
  readonly trace: string;
  /** Messages in flight that are not listed; live: that passed too quickly to be listed. */
  readonly skipped: number;
}

/** A state of a chart. */
export interface ChartState {
  /** Last part of the path. */
  readonly key: string;
  /** `member.sealer.view`; empty for the root. */
  readonly path: string;
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history";
  readonly initial: string | undefined;
  readonly states: readonly ChartState[];
  /** Where it may go: paths, and the event, or the guard of what happens by itself. */
  readonly transitions: readonly ChartTransition[];
}

/** An arrow of a chart. */
export interface ChartTransition {
  readonly event: string;
  readonly guard: string | undefined;
  /** Paths; empty: it stays where it is. */
  readonly targets: readonly string[];
}

/** The definition of a machine, given once. */
export interface Chart {
  readonly id: string;
  readonly root: ChartState;
}
