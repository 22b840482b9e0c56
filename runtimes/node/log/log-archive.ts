/**
 * Finished log files: moved, compressed, and removed, the oldest first, when there are too many.
 * Source: groups 8 (log)
 */
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
} from "node:fs";
import { copyFile, readdir, rename, rm, stat, statfs, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { isLogName, logName, numberedName, numberOfName, plainName } from "./log-name.ts";

/** Where finished files go, and how many are kept; 0 is unlimited. */
export interface ArchiveOptions {
  readonly folder: string;
  /** Pattern of their names. */
  readonly name: string;
  readonly compress: boolean;
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** What stays free on the disk. */
  readonly minFreeBytes: number;
}

interface Finished {
  readonly path: string;
  readonly bytes: number;
  readonly changed: number;
}

/** Of files of one tick of the file system's clock, the one with the lower number is older. */
function olderFirst(one: Finished, other: Finished): number {
  const [name, otherName] = [plainName(one.path), plainName(other.path)];
  const byNumber = name.length - otherName.length || name.localeCompare(otherName);
  return one.changed - other.changed || byNumber;
}

/** Ends the name of a file that is being made; a crash may leave one. */
const DRAFT = ".new";
/** Ends the name of a finished file that is on its way to another disk. */
export const LEAVING = ".leaving";

/** Makes a file of another one, which goes then: a crash leaves the one or the other whole. */
async function replace(path: string, by: string, make: (draft: string) => Promise<void>) {
  const draft = `${by}${DRAFT}`;
  try {
    await make(draft);
    await rename(draft, by);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw cause;
  }
  await rm(path, { force: true });
}

function compress(path: string): Promise<void> {
  return replace(path, `${path}.gz`, (draft) =>
    pipeline(createReadStream(path), createGzip(), createWriteStream(draft)),
  );
}

/** To another disk; not at once: a full log takes a while. */
function carry(path: string, place: string): Promise<void> {
  return replace(path, place, async (draft) => {
    const { atime, mtime } = await stat(path);
    await copyFile(path, draft);
    await utimes(draft, atime, mtime);
  });
}

/** Another may still be on its way under the same name. */
function freeName(path: string): string {
  const used = new Set(readdirSync(dirname(path)));
  for (let number = 0; ; number++) {
    const name = `${numberedName(path, number)}${LEAVING}`;
    if (!used.has(basename(name))) return name;
  }
}

/** Keeps finished log files; a class because its work is done one after the other. */
export class LogArchive {
  readonly #options: ArchiveOptions;
  readonly #isFinished: (name: string) => boolean;
  readonly #onTrouble: (cause: unknown) => void;
  #work: Promise<void> = Promise.resolve();
  /** The file that is written, or was when the log was closed: it is never touched. */
  #newest: string | undefined;
  #isSwept = false;

  constructor(options: ArchiveOptions, onTrouble: (cause: unknown) => void) {
    this.#options = options;
    this.#isFinished = isLogName(options.name);
    this.#onTrouble = onTrouble;
  }

  /** Which file is written from now on. */
  began(path: string): void {
    this.#newest = path;
  }

  /** Takes a file that is complete: its name is free afterwards, unless it keeps it. */
  add(path: string): void {
    try {
      this.#takeAway(path);
    } catch (cause) {
      this.#onTrouble(cause);
    }
    this.tidy();
  }

  /** Removes what is too much. */
  tidy(): void {
    if (!this.#isSwept) this.#then(() => this.#removeDrafts());
    this.#isSwept = true;
    this.#then(() => this.#removeOldest());
  }

  /** Resolves when everything that was begun is done. */
  settled(): Promise<void> {
    return this.#work;
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(this.#onTrouble);
  }

  #takeAway(path: string): void {
    const { folder } = this.#options;
    // A file that has a finished file's name in the right place stays what it is.
    if (dirname(path) === folder && this.#isFinished(basename(path))) return this.#keep(path);
    mkdirSync(folder, { recursive: true });
    const place = this.#placeOf(path);
    try {
      renameSync(path, place);
    } catch (cause) {
      const isOtherDisk = cause instanceof Error && "code" in cause && cause.code === "EXDEV";
      if (!isOtherDisk) throw cause;
      return this.#sendAway(path);
    }
    this.#keep(place);
  }

  #keep(place: string): void {
    if (this.#options.compress) this.#then(() => compress(place));
  }

  /** Its name is free at once; its place on the other disk is known when its turn has come. */
  #sendAway(path: string): void {
    const leaving = path.endsWith(LEAVING) ? path : freeName(path);
    if (leaving !== path) renameSync(path, leaving);
    this.#then(async () => {
      const place = this.#placeOf(leaving);
      await carry(leaving, place);
      if (this.#options.compress) await compress(place);
    });
  }

  #placeOf(path: string): string {
    const { folder, name } = this.#options;
    const wanted = logName(name, statSync(path).mtimeMs);
    const used = readdirSync(folder).map((file) => numberOfName(wanted, file) ?? -1);
    return join(folder, numberedName(wanted, Math.max(-1, ...used) + 1));
  }

  /** What a crash left. */
  async #removeDrafts(): Promise<void> {
    const { folder } = this.#options;
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const isDraft = name.endsWith(DRAFT) && this.#isFinished(name.slice(0, -DRAFT.length));
      if (isDraft) await rm(join(folder, name), { force: true });
    }
  }

  /** Oldest first. */
  async #finished(): Promise<Finished[]> {
    const { folder } = this.#options;
    const found: Finished[] = [];
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const path = join(folder, name);
      if (!this.#isFinished(name) || path === this.#newest) continue;
      const facts = await stat(path).catch(() => undefined);
      if (facts?.isFile()) found.push({ path, bytes: facts.size, changed: facts.mtimeMs });
    }
    return found.sort(olderFirst);
  }

  async #removeOldest(): Promise<void> {
    const { maxFiles, maxBytes } = this.#options;
    const files = await this.#finished();
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    let count = files.length;
    for (const file of files) {
      const isTooMuch = (maxFiles > 0 && count > maxFiles) || (maxBytes > 0 && bytes > maxBytes);
      if (!isTooMuch && !(await this.#lacksSpace())) return;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
      count -= 1;
    }
  }

  async #lacksSpace(): Promise<boolean> {
    const { folder, minFreeBytes } = this.#options;
    if (minFreeBytes === 0) return false;
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < minFreeBytes;
  }
}
