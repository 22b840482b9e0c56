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

/** What operators and tests may want to know. */
export type SyncReport =
  /** A peer is not asked before that time. */
  | {
      readonly event: "penalised";
      readonly peer: NodeId;
      readonly offence: Offence;
      readonly until: number;
    }
  /** Input without an effect. */
  | {
      readonly event: "ignored";
      readonly from: NodeId;
      readonly reason: "otherGenesis" | "unknownPeer" | "queueFull" | "stale";
    }
  /** A peer has another block at the same number: incompatible versions, or it lies. */
  | { readonly event: "otherHash"; readonly peer: NodeId; readonly number: number }
  /**
   * Blocks without seals are taken of sealers only. A peer speaks of blocks above the head, no
   * sealer of this node's list does, and fewer than a majority speak at all; those that do not are
   * named. Once while this lasts. Source: raft 8
   */
  | {
      readonly event: "unprovable";
      readonly peer: NodeId;
      readonly number: number;
      readonly silent: readonly NodeId[];
    }
  | { readonly event: "syncing" | "idle"; readonly number: number; readonly highest: number };

/** One thing to do. */
export type SyncEffect =
  /** Sends a message of class `blocks` to each of the peers. */
  | {
      readonly type: "send";
      readonly to: readonly NodeId[];
      readonly message: SyncMessage;
    }
  /**
   * Checks a run of consecutive blocks without executing anything: body, root, transaction
   * signatures, and the certificate against `sealers`. Answered by `verified`. Runs next to an
   * import.
   */
  | {
      readonly type: "verify";
      readonly token: number;
      readonly blocks: readonly SyncBlock[];
      readonly sealers: readonly NodeId[];
    }
  /**
   * Executes and writes a run of verified blocks in order; ends early when the sealers in force are
   * no longer those of the next block. Answered by `imported`.
   */
  | { readonly type: "import"; readonly token: number; readonly blocks: readonly SyncBlock[] }
  /** Reads committed blocks, at least one, up to this many bytes. Answered by `loaded`. */
  | {
      readonly type: "load";
      readonly token: number;
      readonly from: number;
      readonly count: number;
      readonly maxBytes: number;
    }
  /** The one timer: deliver `tick` then; undefined stops it. */
  | { readonly type: "deadline"; readonly at: number | undefined }
  | { readonly type: "report"; readonly report: SyncReport }
  /** A certified block gives other results here: this node must not go on. Source: sync 4 */
  | { readonly type: "stop"; readonly number: number };
