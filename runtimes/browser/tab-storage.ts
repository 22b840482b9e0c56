/** The data of a tab in IndexedDB: what was acknowledged outlives the tab and the browser. */
import { StoreFault } from "../../core/fault/store-fault.ts";
import { KeyFault } from "./keys/key-fault.ts";
import { keepNodeKeys, openNodeKeys } from "./keys/node-keys.ts";
import { type ChainList, filesDatabase, openChains, storeDatabase } from "./store/chains.ts";
import { openTabFiles, type TabFiles } from "./store/files.ts";
import { openTabStore } from "./store/open.ts";
import type { TabLedgerStore } from "./store/checked.ts";
import { type KeptKeys, KeysLocked, type TabRecord } from "./tab-record.ts";

/** The list that was open is lost, one that was just being opened may be too; and one to spare. */
const DELETE_TRIES = 4;

/** What is in the list next to the name. */
interface Settings {
  readonly record: TabRecord;
}

function recordOf(value: unknown): TabRecord {
  const { record } = (value ?? {}) as Partial<Settings>;
  if (record) return record;
  throw new StoreFault("corrupt", "the record of the chain in this browser is damaged");
}

type Named = Pick<TabRecord, "name">;

/** Which stores are open, and which must be there. */
interface Stores {
  readonly open: Map<string, TabLedgerStore>;
  chains(): Promise<ChainList>;
}

/**
 * A store that is forgotten once it is closed. Once its first durable commit is done, before
 * anybody could speak about it, it is one that must be there: were it deleted, its node would
 * begin anew under a key that has voted. Source: decision 25
 */
async function openRemembered({ open, chains }: Stores, name: string): Promise<TabLedgerStore> {
  const list = await chains();
  let isMade = await list.isMade(name);
  const store = await openTabStore(name, { create: !isMade });
  const { close, commit } = { close: store.close.bind(store), commit: store.commit.bind(store) };
  const kept: TabLedgerStore = Object.assign(store, {
    commit: async (...args: Parameters<TabLedgerStore["commit"]>) => {
      await commit(...args);
      if (isMade || !args[1].durable) return;
      isMade = true;
      await (await chains()).setMade(name);
    },
    close: async () => {
      if (open.get(name) === kept) open.delete(name);
      await close();
    },
  });
  open.set(name, kept);
  return kept;
}

function lockedKeys(error: unknown): unknown {
  const isLocked =
    error instanceof KeyFault && (error.kind === "locked" || error.kind === "wrongPassphrase");
  return isLocked ? new KeysLocked(error.message) : error;
}

/** The list of chains, opened when somebody asks for it. */
function openedList() {
  let opening: Promise<ChainList> | undefined;
  const chains = (): Promise<ChainList> => {
    if (opening) return opening;
    // When the site's data are cleared it is closed: a caller that asks next opens it again.
    const forget = () => {
      if (opening === mine) opening = undefined;
    };
    const mine = openChains(forget);
    opening = mine;
    mine.catch(forget);
    return mine;
  };
  /**
   * Deletes; when the site's data are cleared at that time, again with a list that is opened anew:
   * the browser aborts what uses an open one before it says that it closed it.
   */
  const deletingIn = async (work: (list: ChainList) => Promise<void>): Promise<void> => {
    for (let triesLeft = DELETE_TRIES; triesLeft > 0; triesLeft--) {
      const using = chains();
      try {
        return await work(await using);
      } catch (error) {
        const isClosed = error instanceof StoreFault && error.kind === "io";
        if (!isClosed || triesLeft === 1) throw error;
        if (opening === using) opening = undefined;
      }
    }
  };
  return { chains, deletingIn };
}

/** Where the data of a tab are; one chain at a time. */
export type TabStorage = ReturnType<typeof createTabStorage>;

/** A storage over the databases of this origin. */
export function createTabStorage() {
  const files = new Map<string, TabFiles>();
  const stores = new Map<string, TabLedgerStore>();
  const { chains, deletingIn } = openedList();
  /** Closes the files of all nodes. */
  const closeFiles = async (): Promise<void> => {
    const open = [...files.values()];
    files.clear();
    for (const one of open) await one.close();
  };
  const deleting = async (work: (list: ChainList) => Promise<void>): Promise<void> => {
    await closeFiles();
    await deletingIn(work);
  };
  return {
    /** Undefined when nothing is kept. */
    async record(): Promise<TabRecord | undefined> {
      const [first] = await (await chains()).list();
      return first && recordOf(first.settings);
    },
    /** Durable when it resolves; the keys of the nodes come along when the chain is new. */
    async keep(record: TabRecord, kept?: KeptKeys): Promise<void> {
      const { name, kind, created, nodeIds } = record;
      // The keys come first: a record without them could not go on.
      if (kept) await keepNodeKeys(name, kept.keys, kept.passphrase);
      const settings: Settings = { record };
      await (await chains()).put({ name, kind, created, nodeIds, settings });
    },
    /** The keys of the nodes, in their order. @throws KeysLocked */
    keys: ({ name }: TabRecord, passphrase: string | undefined) =>
      openNodeKeys(name, passphrase).catch((error: unknown) => {
        throw lockedKeys(error);
      }),
    openStore: ({ name }: TabRecord, node: number, groupId: number) =>
      openRemembered({ open: stores, chains }, storeDatabase(name, node, groupId)),
    /** A view of a store, whether its group runs or not: as it is now, it does not change. */
    async borrowStore({ name }: TabRecord, node: number, groupId: number) {
      const database = storeDatabase(name, node, groupId);
      const open = stores.get(database);
      if (open) return { store: open.snapshot(), done: async () => undefined };
      const own = await openTabStore(database, { create: false });
      return { store: own.snapshot(), done: () => own.close() };
    },
    async openFiles({ name }: TabRecord, node: number): Promise<TabFiles> {
      const database = filesDatabase(name, node);
      const known = files.get(database);
      if (known) return known;
      const list = await chains();
      const isMade = await list.isMade(database);
      const opened = await openTabFiles(database, { create: !isMade });
      if (!isMade) await list.setMade(database);
      files.set(database, opened);
      return opened;
    },
    closeFiles,
    /** Removes everything of a chain. */
    remove: ({ name }: Named) => deleting((list) => list.wipe(name)),
    /** Removes all chains, whatever state their records are in. */
    removeAll: () =>
      deleting(async (list) => {
        for (const { name } of await list.list()) await list.wipe(name);
      }),
    /** Removes what an attempt that was cut short has left under a new chain's name. */
    clear: ({ name }: Named) => deleting((list) => list.clear(name)),
  };
}
