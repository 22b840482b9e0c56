/** The Files port in memory: for nodes of a browser tab, of the edge, and of tests. */
import type { Files } from "../../core/ports/files.ts";

/** Files that live as long as the process. */
export interface MemoryFiles extends Files {
  /** Everything that is there, by path. */
  readonly content: ReadonlyMap<string, Uint8Array>;
}

/** Files in memory. @param entries what is there to begin with; the bytes are not copied */
export function createMemoryFiles(
  entries: Iterable<readonly [string, Uint8Array]> = [],
): MemoryFiles {
  const content = new Map<string, Uint8Array>(entries);
  return {
    content,
    read: async (path) => content.get(path)?.slice(),
    write: async (path, bytes) => void content.set(path, bytes.slice()),
    remove: async (path) => void content.delete(path),
    list: async (folder) => namesIn(folder, content.keys()),
  };
}

/** Names directly inside a folder, of files and of folders. */
export function namesIn(folder: string, paths: Iterable<string>): readonly string[] {
  const start = folder === "" || folder.endsWith("/") ? folder : `${folder}/`;
  const names = new Set<string>();
  for (const path of paths) {
    const name = path.startsWith(start) ? path.slice(start.length).split("/", 1)[0] : undefined;
    if (name) names.add(name);
  }
  return [...names].sort();
}
