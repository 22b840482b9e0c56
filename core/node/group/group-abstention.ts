/** Whether a store may be older than the votes of its node, before it runs. Source: decision 25 */
import type { GroupId } from "../../bytes/ids.ts";
import type { AbstentionRecord } from "../../consensus/abstention.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import { metaKey } from "../../ledger/keys.ts";
import type { CopyGuard } from "../../ports/copy-guard.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { readAbstention, writeAbstention } from "../voting/abstention-store.ts";
import { VoteStore } from "../voting/vote-store.ts";

/** What is examined. */
export interface AdmittedStore {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly guard: CopyGuard | undefined;
  readonly log: Log;
}

const LOST = "the record of its votes is gone";

/** Where a guard keeps what it knows a store by: no store has it before its first adoption. */
export const EPOCH_KEY = metaKey("epoch");

/**
 * Nothing was ever said over a new ledger, copied or not. One that was adopted before may have
 * spoken since, whatever it holds: an older state of it may be from before its first word.
 */
function hasSpoken({ ledger, store }: AdmittedStore): boolean {
  if (store.get(EPOCH_KEY) !== undefined || ledger.head().number > 0) return true;
  const votes = new VoteStore(store);
  return votes.isLost || votes.record() !== undefined;
}

/**
 * Begins an abstention when the store is a copy or an older state, before anything is reported;
 * then makes it the one that this node writes.
 */
export async function admitStore(groupId: GroupId, admitted: AdmittedStore): Promise<void> {
  const { store, ledger, guard, log } = admitted;
  const isLost = new VoteStore(store).isLost;
  const reason = isLost ? LOST : await guard?.suspicion(groupId, store);
  if (reason !== undefined && hasSpoken(admitted) && readAbstention(store)?.mode !== "silent") {
    const since = ledger.head().number;
    const cause = isLost ? "lostVotes" : "copied";
    const record: AbstentionRecord = { mode: "silent", cause, since };
    await writeAbstention(store, record);
    log.write("warning", "the data of a group is not as this node left it", {
      group: groupId,
      number: since,
      reason,
    });
  }
  await guard?.adopt(groupId, store);
}
