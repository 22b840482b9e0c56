/** Which chains are in this browser, where their data lie, and how one is deleted. */
import { deleteDB } from "idb";
import { invariant } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { change, finish, STRICT } from "./database.ts";
import { type ChainRecord, HOME, type Home, nodeKeysPlace, openHome } from "./home.ts";
import { faultOfKind, guarded as guardedIn, tabFault } from "./tab-fault.ts";

const NAME = /^[A-Za-z0-9.-]{1,64}$/;
/** How long a deletion waits for a handle that somebody has still open. */
const BLOCKED_MS = 5_000;

/** The list of chains in this browser; all of its calls throw StoreFault. */
export type ChainList = Awaited<ReturnType<typeof openChains>>;

function chainPrefix(chain: string): string {
  invariant(NAME.test(chain), "a chain is named by letters, digits, points and dashes");
  return `${HOME}/${chain}/`;
}

/** Name of the database of a node's group; nodes count from 0. */
export function storeDatabase(chain: string, node: number, groupId: number): string {
  return `${chainPrefix(chain)}node${node}/group${groupId}`;
}

/** Name of the database of a node's files. */
export function filesDatabase(chain: string, node: number): string {
  return `${chainPrefix(chain)}node${node}/files`;
}

/** All databases of a chain that are there. */
export async function databasesOf(chain: string): Promise<readonly string[]> {
  const prefix = chainPrefix(chain);
  const all = await indexedDB.databases();
  return all.flatMap(({ name = "" }) => (name.startsWith(prefix) ? [name] : [])).sort();
}

/** Deletes a database. @throws StoreFault locked when somebody keeps it open */
export async function deleteDatabase(name: string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isBlocked = new Promise<never>((_, fail) => {
    const blocked = () => {
      timer ??= setTimeout(() => fail(faultOfKind(name, "locked")), BLOCKED_MS);
    };
    deleteDB(name, { blocked }).then(() => fail(undefined), fail);
  });
  await isBlocked.catch((error: unknown) => {
    clearTimeout(timer);
    if (error !== undefined) throw tabFault(name, error);
  });
}

async function deleteAll(chain: string): Promise<void> {
  for (const name of await databasesOf(chain)) await deleteDatabase(name);
}

/** All keys with that beginning. */
function beginsWith(prefix: string): IDBKeyRange {
  return IDBKeyRange.bound(prefix, `${prefix}\uffff`);
}

/** The record goes together with the keys of the chain's nodes. */
async function forget(home: Home, name: string): Promise<void> {
  const transaction = home.transaction(["chains", "vault", "made"], "readwrite", STRICT);
  await finish(transaction, (add) => {
    add(transaction.objectStore("chains").delete(name));
    add(transaction.objectStore("vault").delete(nodeKeysPlace(name)));
    add(transaction.objectStore("made").delete(beginsWith(chainPrefix(name))));
  });
}

/** What is full takes no mark; deleting makes room. */
function unlessFull(error: unknown): void {
  if (!(error instanceof StoreFault && error.kind === "full")) throw error;
}

/**
 * Opens the list. A deletion that was cut short is completed first.
 *
 * @param onLost called when the browser closes it by itself
 * @throws StoreFault
 */
export async function openChains(onLost?: () => void) {
  const home = await openHome(onLost);
  const guarded = <Value>(work: () => Promise<Value>): Promise<Value> => guardedIn(HOME, work);
  const write = (record: ChainRecord): Promise<void> =>
    guarded(() => change(home, "chains", (store) => store.put(record, record.name)));
  /** In order of their making. */
  const list = (): Promise<readonly ChainRecord[]> =>
    guarded(async () => {
      const all = await home.getAll("chains");
      return all.sort((a, b) => a.created - b.created);
    });
  /** Deletes a chain: all its databases, then its record. Its nodes must be stopped. */
  const wipe = async (name: string): Promise<void> => {
    const record = await guarded(() => home.get("chains", name));
    if (record) await write({ ...record, ending: true }).catch(unlessFull);
    await guarded(() => deleteAll(name));
    await guarded(() => forget(home, name));
  };
  for (const { name, ending } of await list()) if (ending) await wipe(name);
  return {
    list,
    /** Adds a chain or replaces its record, durably. */
    put: (record: ChainRecord): Promise<void> => {
      chainPrefix(record.name);
      return write(record);
    },
    wipe,
    /** Deletes the databases of a chain that has no record: an attempt that was cut short. */
    clear: (name: string): Promise<void> =>
      guarded(async () => {
        await deleteAll(name);
        await change(home, "made", (store) => store.delete(beginsWith(chainPrefix(name))));
      }),
    /** Whether a database held something. */
    isMade: (database: string): Promise<boolean> =>
      guarded(async () => (await home.getKey("made", database)) !== undefined),
    /** Remembers, durably, that a database holds something. */
    setMade: (database: string): Promise<void> =>
      guarded(() => change(home, "made", (store) => store.put(true, database))),
    close: (): void => home.close(),
  };
}
