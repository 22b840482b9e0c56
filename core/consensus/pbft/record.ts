/** What a sealer has sent and promised at the current height, on disk. Source: pbft 16.2 */
import type { Hash } from "../../bytes/ids.ts";
import type { Commit, Lock, Prepare, Sign, ViewChange } from "./message.ts";

/** Everything a restarted sealer needs to say the same again and nothing else. Source: pbft 16.2 */
export interface PbftRecord {
  /** c: the height being decided. A record for another height is ignored. */
  readonly height: number;
  readonly view: number;
  readonly toView: number;
  /** Hash of the block below c. */
  readonly head: Hash;
  /** J of the view. */
  readonly justification: readonly ViewChange[];
  /** Own proposal, the last one of this height. */
  readonly prepare: Prepare | undefined;
  /** Own sign vote, the last one of this height. */
  readonly sign: Sign | undefined;
  readonly lock: Lock | undefined;
  /** Own commit vote, the last one of this height. */
  readonly commit: Commit | undefined;
  /** Own view change for `toView` while it is above the view. */
  readonly viewChange: ViewChange | undefined;
}
