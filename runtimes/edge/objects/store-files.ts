/** The Files port over a store: paths are its keys. */
import { textOfByteString, utf8ByteString } from "../../../core/bytes/byte-string.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Store } from "../../../core/ports/store.ts";
import { namesIn } from "../../shared/memory-files.ts";

/** Files are few. */
const ALL = Number.MAX_SAFE_INTEGER;
/** No path in UTF-8 has this byte. */
const BEHIND_PATHS = "\xff";

/** The files of that store, which holds nothing else. */
export function filesIn(store: Store): Files {
  const put = (path: string, value: Uint8Array | undefined): Promise<void> =>
    store.commit([{ key: utf8ByteString(path), value }], { durable: true });
  return {
    read: (path) => store.load(utf8ByteString(path)),
    write: put,
    remove: (path) => put(path, undefined),
    async list(folder) {
      const entries = await store.range("", BEHIND_PATHS, ALL);
      return namesIn(
        folder,
        entries.map(({ key }) => textOfByteString(key)),
      );
    },
  };
}
