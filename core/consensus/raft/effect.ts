/** What the core asks of its shell, in order; names as in PBFT. Source: raft 8 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { ExecutionToken } from "../pbft/effect.ts";
import type { Message } from "./message.ts";
import type { RaftRecord } from "./record.ts";

/** Why a leader or a candidate became a follower. */
export type StepDownCause = "higherTerm" | "leaseExpired" | "sealersChanged" | "syncing";

/** Why a message or input had no effect. None of these is an error of this node. */
export type IgnoreReason =
  | "suspended"
  | "notSealer"
  | "ownMessage"
  | "stale"
  | "secondLeader"
  | "secondProposal"
  | "otherHead"
  | "notLeader"
  | "empty"
  | "wrongProposal"
  | "wrongBlock"
  | "decided"
  | "refused"
  | "executionDiffers";

/** What is worth logging, counting or acting on outside the protocol. */
export type ReportEvent =
  | { readonly event: "electionStarted"; readonly height: number; readonly term: number }
  | { readonly event: "leaderElected"; readonly height: number; readonly term: number }
  | {
      readonly event: "steppedDown";
      readonly height: number;
      readonly term: number;
      readonly cause: StepDownCause;
    }
  /** An own proposal that no follower has seen: its transactions may be sealed again. */
  | { readonly event: "proposalDropped"; readonly proposal: Hash }
  | {
      readonly event: "committed";
      readonly height: number;
      readonly hash: Hash;
      readonly proposal: Hash | undefined;
      readonly term: number;
    }
  | {
      readonly event: "ignored";
      readonly from: NodeId;
      readonly type: string;
      readonly reason: IgnoreReason;
    };

/** One thing to do. The shell performs effects strictly in order and awaits each persist. */
export type Effect =
  /** Flush before anything behind it leaves. `body`: also store the block known by this R. */
  | { readonly type: "persist"; readonly record: RaftRecord; readonly body: Hash | undefined }
  /** The outline of the block goes with an append that has an entry. */
  | { readonly type: "broadcast"; readonly message: Message; readonly to: "sealers" }
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
  /** Write the block executed last, without seals; answer `written`. */
  | {
      readonly type: "write";
      readonly height: number;
      readonly proposal: Hash;
      readonly executed: Hash;
    }
  /** Ask a peer for the block of that height; answer `block`. */
  | { readonly type: "requestBlock"; readonly height: number; readonly to: NodeId }
  /** Answer `proposal` when there is something to seal: an empty one is not proposed. */
  | { readonly type: "propose"; readonly height: number; readonly view: number }
  /** Deliver a tick at that time; replaces the earlier deadline. */
  | { readonly type: "deadline"; readonly at: number | undefined }
  | { readonly type: "report"; readonly report: ReportEvent }
  /** Stop the group on this node and raise the alarm. Nothing follows. */
  | {
      readonly type: "stopGroup";
      readonly reason: "executionRefused";
      readonly height: number;
      readonly proposal: Hash;
    };
