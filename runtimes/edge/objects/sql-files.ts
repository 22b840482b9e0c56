/** The Files port over the SQLite storage of an object. */
import type { ObjectStorage } from "cloudflare:workers";
import type { Files } from "../../../core/ports/files.ts";
import { namesIn } from "../../shared/memory-files.ts";
import { guarded } from "./sql-fault.ts";

const TABLE =
  "create table if not exists files (path text primary key, content blob not null) without rowid";

/** Opens the files of the object. @throws StoreFault */
export function openSqlFiles(storage: ObjectStorage): Files {
  const { sql } = storage;
  guarded(() => sql.exec(TABLE));
  const change = async (query: string, ...bindings: (string | ArrayBuffer)[]): Promise<void> => {
    guarded(() => sql.exec(query, ...bindings));
    await storage.sync();
  };
  return {
    async read(path) {
      const query = "select content from files where path = ?";
      const [row] = guarded(() => sql.exec(query, path).toArray());
      return row && new Uint8Array(row["content"] as ArrayBuffer);
    },
    write: (path, bytes) =>
      change(
        "insert or replace into files values (?, ?)",
        path,
        bytes.slice().buffer as ArrayBuffer,
      ),
    remove: (path) => change("delete from files where path = ?", path),
    async list(folder) {
      const rows = guarded(() => sql.exec("select path from files").toArray());
      return namesIn(
        folder,
        rows.map(({ path }) => String(path)),
      );
    },
  };
}
