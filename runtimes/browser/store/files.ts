/** The Files port over IndexedDB: configuration and status words of a node's groups. */
import type { DBSchema } from "idb";
import type { Files } from "../../../core/ports/files.ts";
import { namesIn } from "../../shared/memory-files.ts";
import { change, openDatabase, requireDatabase } from "./database.ts";
import { guarded } from "./tab-fault.ts";

interface FilesSchema extends DBSchema {
  files: { key: string; value: Uint8Array<ArrayBuffer> };
}

/** Files that are closed when their node stops. */
export interface TabFiles extends Files {
  close(): void;
}

interface OpenFilesOptions {
  /** Make the database when there is none; otherwise that is a fault. By default it is made. */
  readonly create?: boolean;
}

/** Opens the files of that database. @throws StoreFault foreign when it must be there and is not */
export async function openTabFiles(
  name: string,
  { create = true }: OpenFilesOptions = {},
): Promise<TabFiles> {
  if (!create) await guarded(name, () => requireDatabase(name));
  const opening = { name, version: 1, stores: ["files"] as const };
  const database = await openDatabase<FilesSchema>(opening, () => undefined);
  const write = (path: string, bytes: Uint8Array | undefined): Promise<void> =>
    guarded(name, () =>
      change(database, "files", (store) =>
        bytes ? store.put(bytes.slice(), path) : store.delete(path),
      ),
    );
  return {
    read: (path) => guarded(name, () => database.get("files", path)),
    write,
    remove: (path) => write(path, undefined),
    list: (folder) =>
      guarded(name, async () => namesIn(folder, await database.getAllKeys("files"))),
    close: () => database.close(),
  };
}
