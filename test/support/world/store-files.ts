/** The Files port over a store: a disk that loses power loses files as it loses batches. */
import { metaKey } from "../../../core/ledger/keys.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Store } from "../../../core/ports/store.ts";
import { namesIn } from "../../../runtimes/shared/memory-files.ts";

const PREFIX = metaKey("file/");
const END = metaKey("file0");
const MOST_FILES = 10_000;

/** Files as records of a store; each write is a durable batch of its own. */
export function createStoreFiles(store: Store): Files {
  return {
    read: async (path) => store.get(PREFIX + path),
    write: (path, bytes) => store.commit([{ key: PREFIX + path, value: bytes }], { durable: true }),
    remove: (path) => store.commit([{ key: PREFIX + path, value: undefined }], { durable: true }),
    list: async (folder) => {
      const found = await store.range(PREFIX, END, MOST_FILES);
      return namesIn(
        folder,
        found.map(({ key }) => key.slice(PREFIX.length)),
      );
    },
  };
}
