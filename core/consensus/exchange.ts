/** What every core is told, and asks of its shell. Types only. Source: pbft 14, 16; raft 8 */
import type { Hash, NodeId, SealerIndex } from "../bytes/ids.ts";
import type { Seal } from "../model/header.ts";
import type { BlockTime } from "./block-time.ts";
import type { RecoveredSeal } from "./certificate.ts";

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
  /** Where it is examined before a vote; absent: it is not. Source: decision 27 */
  readonly time?: BlockTime;
}

/** A block from a peer that is ahead; its seals where blocks carry any. */
export interface SyncedBlock {
  readonly proposal: Proposal;
  /** E: hash of the block's header. */
  readonly executed: Hash;
  readonly seals: readonly (RecoveredSeal & Seal)[];
}

/**
 * What a node whose store may be older than its votes does. `silent`: it follows as an observer
 * does, whatever the list says. `confirmed`: it votes, and its seals on blocks of the time before
 * are no news. `muted`: it follows like one that abstains after a restore, of its own accord; its
 * record is right, so messages of its own that it does not hold are news. Source: decision 25
 */
export type VotingRole = "silent" | "confirmed" | "muted";

/** Identifies one execution; results that carry another token are stale. Source: pbft 14 */
export interface ExecutionToken {
  /** Height being decided. */
  readonly height: number;
  /** View, or term, in which the execution was asked for. */
  readonly view: number;
  /** R. */
  readonly proposal: Hash;
}

/** Who a broadcast is for: votes go to sealers, status to every connected member. */
export type Audience = "sealers" | "members" | "observers";

/** The types that differ between protocols. */
export interface CoreTypes {
  readonly message: unknown;
  readonly record: unknown;
  readonly report: unknown;
  /** What the ledger says about the next height. Read again after every block. */
  readonly config: { readonly sealers: readonly NodeId[] };
  readonly input: { readonly type: string; readonly now: number };
  /** What goes with a block to write. */
  readonly write: { readonly seals?: readonly Seal[] | undefined };
  /** What goes with a request for a proposal: from when on an empty one will do. */
  readonly propose: { readonly emptyFrom?: number | undefined };
  /** Why the group must not go on. Source: pbft 16.3.4 */
  readonly stop: {
    readonly reason: "executionDiffers" | "executionRefused" | "ownSignDiffers";
    readonly own?: Hash | undefined;
    readonly certified?: Hash | undefined;
  };
}

/** What every core is told, before its time is put to it. */
export type CoreNews<Message, Config> = Readonly<
  | { type: "start" }
  | { type: "tick" }
  /** Its sender is certain; `proposal` comes with every message that carries one. */
  | {
      type: "message";
      from: NodeId;
      /** Who passed it on: then `from` is proven by its signature alone. Source: pbft 11 */
      via?: NodeId | undefined;
      message: Message;
      proposal?: Proposal;
    }
  /** Own proposal, as asked for by `propose`. */
  | { type: "proposal"; view: number; proposal: Proposal }
  /** Whether all of R is at hand, and how many transactions it has. */
  | { type: "assembled"; proposal: Hash; complete: boolean; txCount?: number }
  /** E, or undefined when the executor refused the block. A cancelled execution reports nothing. */
  | { type: "executed"; token: ExecutionToken; executed: Hash | undefined }
  /** A block was written, by consensus or by sync; the configuration is that of the next height. */
  | { type: "written"; height: number; hash: Hash; config: Config }
>;

/** One thing to do. The shell performs effects strictly in order and awaits each persist. */
export type CoreEffect<Of extends CoreTypes> =
  | Readonly<
      /** Flush before anything behind it leaves. `body`: also store the block known by this R. */
      | { type: "persist"; record: Of["record"]; body: Hash | undefined }
      /** The compact proposal goes with the message that carries it. */
      | { type: "broadcast"; message: Of["message"]; to: Audience }
      | { type: "send"; message: Of["message"]; to: NodeId }
      /** Bring together header and transactions of R from what is at hand; answer `assembled`. */
      | { type: "assemble"; height: number; proposal: Hash }
      /** Ask a peer for what is missing of R; answer `assembled` once it is complete. */
      | { type: "requestBody"; height: number; proposal: Hash; to: NodeId }
      | { type: "execute"; token: ExecutionToken }
      | { type: "cancelExecution" }
      /** Ask a peer for the block of that height; answer `block`. */
      | { type: "requestBlock"; height: number; to: NodeId }
      /** Deliver a tick at that time; replaces the earlier deadline. */
      | { type: "deadline"; at: number | undefined }
      | { type: "report"; report: Of["report"] }
    >
  /** Write the block executed last; answer `written`. */
  | (Readonly<{ type: "write"; height: number; proposal: Hash; executed: Hash }> & Of["write"])
  /** Answer `proposal` when there is something to seal. */
  | (Readonly<{ type: "propose"; height: number; view: number }> & Of["propose"])
  /** Stop the group on this node and raise the alarm. Nothing follows. */
  | (Readonly<{ type: "stopGroup"; height: number; proposal: Hash }> & Of["stop"]);

/** A message or input without an effect: no error of this node. */
export interface Ignored<Reason> {
  readonly event: "ignored";
  readonly from: NodeId;
  readonly type: string;
  readonly reason: Reason;
}
