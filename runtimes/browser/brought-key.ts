/**
 * A key that a user brings along may have voted elsewhere: over a new ledger its node is silent
 * until it is past what that key can have reported. Source: decision 25
 */
import { numberKey } from "../../core/ledger/keys.ts";
import { writeAbstention } from "../../core/node/voting/abstention-store.ts";
import type { Store } from "../../core/ports/store.ts";
import type { TabStorage } from "./tab-storage.ts";
import type { TabRecord } from "./tab-record.ts";

/** Begins the abstention when the ledger is new. */
export async function distrustKey(store: Store): Promise<void> {
  if (store.get(numberKey(0)) !== undefined) return;
  await writeAbstention(store, { mode: "silent", cause: "copied", since: 0 });
}

/** The storage, as a node of a record may use it. */
export function storageOf(storage: TabStorage, { isKeyBrought = false }: TabRecord): TabStorage {
  if (!isKeyBrought) return storage;
  return {
    ...storage,
    openStore: async (...place) => {
      const store = await storage.openStore(...place);
      await distrustKey(store);
      return store;
    },
  };
}
