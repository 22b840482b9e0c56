/** Files that the page gives to its user. */
import type { TabNode } from "../../runtimes/browser/link/api.ts";

/** A download keeps its address until the browser has surely begun it. */
const KEPT_MS = 60_000;

/** Has the browser save a file. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** Has the browser save a text. */
export function saveText(name: string, text: string, type = "text/plain"): void {
  saveFile(name, new Blob([text], { type }));
}

/** A backup that was fetched. */
interface FetchedBackup {
  readonly content: Blob;
  readonly height: number;
  readonly contentHash: string;
}

/**
 * Fetches the backup of a group piece by piece. The pieces become parts of a Blob, which browsers
 * keep on disk: memory holds one of them.
 *
 * @param onBytes told how much has come so far
 */
export async function fetchBackup(
  { worker }: TabNode,
  groupId: number,
  onBytes: (bytes: number) => void,
): Promise<FetchedBackup> {
  const { id, height } = await worker.openBackup(groupId);
  const parts: Blob[] = [];
  let length = 0;
  try {
    for (;;) {
      const { bytes, contentHash } = await worker.nextPiece(id);
      if (!bytes) return { content: new Blob(parts), height, contentHash: contentHash ?? "" };
      parts.push(new Blob([new Uint8Array(bytes)]));
      length += bytes.length;
      onBytes(length);
    }
  } catch (cause) {
    await worker.endBackup(id).catch(() => undefined);
    throw cause;
  }
}
