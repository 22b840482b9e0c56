/**
 * A log file that begins anew when it is full and every hour. A disk that refuses and a folder that
 * is removed cost lines, never the node. Source: groups 8 (log)
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type ArchiveOptions, LEAVING, LogArchive } from "./log-archive.ts";
import { isLogName, logName, numberedName, numberOfName } from "./log-name.ts";

/** Where a log is written, and when a new file begins. */
export interface LogFileOptions {
  readonly folder: string;
  /** Pattern of the current file's name. */
  readonly name: string;
  readonly hourly: boolean;
  readonly maxBytes: number;
  readonly archive: ArchiveOptions;
  /** Lines leave the process in the turn in which they were written, not after a second. */
  readonly flushAtOnce: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A trouble with the files begins: one call, not one per line. */
  readonly onTrouble: (cause: unknown) => void;
  /** The line that says how many lines are missing. */
  readonly lostLine: (count: number) => string;
}

/** Lines that wait are written together at this size. */
const BATCH_BYTES = 64 * 1024;
/** Lines that cannot be written are kept up to this size, the newest are lost. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Without `flush`, lines wait no longer than this. */
const LAZY_MS = 1_000;
/** A disk that refused is asked again after this, and the folder is examined as often. */
const LOOK_MS = 1_000;
const HOUR_MS = 60 * 60 * 1000;

interface OpenFile {
  readonly path: string;
  readonly handle: number;
  readonly inode: number;
  readonly hour: number;
  bytes: number;
}

/** Lines that are not written yet, and how many more there was no room for. */
function nothingWaits() {
  return { lines: [] as string[], bytes: 0, lost: 0 };
}

/** A log in files; a class because it owns one. */
export class LogFile {
  readonly #options: LogFileOptions;
  readonly #archive: LogArchive;
  readonly #flushAtExit = () => this.#flush(true);
  #file: OpenFile | undefined;
  #waiting = nothingWaits();
  #isTroubled = false;
  #notBefore = 0;
  #lookedAt = 0;
  #cancel: (() => void) | undefined;
  #isClosed = false;
  /** Name of the file that was made last. */
  #newest: string | undefined;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#archive = new LogArchive(options.archive, options.onTrouble);
    process.on("exit", this.#flushAtExit);
  }

  /** The file that is written now. */
  get path(): string | undefined {
    return this.#file?.path;
  }

  /** Takes a line with its end. Never throws. */
  write(line: string): void {
    if (this.#isClosed) return;
    const waiting = this.#waiting;
    if (waiting.bytes > MAX_WAITING_BYTES) {
      waiting.lost += 1;
    } else {
      waiting.lines.push(line);
      waiting.bytes += Buffer.byteLength(line);
    }
    if (waiting.bytes >= BATCH_BYTES) this.#flush(false);
    if (this.#waiting.lines.length > 0) this.#schedule();
  }

  /** Writes what waits; the files are complete afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#flush(true);
    this.#isClosed = true;
    this.#cancel?.();
    process.off("exit", this.#flushAtExit);
    this.#closeFile();
    await this.#archive.settled();
  }

  /** Opens the file now instead of with the first line; false when that cannot be. */
  open(): boolean {
    return this.#guarded(() => this.#ensureFile(0));
  }

  #schedule(): void {
    if (this.#cancel) return;
    const run = () => {
      this.#cancel = undefined;
      this.#flush(false);
      if (this.#waiting.lines.length > 0) this.#schedule();
    };
    if (this.#options.flushAtOnce && !this.#isTroubled) {
      const immediate = setImmediate(run);
      this.#cancel = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(run, LAZY_MS);
      this.#cancel = () => clearTimeout(timer);
    }
  }

  #flush(isLast: boolean): void {
    const { lines, lost } = this.#waiting;
    if (this.#isClosed || lines.length === 0) return;
    if (!isLast && this.#isTroubled && performance.now() < this.#notBefore) return;
    const wroteAll = this.#guarded(() => {
      const last = lost > 0 ? this.#options.lostLine(lost) : "";
      const bytes = Buffer.from(`${lines.join("")}${last}`);
      this.#append(this.#ensureFile(bytes.length), bytes);
    });
    if (wroteAll) this.#waiting = nothingWaits();
  }

  /** Whether the work was done; the first failure after a success is reported. */
  #guarded(work: () => void): boolean {
    try {
      work();
      this.#isTroubled = false;
      return true;
    } catch (cause) {
      const isNew = !this.#isTroubled;
      this.#isTroubled = true;
      this.#notBefore = performance.now() + LOOK_MS;
      if (isNew) this.#options.onTrouble(cause);
      return false;
    }
  }

  /** All of it or nothing: a disk may be full in the middle of a line. */
  #append(file: OpenFile, bytes: Uint8Array): void {
    const before = file.bytes;
    try {
      for (let done = 0; done < bytes.length; ) {
        const count = writeSync(file.handle, bytes, done);
        done += count;
        file.bytes += count;
      }
    } catch (cause) {
      this.#file = reopened(file, before);
      throw cause;
    }
  }

  /** The file for this many more bytes: the present one, or a new one. */
  #ensureFile(more: number): OpenFile {
    this.#forgetRemoved();
    const now = this.#options.now();
    const file = this.#file;
    if (file && !this.#isOver(file, now, more)) return file;
    if (file) {
      this.#closeFile();
      this.#archive.add(file.path);
    }
    const opened = this.#openFile(now, file === undefined);
    this.#file = opened;
    this.#archive.began(opened.path);
    return opened;
  }

  #isOver({ bytes, hour }: OpenFile, now: number, more: number): boolean {
    const { hourly, maxBytes } = this.#options;
    return (bytes > 0 && bytes + more > maxBytes) || (hourly && hour !== hourOf(now));
  }

  /** A file that somebody moved away or removed would lose lines unnoticed. */
  #forgetRemoved(): void {
    const now = performance.now();
    const file = this.#file;
    if (!file || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const found = statSync(file.path, { throwIfNoEntry: false });
    if (found?.ino !== file.inode) this.#closeFile();
  }

  #closeFile(): void {
    if (this.#file) closeSync(this.#file.handle);
    this.#file = undefined;
  }

  /** The first time, the newest file is continued if it may be, and what else lies there is old. */
  #openFile(now: number, isFirst: boolean): OpenFile {
    const { folder, name } = this.#options;
    mkdirSync(folder, { recursive: true });
    const present = isFirst ? this.#present() : [];
    const newest = present.findLast((path) => !path.endsWith(LEAVING));
    const opened = newest && this.#continued(newest, now);
    const old = opened ? present.filter((path) => path !== newest) : present;
    for (const path of old) this.#archive.add(path);
    if (opened) return opened;
    this.#archive.tidy();
    return this.#created(logName(name, now), now);
  }

  /** Files of this log in the folder, the newest last; archived ones are not among them. */
  #present(): string[] {
    const { folder, name, archive } = this.#options;
    const isCurrent = isLogName(name);
    const isArchived = isLogName(archive.name);
    const sharesFolder = archive.folder === folder && archive.name !== name;
    const plain = (file: string) =>
      file.endsWith(LEAVING) ? file.slice(0, -LEAVING.length) : file;
    return readdirSync(folder)
      .filter((file) => isCurrent(plain(file)) && !file.endsWith(".gz"))
      .filter((file) => !(sharesFolder && isArchived(file)))
      .map((file) => ({ path: join(folder, file), facts: statSync(join(folder, file)) }))
      .filter(({ facts }) => facts.isFile())
      .sort((one, other) => one.facts.mtimeMs - other.facts.mtimeMs)
      .map(({ path }) => path);
  }

  #continued(path: string, now: number): OpenFile | undefined {
    const facts = statSync(path);
    const file = { hour: hourOf(facts.mtimeMs), bytes: facts.size };
    const handle = openSync(path, "a");
    const opened = { path, handle, inode: facts.ino, ...file };
    if (!this.#isOver(opened, now, 0)) return opened;
    closeSync(handle);
    return undefined;
  }

  /** A file of its own name: numbers go up, also when older files have been removed. */
  #created(name: string, now: number): OpenFile {
    const { folder, archive } = this.#options;
    const used = readdirSync(folder).map((file) => numberOfName(name, file) ?? -1);
    const keepsNames = archive.folder === folder && archive.name === this.#options.name;
    const before = keepsNames ? numberOfName(name, this.#newest ?? "") : undefined;
    this.#newest = numberedName(name, Math.max(before ?? -1, ...used) + 1);
    const path = join(folder, this.#newest);
    const handle = openSync(path, "a");
    return { path, handle, inode: fstatSync(handle).ino, hour: hourOf(now), bytes: 0 };
  }
}

/**
 * A file that refused, without what was written in part, opened anew: a handle may be dead after a
 * fault. Undefined when the disk takes nothing at all; the file is looked for again then.
 */
function reopened(file: OpenFile, before: number): OpenFile | undefined {
  const tried = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  if (file.bytes > before) tried(() => ftruncateSync(file.handle, before));
  tried(() => closeSync(file.handle));
  const handle = tried(() => openSync(file.path, "a"));
  const facts = handle === undefined ? undefined : tried(() => fstatSync(handle));
  if (handle === undefined || facts === undefined) return undefined;
  return { ...file, handle, inode: facts.ino, bytes: facts.size };
}

/** Hours of local time: files change at the full hour of the clock on the wall. */
function hourOf(now: number): number {
  return Math.floor((now - new Date(now).getTimezoneOffset() * 60_000) / HOUR_MS);
}
