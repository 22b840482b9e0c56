/** What the core asks of its shell, in order. Source: pbft 16 */
import type { Hash, SealerIndex } from "../../bytes/ids.ts";
import type { Seal } from "../../model/header.ts";
import type { CoreEffect, Ignored } from "../exchange.ts";
import type { Input, PbftConfig } from "./input.ts";
import type { Message } from "./message.ts";
import type { PbftRecord } from "./record.ts";

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
  | "aheadOfTime"
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
export type ReportEvent = Readonly<
  | {
      event: "viewLeft";
      height: number;
      view: number;
      toView: number;
      cause: LeaveCause;
      /** Transactions of the proposal at hand; undefined without one. */
      txCount: number | undefined;
      /** Whether that proposal had been executed. */
      executed: boolean;
    }
  | { event: "viewChanged"; height: number; view: number }
  | { event: "committed"; height: number; hash: Hash; proposal: Hash | undefined; view: number }
  /** Two different statements of one sealer in one round: proof of a fault. Source: pbft 3 */
  | { event: "equivocation"; index: SealerIndex; first: Message; second: Message }
  /** A vote under this key that this node never made: it runs elsewhere. Source: decision 25 */
  | { event: "twin"; message: Message }
  /**
   * A block or a message of others carries messages of this node that its record knows nothing of:
   * the store is older than the votes. From this moment on the node is silent. Source: decision 25
   */
  | { event: "lostVote"; height: number }
  /** A view was left while its proposal was executing. Source: pbft 16.3.8 */
  | { event: "executionOutlived"; proposal: Hash; view: number }
  | Ignored<IgnoreReason>
>;

/** Why the group must stop on this node. Source: pbft 16.3.4 */
export type StopReason = "executionDiffers" | "executionRefused" | "ownSignDiffers";

/** The types of PBFT. */
export interface PbftTypes {
  readonly message: Message;
  readonly record: PbftRecord;
  readonly report: ReportEvent;
  readonly config: PbftConfig;
  readonly input: Input;
  readonly write: { readonly seals: readonly Seal[] };
  readonly propose: { readonly emptyFrom: number };
  readonly stop: {
    readonly reason: StopReason;
    readonly own: Hash | undefined;
    readonly certified: Hash;
  };
}

/** One thing to do. */
export type Effect = CoreEffect<PbftTypes>;
