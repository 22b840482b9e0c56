/**
 * What enters the core: messages of authenticated sessions, time, and the answers of the shell.
 * Source: raft 8
 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { ExecutionToken } from "../pbft/effect.ts";
import type { Proposal } from "../pbft/input.ts";
import type { Message } from "./message.ts";

/** What the ledger says about the next height. Read again after every block. */
export interface RaftConfig {
  readonly self: NodeId;
  /** Sealers in force, ascending. */
  readonly sealers: readonly NodeId[];
  /** `min_elect_time`; the leader's lease too. Source: raft 3 */
  readonly minElectMs: number;
  /** `max_elect_time`. Source: raft 3 */
  readonly maxElectMs: number;
  /** Follows without a vote, as a node that is no sealer. Source: decision 25 */
  readonly silent?: boolean;
}

/** A block without seals, from a peer that is ahead. */
export interface SyncedBlock {
  readonly proposal: Proposal;
  /** E: hash of the block's header. */
  readonly executed: Hash;
}

/** One input; `now` is a steady clock in milliseconds. */
export type Input = { readonly now: number } & (
  | { readonly type: "start" }
  | { readonly type: "tick" }
  /** `proposal` comes with every append that has an entry. */
  | {
      readonly type: "message";
      readonly from: NodeId;
      readonly message: Message;
      readonly proposal?: Proposal;
    }
  /** Own proposal, as asked for by `propose`. */
  | { readonly type: "proposal"; readonly view: number; readonly proposal: Proposal }
  /** Whether all of R is at hand. */
  | { readonly type: "assembled"; readonly proposal: Hash; readonly complete: boolean }
  /** E, or undefined when the executor refused the block. A cancelled execution reports nothing. */
  | {
      readonly type: "executed";
      readonly token: ExecutionToken;
      readonly executed: Hash | undefined;
    }
  /** A block was written, by consensus or by sync; the configuration is that of the next height. */
  | {
      readonly type: "written";
      readonly height: number;
      readonly hash: Hash;
      readonly config: RaftConfig;
    }
  | { readonly type: "block"; readonly from: NodeId; readonly block: SyncedBlock }
  /** Another configuration for the same height: a silent node may vote, or must not any more. */
  | { readonly type: "voice"; readonly config: RaftConfig }
  /** Status of a member, from sync. */
  | { readonly type: "peer"; readonly from: NodeId; readonly height: number }
  /** Block sync has begun or ended a download: meanwhile the engine is suspended. */
  | { readonly type: "syncing"; readonly active: boolean }
);
