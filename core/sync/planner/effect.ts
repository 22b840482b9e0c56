/** What the sync planner wants done, in order. Source: sync 9 */
import type { NodeId } from "../../bytes/ids.ts";
import type { SyncBlock, SyncMessage } from "../sync-message.ts";

/** What a peer did wrong. All are lies but the last two, which may be bad luck. Source: sync 4 */
export type Offence =
  | "malformed"
  /** Not in ascending order without gaps. */
  | "wrongNumbers"
  /** The block does not stand on the one before it. */
  | "wrongParent"
  /** The header names other sealers than those in force. */
  | "wrongSealers"
  /** The shell refused the block: certificate, body or execution. */
  | "badBlock"
  /** Blocks no caller asked for: also what a former session asked for. */
  | "unasked"
  /** No answer in time. */
  | "silence";

/** Why input had no effect. */
export type IgnoreReason = "otherGenesis" | "unknownPeer" | "queueFull" | "stale";

/** What operators and tests may want to know. */
export type SyncReport = Readonly<
  /** A peer is not asked before that time. */
  | { event: "penalised"; peer: NodeId; offence: Offence; until: number }
  /** Input without an effect. */
  | {
      event: "ignored";
      from: NodeId;
      reason: IgnoreReason;
    }
  /** A peer has another block at the same number: incompatible versions, or it lies. */
  | { event: "otherHash"; peer: NodeId; number: number }
  /**
   * Blocks without seals are taken of sealers only. A peer speaks of blocks above the head, no
   * sealer of this node's list does, and fewer than a majority speak at all; those that do not are
   * named. Once while this lasts. Source: raft 8
   */
  | { event: "unprovable"; peer: NodeId; number: number; silent: readonly NodeId[] }
  | { event: "syncing" | "idle"; number: number; highest: number }
>;

/** One thing to do. */
export type SyncEffect = Readonly<
  /** Sends a message of class `blocks` to each of the peers. */
  | { type: "send"; to: readonly NodeId[]; message: SyncMessage }
  /**
   * Checks a run of consecutive blocks without executing anything: body, root, transaction
   * signatures, and the certificate against `sealers`. Answered by `verified`. Runs next to an
   * import.
   */
  | { type: "verify"; token: number; blocks: readonly SyncBlock[]; sealers: readonly NodeId[] }
  /**
   * Executes and writes a run of verified blocks in order; ends early when the sealers in force are
   * no longer those of the next block. Answered by `imported`.
   */
  | { type: "import"; token: number; blocks: readonly SyncBlock[] }
  /** Reads committed blocks, at least one, up to this many bytes. Answered by `loaded`. */
  | { type: "load"; token: number; from: number; count: number; maxBytes: number }
  /** The one timer: deliver `tick` then; undefined stops it. */
  | { type: "deadline"; at: number | undefined }
  | { type: "report"; report: SyncReport }
  /** A certified block gives other results here: this node must not go on. Source: sync 4 */
  | { type: "stop"; number: number }
>;
