/** What the core asks of its shell, in order, and what it reports. Source: raft 8 */
import type { Hash } from "../../bytes/ids.ts";
import type { CoreEffect, Ignored } from "../exchange.ts";
import type { Input, RaftConfig } from "./input.ts";
import type { Message } from "./message.ts";
import type { RaftRecord } from "./record.ts";

/** Why a leader or a candidate became a follower. */
export type StepDownCause =
  | "higherTerm"
  | "leaseExpired"
  | "sealersChanged"
  | "syncing"
  | "aheadOfTime";

/** Why a message or input had no effect. None of these is an error of this node. */
export type IgnoreReason =
  | "aheadOfTime"
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
export type ReportEvent = Readonly<
  | { event: "electionStarted"; height: number; term: number }
  | { event: "leaderElected"; height: number; term: number }
  | { event: "steppedDown"; height: number; term: number; cause: StepDownCause }
  /** An own proposal that no follower has seen: its transactions may be sealed again. */
  | { event: "proposalDropped"; proposal: Hash }
  | { event: "committed"; height: number; hash: Hash; proposal: Hash | undefined; term: number }
  | Ignored<IgnoreReason>
>;

/** The types of Raft. */
export interface RaftTypes {
  readonly message: Message;
  readonly record: RaftRecord;
  readonly report: ReportEvent;
  readonly config: RaftConfig;
  readonly input: Input;
  /** Blocks carry no seals. */
  readonly write: { readonly seals?: undefined };
  /** An empty one is not proposed. */
  readonly propose: { readonly emptyFrom?: undefined };
  readonly stop: {
    readonly reason: "executionRefused";
    readonly own?: undefined;
    readonly certified?: undefined;
  };
}

/** One thing to do. */
export type Effect = CoreEffect<RaftTypes>;
