/**
 * Reads the files of a package archive as npm makes it: a gzipped tar whose entries lie below one
 * folder. Entries of other kinds than files and folders are refused: a package has none.
 */
import { gunzipSync } from "node:zlib";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";

/** One file of an archive. */
export interface ArchivedFile {
  /** Below the package, with slashes; never leads out of it. */
  readonly path: string;
  readonly content: Uint8Array;
}

const BLOCK_BYTES = 512;
/** Largest package after unpacking. */
const MOST_BYTES = 512 * 1024 * 1024;
const OCTAL = 8;
/** Where the fields of a header lie: name, size, kind, prefix. */
const NAME_END = 100;
const SIZE_AT = 124;
const SIZE_END = 136;
const KIND_AT = 156;
const PREFIX_AT = 345;
const PREFIX_END = 500;

const TEXT = new TextDecoder();

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return TEXT.decode(end === -1 ? bytes : bytes.subarray(0, end));
}

/** `path` of extended attributes: records `30 path=package/...\n` behind each other. */
function extendedPath(bytes: Uint8Array): string | undefined {
  let rest = TEXT.decode(bytes);
  while (rest !== "") {
    const length = Number.parseInt(rest, 10);
    if (!(length > 0)) return undefined;
    const record = rest.slice(rest.indexOf(" ") + 1, length - 1);
    if (record.startsWith("path=")) return record.slice("path=".length);
    rest = rest.slice(length);
  }
  return undefined;
}

/** The path without the folder that all entries lie in. @throws FolderFault when it leads out */
function innerPath(name: string): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  const isFine = !name.startsWith("/") && !name.includes("\\") && !parts.includes("..");
  if (isFine) return parts.slice(1).join("/");
  throw new FolderFault("unusable", `the archive has an entry ${JSON.stringify(name)}: not used.`);
}

function unzipped(archive: Uint8Array, what: string): Uint8Array {
  try {
    return gunzipSync(archive, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    throw new FolderFault("unusable", `${what} is no package: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * The files of an archive.
 * @param what its name, for the fault
 * @throws FolderFault unusable, when it is none, is cut off, or has entries that lead out of it
 */
export function archivedFiles(archive: Uint8Array, what: string): readonly ArchivedFile[] {
  const bytes = unzipped(archive, what);
  const files: ArchivedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK_BYTES <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return files;
    const size = Number.parseInt(textOf(header.subarray(SIZE_AT, SIZE_END)).trim() || "0", OCTAL);
    const content = bytes.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + size);
    if (Number.isNaN(size) || content.length < size) break;
    at += BLOCK_BYTES + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    const kind = String.fromCharCode(header[KIND_AT] ?? 0);
    if (kind === "x") {
      longName = extendedPath(content) ?? longName;
      continue;
    }
    // Attributes of the whole archive, and folders.
    if (kind === "g" || kind === "5") continue;
    const prefix = textOf(header.subarray(PREFIX_AT, PREFIX_END));
    const name = textOf(header.subarray(0, NAME_END));
    const path = innerPath(longName ?? (prefix === "" ? name : `${prefix}/${name}`));
    longName = undefined;
    if (kind !== "0" && kind !== "\0")
      throw new FolderFault("unusable", `${what}: ${path} is a link or a device: not used.`);
    files.push({ path, content });
  }
  throw new FolderFault("unusable", `${what} is cut off: fetch it again.`);
}
