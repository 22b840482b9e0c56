/**
 * What enters the core: verified messages, time, and the answers of the shell.
 * Source: pbft 16
 */
import type { Hash, NodeId, SealerIndex } from "../../bytes/ids.ts";
import type { RecoveredSeal } from "../certificate.ts";
import type { ExecutionToken } from "./effect.ts";
import type { Message } from "./message.ts";
import type { PbftRecord } from "./record.ts";

/** The facts of a proposal that the protocol needs; everything else is opaque to it. */
export interface Proposal {
  /** R: hash of the header that travels with the proposal, computed by the shell. */
  readonly hash: Hash;
  readonly number: number;
  readonly parentHash: Hash;
  /** `sealer` of the header. */
  readonly sealer: SealerIndex;
  /** `sealerList` of the header. */
  readonly sealers: readonly NodeId[];
  /** 0: an empty round. */
  readonly txCount: number;
}

/** What the ledger says about the next height. Read again after every block. */
export interface PbftConfig {
  readonly self: NodeId;
  /** Sealers in force, ascending. */
  readonly sealers: readonly NodeId[];
  /** `consensus_timeout`. Source: pbft 7 */
  readonly consensusTimeoutMs: number;
  /** Absent: what this node said is what its record says. Source: decision 25 */
  readonly voice?: Voice | undefined;
}

/**
 * What a node whose store may be older than its votes does. `silent`: it follows as an observer
 * does, whatever the list says. `confirmed`: it votes, and its seals on blocks of the time before
 * are no news. `muted`: it follows like a silent one, of its own accord; its record is right as far
 * as it knows, so words of its own that the record does not hold are news.
 *
 * Source: decision 25
 */
export type Voice = "silent" | "confirmed" | "muted";

/** A block with its seals, from a peer that is ahead. */
export interface SyncedBlock {
  readonly proposal: Proposal;
  /** E: hash of the block's header. */
  readonly executed: Hash;
  readonly seals: readonly (RecoveredSeal & { readonly signature: Uint8Array })[];
}

/** One input; `now` is a steady clock in milliseconds. */
export type Input = { readonly now: number } & (
  | { readonly type: "start" }
  | { readonly type: "tick" }
  /** All signatures of {@link claimsOf} are verified; `proposal` comes with every prepare. */
  | {
      readonly type: "message";
      readonly from: NodeId;
      readonly message: Message;
      readonly proposal?: Proposal;
    }
  /** A message that was too old to be verified: its sender is behind. See of-use.ts. */
  | { readonly type: "stale"; readonly from: NodeId }
  /** Own proposal, as asked for by `propose`. */
  | { readonly type: "proposal"; readonly view: number; readonly proposal: Proposal }
  /** Whether all of R is at hand. */
  | {
      readonly type: "assembled";
      readonly proposal: Hash;
      readonly complete: boolean;
      readonly txCount: number;
    }
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
      readonly config: PbftConfig;
    }
  | { readonly type: "block"; readonly from: NodeId; readonly block: SyncedBlock }
  /** This node may vote from now on, or must not any more; what its store holds of its votes. */
  | {
      readonly type: "voice";
      readonly config: PbftConfig;
      readonly record: PbftRecord | undefined;
    }
  /** Group members with a session now, self absent. */
  | { readonly type: "peersChanged"; readonly connected: readonly NodeId[] }
);

/** A message as the handlers take it, and the node that sent it. */
export interface Heard<Kind extends Message> {
  readonly from: NodeId;
  readonly message: Kind;
}
