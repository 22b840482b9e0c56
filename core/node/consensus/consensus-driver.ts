/**
 * What the consensus of a group is to the rest of it, whichever protocol decides, and what it asks
 * of the group: types only.
 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { SyncedBlock, Voice } from "../../consensus/pbft/input.ts";
import type { GroupConfig } from "../../model/config.ts";
import type { TxPool } from "../../txpool/state.ts";
import type { GroupOptions, GroupPorts, ParentBlock } from "../options/group-options.ts";
import type { ConsensusStatus } from "../../api/node-api.ts";
import type { BookEntry } from "../proposals/proposal-book.ts";
import type { ProposalShelf } from "../proposals/proposal-shelf.ts";

/**
 * What became of a block that consensus was given: it is going to be written; consensus holds
 * another one for that height; it is not what its header says.
 */
export type Taking = "taken" | "busy" | "refused";

/** The consensus of one running group. */
export interface ConsensusDriver {
  /** Joins consensus: the first input of the core. */
  begin(): void;
  /** Does nothing further; resolves when what is under way is done. */
  stop(): Promise<void>;
  /** Takes a message of class `consensus`. */
  receive(from: NodeId, bytes: Uint8Array): void;
  /** A peer is gone. */
  forget(peer: NodeId): void;
  /** Other members have a session now. */
  peersChanged(connected: readonly NodeId[]): void;
  /** A proposal has become complete. */
  onComplete(entry: BookEntry): void;
  /** A block of the next height that block sync has verified. Source: pbft 8; raft 8 */
  onBlock(from: NodeId, block: SyncedBlock): Taking;
  /** Transactions entered the pool. */
  onPoolChanged(): void;
  /** The group stands on another block: its configuration is in force. */
  onAdvanced(entry: BookEntry): void;
  /** What `voice` of the group says is another thing now. */
  voiceChanged(): void;
  /** Sealers in force, ascending. */
  sealers(): readonly NodeId[];
  status(): ConsensusStatus;
}

/** What the group does for its consensus. */
export interface ConsensusGroup {
  /** In force for the next block. */
  config(): GroupConfig;
  parent(): ParentBlock;
  /** Connected members, ascending. */
  members(): readonly NodeId[];
  requestBody(proposal: Hash, to: NodeId): void;
  /** A peer said in a message of consensus where it stands. */
  noteStatus(peer: NodeId, number: number, latestHash: Hash): void;
  /** The executor works on this block; 0: on none. Source: sync 4 (currentSealingNumber) */
  noteExecuting(number: number): void;
  /**
   * A block is on disk: ledger, pool and listeners follow. `onAdvanced` of the driver is called on
   * the way.
   */
  advance(entry: BookEntry, executed: Hash): Promise<void>;
  /** Consensus stands on the block that was written. */
  onWritten(number: number, hash: Hash): void;
  /** The block of this height that consensus was given is not what its header says. */
  onRefused(number: number): void;
  /** Whether this node votes. Source: decision 25 */
  voice(): Voice | undefined;
  /** Proof that the store is older than the votes; the silence is on disk when resolved. */
  lostVotes(): Promise<void>;
  /** A peer sent what no honest node sends. */
  reject(peer: NodeId, reason: string): void;
  /** The group cannot go on. */
  fail(cause: unknown): void;
}

/** What a driver is made with. */
export interface DriverOptions {
  readonly options: GroupOptions;
  readonly ports: GroupPorts;
  readonly pool: TxPool;
  readonly shelf: ProposalShelf;
  readonly group: ConsensusGroup;
}
