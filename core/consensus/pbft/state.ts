/** State of the PBFT core and its beginnings. Source: pbft 3, 16 */
import { invariant } from "../../fault/invariant.ts";
import {
  isSameList,
  NOT_A_SEALER,
  type Hash,
  type NodeId,
  type SealerIndex,
} from "../../bytes/ids.ts";
import type { Seal } from "../../model/header.ts";
import type { StepState } from "../../protocol/step.ts";
import type { ExecutionToken } from "../exchange.ts";
import { leaderIndex, maxFaulty, quorum } from "../quorum.ts";
import type { Effect } from "./effect.ts";
import type { Input, PbftConfig } from "./input.ts";
import type {
  Commit,
  Lock,
  Prepare,
  Sign,
  SignedContent,
  ViewChange,
  ViewChangeContent,
} from "./message.ts";
import type { PbftRecord } from "./record.ts";

/** Votes and view changes for views further ahead are dropped. Source: pbft 16.3.10 */
export const VIEW_WINDOW = 64;

/** The core's only way to a signature: deterministic, synchronous, without effects. */
export interface Signer {
  sign(content: SignedContent): Uint8Array;
}

/** Rules, all in force but where the simulator shows that each is needed. */
export const ALL_RULES = {
  certificateCheck: true,
  justificationCheck: true,
  durableVote: true,
  oneVotePerIndex: true,
  forwardJustification: true,
  keptReservation: true,
};
/** Which of {@link ALL_RULES} are in force. */
export type Rules = Readonly<typeof ALL_RULES>;

/** Key of a vote: the sealer's index, so that no node counts twice. */
export type VoterKey = number | string;

/** The one block being brought together or executed. */
export function newWork(token: ExecutionToken, stage: "assembling" | "assembled") {
  return {
    token,
    /** It was bound to be the block when its execution began: only a fault refused it then. */
    wasBound: false,
    stage: stage as typeof stage | "fetching" | "executing" | "executed" | "refused",
    /** Known once the body is at hand. */
    txCount: undefined as number | undefined,
    /** E, once executed. */
    executed: undefined as Hash | undefined,
    startedAt: 0,
    /** How long the execution took. */
    executionMs: 0,
    /** Requests sent for the missing parts. */
    attempts: 0,
    /** When another peer is asked. */
    retryAt: 0,
    /** The body is stored with a record. */
    stored: false,
  };
}
/** See {@link newWork}. */
export type Work = ReturnType<typeof newWork>;

/** A final block that is yet to be written. Source: pbft 16.3.5 */
export interface Decision {
  readonly view: number;
  readonly proposal: Hash;
  readonly executed: Hash;
  readonly seals: readonly Seal[];
  /** Who has the block. */
  readonly holders: readonly NodeId[];
  writing: boolean;
}

/** What is known of a connected node. */
export interface Peer {
  height: number;
  view: number;
  /** Requests for blocks that it did not answer. */
  failures: number;
  /** When a stale message of it was last answered. */
  answeredAt: number;
}

/** What a node does in the protocol, and for a sealer: how far its round is. */
export type PbftPhase =
  | "observer"
  /** No proposal is accepted in this view. */
  | "idle"
  /** A proposal is accepted: it is executed, and signed. */
  | "prePrepared"
  /** Q sealers signed it: it is locked here. */
  | "prepared"
  /** The view is given up, the next one not yet open. */
  | "viewChanging"
  /** Q commit votes made the block final: it is executed where need be, and written. */
  | "committed"
  /** The same with a block of a peer, by its seals. */
  | "catchingUp"
  /** Execution on this node is wrong. */
  | "stopped";

/** What a step has sent so far, and for whom. */
interface Sent {
  /** Something durable was sent: a record goes to disk before all effects of this step. */
  isDurable: boolean;
  /** All of it belongs to empty rounds: the record may reserve some more of them. */
  isIdle: boolean;
  /** Block bytes to store with that record. */
  body: Hash | undefined;
  /** Who passed on the message that is examined. Source: pbft 11 */
  via: NodeId | undefined;
}
type Height = ReturnType<typeof emptyHeight>;

/** The whole state; changed in place by this folder only, so that a step allocates little. */
export interface PbftState extends StepState<Effect>, Sent, Height {
  phase: PbftPhase;
  readonly signer: Signer;
  readonly rules: Rules;
  config: PbftConfig;
  indexes: ReadonlyMap<NodeId, SealerIndex>;
  index: SealerIndex;
  maxFaulty: number;
  quorum: number;
  /** h */
  height: number;
  head: Hash;
  /** How many empty rounds in a row share a record. */
  readonly roundsPerRecord: number;
  /** Messages for later views and for the next height; one per (type, height, view, signer). */
  future: Map<string, Extract<Input, { type: "message" }>>;
  futureDue: boolean;
  statusAt: number;
  /** When the next block is asked for; undefined while no node is known to be ahead. */
  catchUpAt: number | undefined;
  peers: Map<NodeId, Peer>;
  connected: ReadonlySet<NodeId>;
  /** When sealers without a session were heard last, through others. Source: pbft 11 */
  readonly distant: Map<NodeId, number>;
  /** Last view learned of each sealer. */
  views: Map<SealerIndex, number>;
}

/** Where a node begins. */
export interface Beginning {
  readonly config: PbftConfig;
  readonly signer: Signer;
  readonly height: number;
  readonly head: Hash;
  /** What the store holds; ignored when it is for another height. */
  readonly record: PbftRecord | undefined;
  readonly rules?: Rules;
  /** Empty rounds in a row that share a record, 1 to VIEW_WINDOW: view-reservation.ts. */
  readonly roundsPerRecord?: number | undefined;
}

/** A round in which nothing has happened. */
export function emptyRound() {
  return {
    /** R of the one proposal accepted in this view. */
    proposal: undefined as Hash | undefined,
    /** Its message, where it is known (a restarted sealer may know only R). */
    prepare: undefined as Prepare | undefined,
    txCount: undefined as number | undefined,
    /** A proposal was asked for. */
    proposeAsked: false,
    /** An empty proposal was accepted: the view is to be left. */
    empty: false,
    /** A proposal of the leader was refused for what it is: the next may be no better. */
    refused: false,
    /** Own messages of the view were last sent again at that time, per peer. */
    resentAt: new Map<NodeId, number>(),
  };
}

/** A height at which nothing has happened. Source: pbft 16.3.1 */
export function emptyHeight(now: number) {
  return {
    /** v */
    view: 0,
    /** w */
    toView: 0,
    /** The record says that every view below this one is given up: at least w once on disk. */
    reserved: 0,
    /** J of the view; empty at view 0. */
    justification: [] as readonly ViewChange[],
    /** What happens in the current view. */
    round: emptyRound(),
    work: undefined as Work | undefined,
    decision: undefined as Decision | undefined,
    /** Own last messages at this height. */
    ownPrepare: undefined as Prepare | undefined,
    ownSign: undefined as Sign | undefined,
    ownCommit: undefined as Commit | undefined,
    ownViewChange: undefined as ViewChange | undefined,
    lock: undefined as Lock | undefined,
    /** Sign votes of the current view. */
    signs: new Map<VoterKey, Sign>(),
    /** Commit votes of this height, by view. */
    commits: new Map<number, Map<VoterKey, Commit>>(),
    /** View changes at this height, by wanted view above v. */
    viewChanges: new Map<number, Map<VoterKey, ViewChange>>(),
    /** k: failed views since the last commit or empty round. */
    failedViews: 0,
    /** When the wait of the current view began. */
    waitStart: now,
    lastConsensusAt: now,
  };
}

/**
 * A node that begins. A record of this height is continued: same view, same votes, counted again.
 * The first input must be `start`. Source: pbft 16.2
 */
export function createPbft(beginning: Beginning): PbftState {
  const { config, signer, height, head, record, roundsPerRecord = 1 } = beginning;
  // The others would not learn of a view that is further ahead.
  const isBounded = Number.isInteger(roundsPerRecord) && roundsPerRecord <= VIEW_WINDOW;
  invariant(isBounded && roundsPerRecord >= 1, "a reservation covers 1 to VIEW_WINDOW rounds");
  const none = emptyHeight(0);
  const state: PbftState = {
    // Written out: objects into which others are spread have no form in common, and are slow.
    now: 0,
    isTick: false,
    effects: [],
    lastDeadline: undefined,
    isDurable: false,
    isIdle: false,
    body: undefined,
    via: undefined,
    phase: "observer",
    signer,
    rules: beginning.rules ?? ALL_RULES,
    config,
    indexes: new Map(),
    index: NOT_A_SEALER,
    maxFaulty: 0,
    quorum: 0,
    height,
    head,
    view: none.view,
    toView: none.toView,
    reserved: none.reserved,
    justification: none.justification,
    round: none.round,
    work: none.work,
    decision: none.decision,
    ownPrepare: none.ownPrepare,
    ownSign: none.ownSign,
    ownCommit: none.ownCommit,
    ownViewChange: none.ownViewChange,
    lock: none.lock,
    signs: none.signs,
    commits: none.commits,
    viewChanges: none.viewChanges,
    failedViews: none.failedViews,
    waitStart: none.waitStart,
    lastConsensusAt: none.lastConsensusAt,
    roundsPerRecord,
    future: new Map(),
    futureDue: false,
    statusAt: 0,
    catchUpAt: undefined,
    peers: new Map(),
    connected: new Set(),
    distant: new Map(),
    views: new Map(),
  };
  configure(state, config);
  restoreVotes(state, record);
  return state;
}

/** Takes over list, index, f and Q; a new list voids what was learned. Source: pbft 1, 8 */
export function configure(state: PbftState, config: PbftConfig): void {
  const same = state.indexes.size > 0 && isSameList(config.sealers, state.config.sealers);
  state.config = config;
  if (!same) state.indexes = new Map(config.sealers.map((id, index) => [id, index]));
  state.index = isAbstaining(config) ? NOT_A_SEALER : listedIndex(state);
  if (same) return;
  state.views = new Map();
  state.maxFaulty = maxFaulty(config.sealers.length);
  state.quorum = quorum(config.sealers.length);
}

/** Whether a node follows as an observer does, whatever the list says. Source: decision 25 */
export function isAbstaining({ votingRole }: PbftConfig): boolean {
  return votingRole === "silent" || votingRole === "muted";
}

/** The own place in the list, whether this node votes or not. */
export function listedIndex({ indexes, config }: PbftState): SealerIndex {
  return indexes.get(config.self) ?? NOT_A_SEALER;
}

/**
 * Continues from a record of the current height; another one is ignored. An abstaining sealer
 * stands by its messages like one that abstained after it had sent them. Source: pbft 16.2
 */
export function restoreVotes(state: PbftState, record: PbftRecord | undefined): void {
  const { height, head, index } = state;
  if (!record || record.height !== height + 1 || record.head !== head) return;
  const listed = listedIndex(state);
  if (listed === NOT_A_SEALER || state.config.votingRole === "silent") return;
  // Its own messages count under its place in the list.
  state.index = listed;
  restore(state, record);
  state.index = index;
}

/** Counts own messages again, or a restart could stall the group. Source: pbft 16.2, 16.4 */
function restore(state: PbftState, record: PbftRecord): void {
  state.view = record.view;
  const isKept = state.rules.keptReservation || record.toView === record.view + 1;
  state.toView = isKept ? record.toView : record.view;
  state.reserved = record.toView;
  state.justification = record.justification;
  state.lock = record.lock;
  state.ownPrepare = record.prepare;
  state.ownSign = record.sign;
  state.ownCommit = record.commit;
  const { prepare, sign, commit, viewChange } = record;
  if (prepare?.view === state.view) {
    state.round.proposal = prepare.proposal;
    state.round.prepare = prepare;
  }
  if (sign?.view === state.view) {
    state.round.proposal = sign.proposal;
    state.signs.set(state.index, sign);
  }
  if (commit) state.commits.set(commit.view, new Map([[state.index, commit]]));
  if (state.toView > state.view) {
    const own = viewChange ?? viewChangeFor(state, state.toView);
    state.ownViewChange = own;
    state.viewChanges.set(state.toView, new Map([[state.index, own]]));
  }
}

/** The own vote for a view. Source: pbft 16.1 */
export function viewChangeFor(state: PbftState, view: number): ViewChange {
  const { height, index, head, lock } = state;
  const claim = lock && { view: lock.view, proposal: lock.proposal, executed: lock.executed };
  const type = "viewChange";
  const content: ViewChangeContent = { type, height, view, index, head, lock: claim };
  const signature = state.signer.sign(content);
  return { ...content, lock, signature, signer: state.config.self };
}

/** What this node has sent at this height, and may say behind it. Source: pbft 16.2 */
export function recordOf(state: PbftState): PbftRecord {
  const { view, reserved } = state;
  const toView = Math.max(state.toView, reserved);
  const own = toView > state.toView ? viewChangeFor(state, toView) : state.ownViewChange;
  return {
    height: state.height + 1,
    view,
    toView,
    head: state.head,
    justification: state.justification,
    prepare: state.ownPrepare,
    sign: state.ownSign,
    lock: state.lock,
    commit: state.ownCommit,
    viewChange: toView > view ? own : undefined,
  };
}

/** Whether this node votes at the current height. */
export function isSealer(state: PbftState): boolean {
  return state.index !== NOT_A_SEALER;
}

/** Index of the current view's leader, even when it was left. Source: pbft 16.3.1 */
export function leaderOf(state: PbftState): SealerIndex {
  return leaderIndex(state.height, state.view, state.config.sealers.length);
}

/** Whether the sealer at an index made a signature. */
export function signedBy(state: PbftState, index: SealerIndex, signer: NodeId): boolean {
  return state.config.sealers[index] === signer;
}

/** The votes for a view, made on first use. */
export function votesOf<Vote>(votes: Map<number, Map<VoterKey, Vote>>, view: number) {
  const known = votes.get(view) ?? new Map<VoterKey, Vote>();
  votes.set(view, known);
  return known;
}

/** The key a vote counts under: signatures of one index count once. Source: pbft 3 */
export function voterKey(
  state: PbftState,
  vote: { readonly index: SealerIndex; readonly signature: Uint8Array },
): VoterKey {
  return state.rules.oneVotePerIndex ? vote.index : `${vote.index}/${vote.signature.join()}`;
}
