/** What enters the planner: messages, time, the ledger's news, answers. Source: sync 9 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { ChainStatus, SyncBlock } from "../sync-message.ts";

/** What the ledger says about the next height. Read again after every block. */
export interface SyncConfig {
  readonly self: NodeId;
  /** Sealers in force for the next block, in list order. */
  readonly sealers: readonly NodeId[];
  readonly observers: readonly NodeId[];
  /** How many sealers may lie: f for PBFT, 0 for Raft. */
  readonly maxFaulty: number;
  /** Whether blocks carry a certificate: PBFT yes, Raft no. Source: sync 4 (import) */
  readonly certified: boolean;
}

/** Why a block did not pass; the sender is at fault in every case. Source: pbft 8 */
export type BlockDefect =
  /** Malformed, too many transactions, or a signature in it does not recover. */
  | "badBody"
  /** Transactions do not fit the root in the header. */
  | "wrongRoot"
  /** Not enough good seals of the sealers in force. */
  | "badCertificate";

/** The first block that did not pass. */
export interface FoundDefect {
  readonly number: number;
  readonly reason: BlockDefect;
}

/**
 * Whose fault it is that an import ended early. `peer`: the block was refused; `busy`: consensus
 * holds the height, or the store is not ready: it is tried again; `own`: a certified block gives
 * other results here, which stops this planner.
 */
export type ImportFault = "peer" | "busy" | "own";

/** An input before its time is put to it. */
export type SyncNews = Readonly<
  | { type: "start" }
  | { type: "tick" }
  | { type: "peerUp"; peer: NodeId }
  | { type: "peerDown"; peer: NodeId }
  | {
      type: "status";
      from: NodeId;
      status: ChainStatus;
      /** Consensus heard it: such messages and statuses of sync overtake each other. */
      ofConsensus?: boolean;
    }
  | { type: "requestRange"; from: NodeId; first: number; count: number }
  /** Blocks of one packet in its order, opened by `openSyncBlock`. */
  | { type: "blocks"; from: NodeId; blocks: readonly SyncBlock[] }
  /** A message that does not decode, or a packet with a block that does not open. */
  | { type: "malformed"; from: NodeId }
  /** Consensus decides this block now, so sync keeps away; 0 when none. Source: sync 4 */
  | { type: "sealing"; number: number }
  /** A block was written, by consensus or by an import; the configuration is the next block's. */
  | { type: "committed"; number: number; hash: Hash; config: SyncConfig }
  /** The answer to `verify`: the first block that did not pass. Own failures are no defect. */
  | { type: "verified"; token: number; defect?: FoundDefect | undefined }
  /**
   * The answer to `import`, after the `committed` of each block that was written. Without a fault
   * it may have ended early, when the sealers in force changed.
   */
  | { type: "imported"; token: number; fault?: ImportFault | undefined }
  /** The answer to `load`: blocks from the first on, as far as there are any and bytes last. */
  | { type: "loaded"; token: number; blocks: readonly Uint8Array[] }
>;

/** One input; `now` is a steady clock in milliseconds. */
export type SyncInput = { readonly now: number } & SyncNews;

/** An input of one type. */
export type InputOf<Type extends SyncInput["type"]> = Extract<SyncInput, { readonly type: Type }>;

/** The events of the protocol: each input, and the end of its turn. */
export type SyncEvents = {
  readonly [Type in SyncNews["type"]]: InputOf<Type>;
} & { readonly rest: undefined };
