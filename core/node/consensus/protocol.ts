/**
 * What a protocol tells the shell of consensus, and what the shell tells it; what the shell is to
 * the rest of a group, and what it asks of the group. Types only. Source: pbft 16; raft 8
 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { SealingAsk } from "../../actors/sealing.machine.ts";
import type { ConsensusStatus } from "../../api/node-api.ts";
import type {
  CoreEffect,
  CoreNews,
  CoreTypes,
  SyncedBlock,
  VotingRole,
} from "../../consensus/exchange.ts";
import type { GroupConfig, GroupTuning } from "../../model/config.ts";
import type { TxPool } from "../../txpool/state.ts";
import type { GroupOptions, GroupPorts, ParentBlock } from "../options/group-options.ts";
import type { BlockService } from "../proposals/block-service.ts";
import type { CachedProposal } from "../proposals/proposal-cache.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { ConsensusInbox } from "./consensus-inbox.ts";
import type { AnyMessage, ArrivedMessage, MessageCodec } from "./consensus-wire.ts";
import type { RelayService } from "./relay-service.ts";

/**
 * What became of a block that consensus was given: it is going to be written; consensus holds
 * another one for that height; it is not what its header says.
 */
export type Taking = "taken" | "busy" | "refused";

/** What the group does for its consensus, itself or by its parts. */
export interface ConsensusGroup {
  readonly chain: {
    /** In force for the next block. */
    config(): GroupConfig;
    parent(): ParentBlock;
  };
  readonly peers: {
    /** Connected members, ascending. */
    members(): readonly NodeId[];
    /** Whether a peer passes on what others report. Source: decision 34 */
    passesOn(peer: NodeId): boolean;
    /** A peer sent what no honest node sends. */
    reject(peer: NodeId, reason: string): void;
  };
  readonly abstention: {
    /** Whether this node votes. Source: decision 25 */
    votingRole(): VotingRole | undefined;
    /** Proof that the store is older than the votes; the abstention is on disk when resolved. */
    lost(): Promise<void>;
  };
  readonly blocks: Pick<BlockService, "requestBody" | "serveWaiting">;
  readonly sync: {
    /** The executor works on this block; 0: on none. Source: sync 4 (currentSealingNumber) */
    sealing(number: number): void;
    /** Consensus stands on the block that was written. */
    written(number: number, hash: Hash): void;
    /** The block of this height that consensus was given is not what its header says. */
    refused(number: number): void;
  };
  /** What this node takes for the time when it judges a proposal. Source: decision 27 */
  referenceTime(): number;
  /** The same of its own proposals: what those may take for it who must agree. */
  ownReferenceTime(): number;
  /** Whether a majority of the sealers has told its clock, this node among them. */
  knowsClocks(): boolean;
  /** A peer reported in a message of consensus where it stands. */
  noteStatus(peer: NodeId, number: number, latestHash: Hash): void;
  /** A block is on disk: ledger, pool, listeners and, on the way, `onAdvanced` follow. */
  advance(entry: CachedProposal, executed: Hash): Promise<void>;
  /** The group cannot go on. */
  fail(cause: unknown): void;
}

/** What consensus is made with. */
export interface ConsensusOptions {
  readonly options: GroupOptions;
  readonly ports: GroupPorts;
  readonly pool: TxPool;
  readonly proposals: ProposalStore;
  readonly group: ConsensusGroup;
}

/** The types that differ between protocols. */
export interface ProtocolTypes extends CoreTypes {
  readonly message: AnyMessage;
}

/** An input without its time, which the shell adds. */
export type Untimed<Of> = Of extends unknown ? Omit<Of, "now"> : never;

/** Consensus wants a proposal. */
export type ProposeEffect<Of extends ProtocolTypes> = Extract<
  CoreEffect<Of>,
  { readonly type: "propose" }
>;

/** Where the messages of peers come in. */
export type Inbox = Pick<ConsensusInbox, "receive" | "forget">;

/** What the shell does for its protocol. */
export interface ShellEnd<Of extends ProtocolTypes> {
  isStopped(): boolean;
  /** Gives the core an input, after those that wait. */
  input(input: Untimed<Of["input"]> | CoreNews<Of["message"], Of["config"]>): void;
  /** Takes a message whose sender is certain. */
  onMessage(arrived: ArrivedMessage<Of["message"]>): void;
  /** The round that was asked for is over; this many transactions were too slow for it. */
  roundLeft(slowCount?: number): void;
  /** A round ended while this proposal was executing: the next ask waits for what was running. */
  outlived(proposal: Hash): void;
  /** The store is older than the votes; the abstention is on disk when resolved. */
  abstainAfterLoss(): Promise<void>;
}

/** All that differs between protocols. */
export interface Protocol<Of extends ProtocolTypes> {
  readonly codec: MessageCodec<Of["message"]>;
  /** Passes on and reaches sealers through others; absent where messages prove no node. */
  readonly relay?: RelayService | undefined;
  readonly tuning: GroupTuning;
  /** Lets messages in; irrelevant ones, and those of no certain sender, stay outside. */
  inbox(end: ShellEnd<Of>): Inbox;
  /**
   * A message that came in.
   * @returns whether its compact proposal may matter: the rest is not worth its memory
   */
  heard(arrived: ArrivedMessage<Of["message"]>): boolean;
  /** A member has sent what no honest one sends. */
  reject(from: NodeId, reason: string): void;
  /** Gives the core an input; what it asks for, in order. */
  step(input: Of["input"]): readonly CoreEffect<Of>[];
  /** The actor of the core ends. */
  stop(): void;
  /** In force for the next height. */
  config(): Of["config"];
  /**
   * The group stands on another block.
   * @returns the view in which the block before was decided; 0 where there are none
   */
  advanced(): number;
  /** Informs the core whether this node votes. */
  votingRoleInput(): Untimed<Of["input"]>;
  /** Tells the core who is connected; undefined where no node asks. */
  peersInput(connected: readonly NodeId[]): Untimed<Of["input"]> | undefined;
  /** Informs the core of a block that sync has verified, or why not. */
  blockInput(from: NodeId, block: SyncedBlock): Untimed<Of["input"]> | "refused" | "lostVotes";
  /** R of the block that is decided. */
  decided(): Hash | undefined;
  encodeRecord(record: Of["record"]): Uint8Array;
  /** What the last record of a node reports that stops in order; undefined: nothing else. */
  lastRecord(): Uint8Array | undefined;
  /** What is sent while the proposal that belongs to a message is not at hand, if anything. */
  withoutProposal(message: Of["message"]): Of["message"] | undefined;
  /** Whether a quorum is known to have signed a proposal, so that its body is worth asking for. */
  isNamed(proposal: Hash): boolean;
  /** Whether this node may refuse a proposal: no node has decided it. */
  mayRefuse(proposal: Hash): boolean;
  /** What the builder is asked for. */
  askOf(effect: ProposeEffect<Of>): SealingAsk;
  /** An own proposal of this height is about to be given to the core. */
  sealed(height: number): void;
  /** A reservation holds back what follows the report. */
  report(report: Of["report"], end: ShellEnd<Of>): Promise<void> | undefined;
  status(): ConsensusStatus;
}
