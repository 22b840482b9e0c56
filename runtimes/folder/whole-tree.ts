/**
 * Writes a set of files all or nothing. Everything is made next to its place first and takes its
 * name by renames; a list of these lies on disk before the first one, so that a run that is cut off
 * among them is brought to its end by the next. Source: generator 2 (partial output)
 */
import { constants } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { DRAFT, flushFolder } from "./durable-folder.ts";
import { FolderFault, reasonOf } from "./folder-fault.ts";
import {
  FILE_MODES,
  type FileToWrite,
  FOLDER_MODE,
  KEY_FOLDER_MODE,
  readText,
} from "./whole-files.ts";

/** A file with the content and the permissions of another one. */
export interface FileCopy {
  /** Absolute. */
  readonly copyOf: string;
  /** Somebody may write into it: it is no second name of another copy; false when absent. */
  readonly isOwn?: boolean;
}

/** A file of a set; its path is absolute. */
export type PlacedFile = (FileToWrite | (FileCopy & { readonly path: string })) & {
  /** May stand in the place of one that is there, whose permissions it takes; false when absent. */
  readonly replaces?: boolean;
};

/** A name that is there and the one that it gets, to make way; absolute. */
export interface Aside {
  readonly from: string;
  readonly to: string;
}

/** What is written at once. */
export interface TreeWrite {
  /** Keeps the list of renames where there are several; a folder that is there then. Absolute. */
  readonly home: string;
  readonly files: readonly PlacedFile[];
  readonly asides?: readonly Aside[];
  /** What the run is for, in words: the run that brings it to its end is told. */
  readonly purpose: string;
  /** Folders that are made are their owner's only, not just those with keys. */
  readonly isClosed?: boolean;
}

/** What writing needs of the file system; a seam for tests. */
export interface TreeDisk {
  makeFolder(path: string, mode: number): Promise<void>;
  /** A new file, complete and on disk. */
  writeFile(path: string, content: string | Uint8Array, mode: number): Promise<void>;
  copyFile(from: string, to: string): Promise<void>;
  /** A second name of a copy that was made before, or another copy. */
  linkFile(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** With all that is in it; nothing happens when it is not there. */
  remove(path: string): Promise<void>;
  /** Has the names in a folder on disk. */
  flush(folder: string): Promise<void>;
}

/** The machine's file system. */
export const NODE_DISK: TreeDisk = {
  makeFolder: async (path, mode) => {
    await mkdir(path, { mode });
  },
  writeFile: async (path, content, mode) => {
    const handle = await open(path, "wx", mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  // Copies can be made anew, so that they need not be on disk at once.
  copyFile: (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE),
  linkFile: (from, to) => link(from, to).catch(() => copyFile(from, to)),
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
  flush: flushFolder,
};

/** The list of renames of a run that is under way or was cut off. */
const JOURNAL = ".chain-node-run";
const JOURNAL_FORMAT = 1;
const PERMISSIONS = 0o7777;

/** One rename; what is there is replaced only where that is meant. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly replaces: boolean;
}

/** A set that can be written: files next to their places, and the renames. */
interface TreePlan {
  /** Names of drafts with the files in them. */
  readonly drafts: ReadonlyMap<string, readonly PlacedFile[]>;
  readonly moves: readonly Move[];
  /** What the replaced files were. */
  readonly before: ReadonlyMap<string, PresentContent>;
}

interface PresentContent {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** Whether a name in a folder is of a run that writes below it, or of one that was cut off. */
export function isRunRemain(name: string): boolean {
  return name === JOURNAL || (name.startsWith(".") && name.endsWith(DRAFT));
}

/** Whether there is anything of that name, whatever it is. */
export async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}${DRAFT}`);
}

/** The file itself, or the highest of the folders above it that is missing. */
async function topOf(path: string, exists: (path: string) => Promise<boolean>): Promise<string> {
  let top = path;
  for (let above = dirname(top); !(await exists(above)); above = dirname(top)) {
    if (above === top) break;
    top = above;
  }
  return top;
}

async function planTree({ files, asides = [] }: TreeWrite): Promise<TreePlan> {
  const isAside = (path: string) =>
    asides.some(({ from }) => path === from || path.startsWith(`${from}${sep}`));
  const known = new Map<string, boolean>();
  const exists = async (path: string): Promise<boolean> => {
    // Nothing is in a folder that is missing.
    const mayBe = known.get(dirname(path)) !== false && !isAside(path);
    const found = known.get(path) ?? (mayBe && (await isThere(path)));
    known.set(path, found);
    return found;
  };
  const drafts = new Map<string, PlacedFile[]>();
  const moves: Move[] = asides.map((aside) => ({ ...aside, replaces: false }));
  const before = new Map<string, PresentContent>();
  for (const file of files) {
    const replaces = await exists(file.path);
    if (replaces && !file.replaces) throw new FolderFault("exists", `${file.path} exists already.`);
    const path = replaces ? await realpath(file.path) : file.path;
    const top = replaces ? path : await topOf(path, exists);
    if (replaces) {
      const mode = (await stat(path)).mode & PERMISSIONS;
      before.set(path, { bytes: await readFile(path), mode });
    }
    const draft = draftOf(top);
    const inDraft = drafts.get(draft);
    // Where the file is while it waits for its folder's name.
    const placed = { ...file, path: join(draft, relative(top, path)) };
    if (inDraft) inDraft.push(placed);
    else {
      drafts.set(draft, [placed]);
      moves.push({ from: draft, to: top, replaces });
    }
  }
  return { drafts, moves, before };
}

/** Where copies of a run's files are, by what they are copies of. */
type Copies = Map<string, string>;

/** This many files are copied at a time. */
const AT_ONCE = 16;

/**
 * Copies files; of several copies of one file, all but the first are further names of that: a
 * program of a thousand files goes to several folders at once, and is replaced as a whole.
 */
async function copyAll(
  files: readonly (FileCopy & { readonly path: string })[],
  copies: Copies,
  disk: TreeDisk,
): Promise<void> {
  const copy = async ({ copyOf, path, isOwn }: FileCopy & { readonly path: string }) => {
    const present = isOwn ? undefined : copies.get(copyOf);
    await (present === undefined ? disk.copyFile(copyOf, path) : disk.linkFile(present, path));
    if (present === undefined && !isOwn) copies.set(copyOf, path);
  };
  for (let first = 0; first < files.length; first += AT_ONCE) {
    // None is under way when the drafts are taken back.
    const ends = await Promise.allSettled(files.slice(first, first + AT_ONCE).map(copy));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
  }
}

interface Draft {
  readonly path: string;
  readonly files: readonly PlacedFile[];
  /** Permissions of the file that it replaces. */
  readonly mode: number | undefined;
  /** Of folders without a key. */
  readonly folderMode: number;
}

/** Makes files and the folders above them within a draft. */
async function stageDraft(
  { path: draft, files, mode, folderMode }: Draft,
  copies: Copies,
  disk: TreeDisk,
): Promise<void> {
  // Remains of a run that was cut off.
  await disk.remove(draft);
  const isKey = (file: PlacedFile) => !("copyOf" in file) && file.use === "key";
  const keyFolders = new Set(files.filter(isKey).map(({ path }) => dirname(path)));
  const made = new Set<string>([dirname(draft)]);
  const make = async (folder: string): Promise<void> => {
    if (made.has(folder)) return;
    await make(dirname(folder));
    made.add(folder);
    await disk.makeFolder(folder, keyFolders.has(folder) ? KEY_FOLDER_MODE : folderMode);
  };
  for (const file of files) {
    await make(dirname(file.path));
    if ("copyOf" in file) continue;
    const { path, text, use } = file;
    await disk.writeFile(path, text, use === "key" ? FILE_MODES.key : (mode ?? FILE_MODES[use]));
  }
  await copyAll(
    files.filter((file) => "copyOf" in file),
    copies,
    disk,
  );
  for (const folder of made) await disk.flush(folder);
}

function journalText({ home, purpose }: TreeWrite, moves: readonly Move[]): string {
  const listed = moves.map(({ from, to, replaces }) => ({
    from: relative(home, from),
    to: relative(home, to),
    replaces,
  }));
  return `${JSON.stringify({ format: JOURNAL_FORMAT, purpose, moves: listed })}\n`;
}

function isMove(value: unknown): value is Move {
  if (typeof value !== "object" || value === null) return false;
  const { from, to, replaces } = value as Partial<Record<keyof Move, unknown>>;
  return typeof from === "string" && typeof to === "string" && typeof replaces === "boolean";
}

/** What a list of renames says; undefined when it is none. */
function readJournal(text: string): { purpose: string; moves: readonly Move[] } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { format, purpose, moves } = value as Readonly<Record<string, unknown>>;
  if (format !== JOURNAL_FORMAT || typeof purpose !== "string" || !Array.isArray(moves))
    return undefined;
  return moves.every(isMove) ? { purpose, moves } : undefined;
}

async function flushAbove(moves: readonly Move[], disk: TreeDisk): Promise<void> {
  for (const folder of new Set(moves.map(({ to }) => dirname(to)))) await disk.flush(folder);
}

/**
 * Brings to its end what a run began that was cut off among its renames: all its files were ready.
 * Gives what that run was for; undefined when there was none.
 * @param home as that run was given it
 * @throws FolderFault unusable, with the platform's reason
 */
export async function finishCutRun(
  home: string,
  disk: TreeDisk = NODE_DISK,
): Promise<string | undefined> {
  const path = join(home, JOURNAL);
  const text = await readText(path);
  if (text === undefined) return undefined;
  const journal = readJournal(text);
  if (!journal) {
    const said = `${path} is not readable: it lists what a run that was cut off had to rename.`;
    throw new FolderFault("unusable", `${said} Look at the folder, and remove the file.`);
  }
  const moves = journal.moves.map(({ from, to, replaces }) => ({
    from: resolve(home, from),
    to: resolve(home, to),
    replaces,
  }));
  try {
    for (const { from, to, replaces } of moves) {
      if (!(await isThere(from)) || (!replaces && (await isThere(to)))) continue;
      await disk.rename(from, to);
    }
    await flushAbove(moves, disk);
    await disk.remove(path);
  } catch (error) {
    throw unwritable(home, error);
  }
  return journal.purpose;
}

async function takeBack(
  done: readonly Move[],
  before: TreePlan["before"],
  disk: TreeDisk,
): Promise<void> {
  for (const { from, to } of done.toReversed()) {
    const present = before.get(to);
    if (present) {
      await disk.remove(from);
      await disk.writeFile(from, present.bytes, present.mode);
    }
    await (present ? disk.rename(from, to) : disk.rename(to, from));
  }
}

function unwritable(home: string, error: unknown): FolderFault {
  if (error instanceof FolderFault) return error;
  const message = `${home} cannot be written: ${reasonOf(error)}.`;
  return new FolderFault("unusable", message, { cause: error });
}

/**
 * Writes the files, all or none. Missing folders are made; one that holds a key is its owner's.
 * After a kill the folders are what they were, next to drafts that the next such run replaces, or
 * `finishCutRun` makes them what they were to become.
 * @throws FolderFault exists when a file is there that is not to be replaced; unusable, when
 *   something cannot be written; nothing is changed then
 */
export async function writeTree(write: TreeWrite, disk: TreeDisk = NODE_DISK): Promise<void> {
  const { home } = write;
  // Its list of renames would be lost.
  await finishCutRun(home, disk);
  const { drafts, moves, before } = await planTree(write);
  const journal = join(home, JOURNAL);
  const done: Move[] = [];
  const folderMode = write.isClosed ? KEY_FOLDER_MODE : FOLDER_MODE;
  try {
    const copies: Copies = new Map();
    for (const [path, files] of drafts) {
      const place = moves.find(({ from }) => from === path)?.to ?? "";
      await stageDraft({ path, files, mode: before.get(place)?.mode, folderMode }, copies, disk);
    }
    // A single rename is all or nothing by itself.
    if (moves.length > 1) {
      await disk.remove(`${journal}${DRAFT}`);
      await disk.writeFile(`${journal}${DRAFT}`, journalText(write, moves), FILE_MODES.text);
      await disk.rename(`${journal}${DRAFT}`, journal);
      await disk.flush(home);
    }
    for (const move of moves) {
      // Two runs at once: a key that the other one has written meanwhile is not overwritten.
      if (!move.replaces && (await isThere(move.to))) {
        const said = `${move.to} exists now: another run has written it meanwhile`;
        throw new FolderFault("exists", `${said}; nothing was changed.`);
      }
      await disk.rename(move.from, move.to);
      done.push(move);
    }
    await flushAbove(moves, disk);
    if (moves.length > 1) await disk.remove(journal);
  } catch (error) {
    const undone = takeBack(done, before, disk).then(async () => {
      for (const path of [...drafts.keys(), `${journal}${DRAFT}`, journal]) await disk.remove(path);
    });
    // What cannot be taken back stays listed: the next run brings it to its end.
    await undone.catch(() => undefined);
    throw unwritable(home, error);
  }
}
