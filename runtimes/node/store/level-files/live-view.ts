/**
 * A second name for the files of a database that somebody writes: what it held at one moment, for
 * whoever reads it in a process of its own. Tables are never written again, so that they get
 * another name; of manifest and logs, which grow at their end, a copy is taken. A database that
 * ended here would be the same: LevelDB reads a beginning of what was written, batch by batch.
 * Format: LevelDB's public description of its files. Source: storage 13
 */
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "../../../folder/durable-folder.ts";
import { storeFault } from "../store.ts";
import { linkOrCopy } from "./database-view.ts";
import { createChecksum, type FileFindings } from "./file-look.ts";
import { logRecords } from "./log-records.ts";
import { applyChange, type LiveFiles, noFiles } from "./manifest.ts";

const LOG = /^(\d+)\.log$/;
const DIGITS = 6;
/** A compaction may take away tables before they have a second name: then all is begun anew. */
const MOST_TRIES = 8;
const PAUSE_MS = 20;
/** Nobody else reads what may be private. */
const OWNER_ONLY = 0o700;

/** Whatever is wrong with a manifest is found by who reads the view. */
const UNHEARD: FileFindings = { damaged: () => undefined, unfinished: () => undefined };

/** The names of a table: older versions have written the second. */
function tableNames(number: number): readonly [string, string] {
  const stem = `${number}`.padStart(DIGITS, "0");
  return [`${stem}.ldb`, `${stem}.sst`];
}

/** Whether a file has got into the view; false when it is not there any more. */
async function took(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (cause: unknown) => {
      if (codeOf(cause) !== "ENOENT") throw cause;
      return false;
    },
  );
}

/** Puts a file into the view. */
type Put = (name: string) => Promise<void>;

async function readManifest(path: string): Promise<LiveFiles> {
  const live = noFiles();
  const file = await open(path, "r");
  try {
    const look = { file, checksum: await createChecksum(), findings: UNHEARD };
    for await (const record of logRecords(look)) applyChange(record, live);
  } finally {
    await file.close();
  }
  return live;
}

/** From the oldest on: one that is gone has been made a table, and what is newer must not be. */
async function putLogs(
  names: readonly string[],
  { firstLog, previousLog }: LiveFiles,
  put: Put,
): Promise<boolean> {
  const numbers = names
    .map((name) => Number(LOG.exec(name)?.[1] ?? -1))
    .filter((number) => number >= firstLog || (number > 0 && number === previousLog))
    .sort((left, right) => left - right);
  if (firstLog > 0 && !numbers.includes(firstLog)) return false;
  for (const number of numbers)
    if (!(await took(put(`${`${number}`.padStart(DIGITS, "0")}.log`)))) return number > firstLog;
  return true;
}

/** Whether the view has all that its manifest names. */
async function fill(folder: string, view: string): Promise<boolean> {
  // Read as a whole: of a file that grows this is its beginning.
  const copy: Put = async (name) => writeFile(join(view, name), await readFile(join(folder, name)));
  const name: Put = (table) => linkOrCopy(join(folder, table), join(view, table));
  const manifest = (await readFile(join(folder, "CURRENT"), "latin1")).trim();
  if (!(await took(copy("CURRENT"))) || !(await took(copy(manifest)))) return false;
  const live = await readManifest(join(view, manifest));
  for (const number of live.tables.keys()) {
    const [newer, older] = tableNames(number);
    if (!(await took(name(newer))) && !(await took(name(older)))) return false;
  }
  return putLogs(await readdir(folder), live, copy);
}

/**
 * Makes a view of a database, whoever has it open. One with damage gets a view with that damage, so
 * that a check can say what is missing.
 */
export async function makeLiveView(folder: string, view: string): Promise<void> {
  try {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      await rm(view, { recursive: true, force: true });
      await mkdir(view, { mode: OWNER_ONLY });
      if (await fill(folder, view)) return;
      await pause(PAUSE_MS * tries);
    }
  } catch (cause) {
    throw storeFault(folder, cause);
  }
}
