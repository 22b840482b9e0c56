/** What the core asks of its shell, in order. Source: pbft 16 */
import type { Hash, NodeId, SealerIndex } from "../../bytes/ids.ts";
import type { Seal } from "../../model/header.ts";
import type { Message } from "./message.ts";
import type { PbftRecord } from "./record.ts";

/** Identifies one execution; results that carry another token are stale. Source: pbft 14 */
export interface ExecutionToken {
  /** Height being decided. */
  readonly height: number;
  /** View in which the execution was asked for. */
  readonly view: number;
  /** R. */
  readonly proposal: Hash;
}

/** Why a view was left. */
export type LeaveCause = "timeout" | "empty" | "joined";

/** Why a message or input had no effect. None of these is an error of this node. */
export type IgnoreReason =
  | "observer"
  | "notSealer"
  | "stale"
  | "tooFarAhead"
  | "otherHead"
  | "badLock"
  | "badJustification"
  | "notLeader"
  | "viewChanging"
  | "secondProposal"
  | "secondVote"
  | "decided"
  | "duplicate"
  | "headerHashDiffers"
  | "wrongNumber"
  | "wrongParent"
  | "wrongSealerList"
  | "wrongSealer"
  | "disobeysJustification"
  | "missingHeader"
  | "badSeals"
  | "otherSigner"
  | "ownMessage";

/** What is worth logging, counting or acting on outside the protocol. */
export type ReportEvent =
  | {
      readonly event: "viewLeft";
      readonly height: number;
      readonly view: number;
      readonly toView: number;
      readonly cause: LeaveCause;
      /** Transactions of the proposal at hand; undefined without one. */
      readonly txCount: number | undefined;
      /** Whether that proposal had been executed. */
      readonly executed: boolean;
    }
  | { readonly event: "viewChanged"; readonly height: number; readonly view: number }
  | {
      readonly event: "committed";
      readonly height: number;
      readonly hash: Hash;
      readonly proposal: Hash | undefined;
      readonly view: number;
    }
  /** Two different statements of one sealer in one round: proof of a fault. Source: pbft 3 */
  | {
      readonly event: "equivocation";
      readonly index: SealerIndex;
      readonly first: Message;
      readonly second: Message;
    }
  /** A vote under this key that this node never made: it runs elsewhere. Source: decision 25 */
  | { readonly event: "twin"; readonly message: Message }
  /**
   * A block or a message of others carries words of this node that its record knows nothing of: the
   * store is older than the votes. From this moment on the node is silent. Source: decision 25
   */
  | { readonly event: "lostVote"; readonly height: number }
  /** A view was left while its proposal was executing. Source: pbft 16.3.8 */
  | { readonly event: "executionOutlived"; readonly proposal: Hash; readonly view: number }
  | {
      readonly event: "ignored";
      readonly from: NodeId;
      readonly type: string;
      readonly reason: IgnoreReason;
    };

/** Why the group must stop on this node. Source: pbft 16.3.4 */
export type StopReason = "executionDiffers" | "executionRefused";

/** Who a broadcast is for: votes go to sealers, status to every connected member. */
export type Audience = "sealers" | "members" | "observers";

/** One thing to do. The shell performs effects strictly in order and awaits each persist. */
export type Effect =
  /** Flush before anything behind it leaves. `body`: also store the block bytes known by this R. */
  | { readonly type: "persist"; readonly record: PbftRecord; readonly body: Hash | undefined }
  | { readonly type: "broadcast"; readonly message: Message; readonly to: Audience }
  | { readonly type: "send"; readonly message: Message; readonly to: NodeId }
  /** Bring together header and transactions of R from what is at hand; answer `assembled`. */
  | { readonly type: "assemble"; readonly height: number; readonly proposal: Hash }
  /** Ask a peer for what is missing of R; answer `assembled` once it is complete. */
  | {
      readonly type: "requestBody";
      readonly height: number;
      readonly proposal: Hash;
      readonly to: NodeId;
    }
  | { readonly type: "execute"; readonly token: ExecutionToken }
  | { readonly type: "cancelExecution" }
  /** Write the block executed last; answer `written`. */
  | {
      readonly type: "write";
      readonly height: number;
      readonly proposal: Hash;
      readonly executed: Hash;
      readonly seals: readonly Seal[];
    }
  /** Ask a peer for the block of that height with its seals; answer `block`. */
  | { readonly type: "requestBlock"; readonly height: number; readonly to: NodeId }
  /**
   * Answer `proposal` when there is something to seal; from `emptyFrom` on an empty one will do.
   */
  | {
      readonly type: "propose";
      readonly height: number;
      readonly view: number;
      readonly emptyFrom: number;
    }
  /** Deliver a tick at that time; replaces the earlier deadline. */
  | { readonly type: "deadline"; readonly at: number | undefined }
  | { readonly type: "report"; readonly report: ReportEvent }
  /** Stop the group on this node and raise the alarm. Nothing follows. */
  | {
      readonly type: "stopGroup";
      readonly reason: StopReason;
      readonly height: number;
      readonly proposal: Hash;
      readonly own: Hash | undefined;
      readonly certified: Hash;
    };
