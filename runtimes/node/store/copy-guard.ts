/**
 * Tells a ledger that this node wrote last from a copy or an older state of it. A mark beside the
 * ledger holds what a copy cannot bring along: its own place on the disk and that of the ledger's
 * folder (inode and time of birth), and a number drawn at each start and each orderly stop, which
 * the ledger holds too. A restart, a reboot and a move within one disk keep all of them; a copy, a
 * restored backup, or a ledger put back without its mark do not. What brings back a whole disk (a
 * snapshot of a volume or a machine), or writes an older state into the very same files, is not
 * seen here: the blocks of the others report then.
 *
 * A disk that loses the end of the ledger's log takes the newest votes with it, and after a kill -9
 * that looks like a write which was never finished. So their number stands in a file of its own,
 * too. That is not synced: after a power cut it may be behind, which says nothing; it is never
 * ahead of votes that were. Source: decision 25
 */
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fixedUintBytes, numberOfBytes } from "../../../core/bytes/bytes.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import { EPOCH_KEY } from "../../../core/node/group/group-abstention.ts";
import { votesAreCounted, VoteStore, votesWritten } from "../../../core/node/voting/vote-store.ts";
import type { CopyGuard } from "../../../core/ports/copy-guard.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { Store } from "../../../core/ports/store.ts";
import { isObject, type Json, parseJson } from "../../../core/rpc/json.ts";
import { codeOf, flushFolder } from "../../folder/durable-folder.ts";

/** Ends the name of the mark of a ledger. */
export const MADE_MARK = ".made";

/** Ends the name of the file that counts its records of votes. */
const VOTES_MARK = ".votes";
const COUNT_BYTES = 6;

const DRAFT = ".new";
const EPOCH_BYTES = 16;

/** A place on a disk; text, because inodes and nanoseconds exceed what JSON holds exactly. */
interface Place {
  readonly inode: string;
  readonly born: string;
}

/** What the mark says. A ledger stopped half-way through an adoption still has `before`. */
interface Mark {
  readonly epoch: string;
  readonly before: string;
  readonly file: Place;
  readonly ledger: Place;
}

/** Where a system keeps no time of birth it reports that of the last change, or none. */
function placeOf({ ino, birthtimeNs, ctimeNs }: BigIntStats): Place {
  const isKept = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return { inode: String(ino), born: isKept ? String(birthtimeNs) : "" };
}

function isElsewhere(marked: Place, found: Place): boolean {
  if (marked.inode !== found.inode) return true;
  return marked.born !== "" && found.born !== "" && marked.born !== found.born;
}

function readPlace(value: Json | undefined): Place | undefined {
  const { inode, born } = isObject(value) ? value : {};
  return typeof inode === "string" && typeof born === "string" ? { inode, born } : undefined;
}

/** The mark in a text; undefined when it is none: empty before the first adoption, or damaged. */
function parseMark(text: string): Mark | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { epoch, before } = value;
  const [file, ledger] = [readPlace(value["file"]), readPlace(value["ledger"])];
  if (typeof epoch !== "string" || typeof before !== "string") return undefined;
  return file && ledger && { epoch, before, file, ledger };
}

function epochOf(store: Store): string {
  const bytes = store.get(EPOCH_KEY);
  return bytes ? toHex(bytes) : "";
}

async function readMark(folder: string): Promise<Mark | undefined> {
  const text = await readFile(`${folder}${MADE_MARK}`, "utf8").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return "";
    throw cause;
  });
  return parseMark(text);
}

/** Why what is there is not where a mark says that it was. */
async function displacement(folder: string, mark: Mark): Promise<string | undefined> {
  const path = `${folder}${MADE_MARK}`;
  const file = placeOf(await stat(path, { bigint: true }));
  const ledger = placeOf(await stat(folder, { bigint: true }));
  if (isElsewhere(mark.file, file)) return `${path} was copied or put back`;
  return isElsewhere(mark.ledger, ledger) ? `${folder} was copied or put back` : undefined;
}

/** Whether a mark says which ledger is in a folder: else no node has taken it, or it is lost. */
export async function isMarked(folder: string): Promise<boolean> {
  return (await readMark(folder)) !== undefined;
}

/**
 * Why a ledger seems to be a copy, or an older state: as far as that shows while it is not open,
 * or with what is in it. Nothing is said of one that no node has taken.
 */
export async function copySuspicion(folder: string, store?: Store): Promise<string | undefined> {
  const mark = await readMark(folder);
  if (!store) return mark && displacement(folder, mark);
  if (!mark && epochOf(store) === "") return undefined;
  if (new VoteStore(store).isLost) return `${folder} has lost the record of its votes`;
  return suspicionOf(folder, store);
}

/** What a start makes of a suspicion, for operators. */
export function silentStart(suspicion: string): string {
  return `${suspicion}: a start follows as a silent observer until it is past its votes`;
}

/** Compares what a mark says to what is there. */
async function suspicionOf(folder: string, store: Store): Promise<string | undefined> {
  const mark = await readMark(folder);
  if (!mark) return `${folder}${MADE_MARK} does not say which ledger it is of`;
  const displaced = await displacement(folder, mark);
  if (displaced !== undefined) return displaced;
  const epoch = epochOf(store);
  if (epoch !== mark.epoch && epoch !== mark.before)
    return `${folder} holds another state than the one that was written last`;
  return lossOf(folder, store);
}

/** Why votes may be missing from the store. */
async function lossOf(folder: string, store: Store): Promise<string | undefined> {
  if (!votesAreCounted(store)) return undefined;
  const path = `${folder}${VOTES_MARK}`;
  const count = await readFile(path).catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw cause;
  });
  if (!count) return `${path} is gone, which counts the records of votes`;
  if (count.length !== COUNT_BYTES) return `${path} is damaged, which counts the records of votes`;
  const lost = numberOfBytes(count) - votesWritten(store);
  if (lost <= 0) return undefined;
  return `${folder} has lost ${lost} records of votes that were on the disk: see docs/copies.md`;
}

/** Writes a new file, then has it take the place of the old one. */
async function replaceFile(
  path: string,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const draft = `${path}${DRAFT}`;
  await rm(draft, { force: true });
  const handle = await open(draft, "wx");
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path);
}

/** Writes a mark that knows its own place, then has it take the place of the old one. */
async function writeMark(folder: string, epochs: Pick<Mark, "epoch" | "before">): Promise<void> {
  const path = `${folder}${MADE_MARK}`;
  const ledger = placeOf(await stat(folder, { bigint: true }));
  await replaceFile(path, async (handle) => {
    const { ino, birthtimeNs } = await handle.stat({ bigint: true });
    // Whether its birth is kept shows once the file has changed: the rename sees to that.
    const file = { inode: String(ino), born: String(birthtimeNs) };
    await handle.writeFile(`${JSON.stringify({ ...epochs, file, ledger })}\n`);
  });
  await flushFolder(dirname(path));
}

/** The guard of a node whose ledgers are folders. */
export function createCopyGuard(
  folderOf: (groupId: number) => string,
  entropy: Entropy,
): CopyGuard {
  return {
    suspicion: (groupId, store) => suspicionOf(resolve(folderOf(groupId)), store),
    adopt: async (groupId, store) => {
      const epoch = entropy.bytes(EPOCH_BYTES);
      const before = epochOf(store);
      const folder = resolve(folderOf(groupId));
      await writeMark(folder, { epoch: toHex(epoch), before });
      await store.commit([{ key: EPOCH_KEY, value: epoch }], { durable: true });
      const count = fixedUintBytes(votesWritten(store), COUNT_BYTES);
      await replaceFile(`${folder}${VOTES_MARK}`, (handle) => handle.writeFile(count));
      // From now on the number before says that an older state was put back.
      await writeMark(folder, { epoch: toHex(epoch), before: toHex(epoch) });
    },
    // What cannot be written holds up no vote: it is behind, or missed at the next start.
    noteVotes: async (groupId, count) => {
      const path = `${resolve(folderOf(groupId))}${VOTES_MARK}`;
      const bytes = fixedUintBytes(count, COUNT_BYTES);
      // In its place it needs no room on the disk.
      await writeFile(path, bytes, { flag: "r+" })
        .catch(() => writeFile(path, bytes))
        .catch(() => undefined);
    },
  };
}
