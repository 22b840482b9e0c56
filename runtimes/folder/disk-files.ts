/**
 * The Files port over the file system: each write is a temporary file, flushed and renamed, and a
 * flush of the folder. Source: groups 2 (generateGroup)
 */
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StoreFault, type StoreFaultKind } from "../../core/fault/store-fault.ts";
import type { Files } from "../../core/ports/files.ts";
import { reasonOf } from "./folder-fault.ts";
import { codeOf, DRAFT, flushFolder, replaceFile } from "./durable-folder.ts";

const KIND_OF_CODE: Readonly<Record<string, StoreFaultKind>> = {
  EACCES: "unwritable",
  EPERM: "unwritable",
  EROFS: "unwritable",
  ENOTDIR: "foreign",
};

function faultOf(path: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const kind = KIND_OF_CODE[codeOf(error)] ?? "io";
  const reason = reasonOf(error);
  return new StoreFault(kind, `${path} cannot be read or written: ${reason}`, { cause: error });
}

/** Work on a path; what the platform throws becomes a StoreFault that names it. */
async function at<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(path, error);
  }
}

/** What work gives, or a substitute where there is no such file or folder. */
async function orAbsent<Result>(work: Promise<Result>, absent: Result): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return absent;
    throw error;
  }
}

/**
 * Makes a folder and those above it, each entry flushed. Node's own recursive form never returns
 * where a folder that exists takes no entries (below /proc, for example).
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    const parent = dirname(folder);
    if (codeOf(error) !== "ENOENT" || parent === folder) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
  await flushFolder(dirname(folder));
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await makeFolder(dirname(path));
  await replaceFile(path, bytes, { keeps: true });
}

async function removeDurably(path: string): Promise<void> {
  await rm(`${path}${DRAFT}`, { force: true });
  await rm(path, { force: true });
  await orAbsent(flushFolder(dirname(path)), undefined);
}

/** Files below a folder; absolute paths stay what they are. */
export function createDiskFiles(root: string): Files {
  const full = (path: string) => resolve(root, path);
  // One change at a time: two writes of one file would share a draft.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    read: (path) =>
      at(full(path), async () => {
        const bytes = await orAbsent<Uint8Array | undefined>(readFile(full(path)), undefined);
        return bytes && new Uint8Array(bytes);
      }),
    write: (path, bytes) => inTurn(() => at(full(path), () => writeDurably(full(path), bytes))),
    remove: (path) => inTurn(() => at(full(path), () => removeDurably(full(path)))),
    list: (folder) =>
      at(full(folder), async () => (await orAbsent(readdir(full(folder)), [])).sort()),
  };
}
