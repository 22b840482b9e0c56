/**
 * Tells a store that this node wrote last from a copy or an older state of it, as far as the
 * platform can. Types only. Source: decision 25
 */
import type { GroupId } from "../bytes/ids.ts";
import type { Store } from "./store.ts";

/** Examines the store of a group, which is open, when the group starts and stops. */
export interface CopyGuard {
  /**
   * Why the store may not be the one that this node wrote last, in a few words; undefined when it
   * is, or when nothing of it was ever adopted.
   */
  suspicion(groupId: GroupId, store: Store): Promise<string | undefined>;
  /** This store, in the state it has now, is the one. On disk when resolved. */
  adopt(groupId: GroupId, store: Store): Promise<void>;
  /**
   * The record of votes was written so often, and is on disk: a store that counts fewer later has
   * lost some. No vote leaves before it resolves; never rejects.
   */
  noteVotes?(groupId: GroupId, count: number): Promise<void>;
}
