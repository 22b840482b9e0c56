/** The Files port over IndexedDB: configuration and status words of a node's groups. */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Files } from "../../../core/ports/files.ts";
import { namesIn } from "../../shared/memory-files.ts";
import { finish, requireDatabase, STRICT } from "./database.ts";
import { tabFault } from "./tab-fault.ts";

interface FilesSchema extends DBSchema {
  files: { key: string; value: Uint8Array<ArrayBuffer> };
}

/** Files that are closed when their node stops. */
export interface TabFiles extends Files {
  close(): void;
}

const VERSION = 1;

function open(name: string): Promise<IDBPDatabase<FilesSchema>> {
  return openDB<FilesSchema>(name, VERSION, {
    upgrade: (database) => void database.createObjectStore("files"),
    blocking: (_old, _new, event) => (event.target as IDBDatabase).close(),
  });
}

/** How to open files. */
export interface OpenFilesOptions {
  /** Make the database when there is none; otherwise that is a fault. By default it is made. */
  readonly create?: boolean;
}

/** Opens the files of that database. @throws StoreFault foreign when it must be there and is not */
export async function openTabFiles(
  name: string,
  { create = true }: OpenFilesOptions = {},
): Promise<TabFiles> {
  /** Whatever the browser throws is a fault of the store. */
  const guarded = <Value>(work: () => Promise<Value>): Promise<Value> =>
    work().catch((error: unknown) => {
      throw tabFault(name, error);
    });
  if (!create) await guarded(() => requireDatabase(name));
  const database = await guarded(() => open(name));
  const change = (path: string, bytes: Uint8Array | undefined): Promise<void> =>
    guarded(async () => {
      const transaction = database.transaction("files", "readwrite", STRICT);
      const { store } = transaction;
      await finish(transaction, (add) =>
        add(bytes ? store.put(bytes.slice(), path) : store.delete(path)),
      );
    });
  return {
    read: (path) => guarded(() => database.get("files", path)),
    write: change,
    remove: (path) => change(path, undefined),
    list: (folder) => guarded(async () => namesIn(folder, await database.getAllKeys("files"))),
    close: () => database.close(),
  };
}
