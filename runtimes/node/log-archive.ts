/**
 * Finished log files: moved, compressed, and removed, the oldest first, when there are too many.
 * Source: groups 8 (log)
 */
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { isLogName, logName, numberedName, numberOfName } from "./log-name.ts";

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

/** A draft first, so that a crash leaves no half of a file. */
async function compress(path: string): Promise<void> {
  const draft = `${path}.gz.new`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(draft));
  await rename(draft, `${path}.gz`);
  await rm(path, { force: true });
}

/** Keeps finished log files; a class because its work is done one after the other. */
export class LogArchive {
  readonly #options: ArchiveOptions;
  readonly #isFinished: (name: string) => boolean;
  /** The file that is being written is never touched. */
  readonly #current: () => string | undefined;
  readonly #onTrouble: (cause: unknown) => void;
  #work: Promise<void> = Promise.resolve();
  /** The file that was written last: still not a finished one when the log is closed. */
  #newest: string | undefined;

  constructor(
    options: ArchiveOptions,
    current: () => string | undefined,
    onTrouble: (cause: unknown) => void,
  ) {
    this.#options = options;
    this.#isFinished = isLogName(options.name);
    this.#current = current;
    this.#onTrouble = onTrouble;
  }

  /** Takes a file that is complete: its name is free afterwards, unless it keeps it. */
  add(path: string): void {
    try {
      const place = this.#takeAway(path);
      if (this.#options.compress) this.#then(() => compress(place));
    } catch (cause) {
      this.#onTrouble(cause);
    }
    this.tidy();
  }

  /** Removes what is too much. */
  tidy(): void {
    this.#newest = this.#current() ?? this.#newest;
    this.#then(() => this.#removeOldest());
  }

  /** Resolves when everything that was begun is done. */
  settled(): Promise<void> {
    return this.#work;
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(this.#onTrouble);
  }

  #takeAway(path: string): string {
    const { folder, name } = this.#options;
    // A file that has a finished file's name in the right place stays what it is.
    if (dirname(path) === folder && this.#isFinished(basename(path))) return path;
    mkdirSync(folder, { recursive: true });
    const wanted = logName(name, statSync(path).mtimeMs);
    const used = readdirSync(folder).map((file) => numberOfName(wanted, file) ?? -1);
    const place = join(folder, numberedName(wanted, Math.max(-1, ...used) + 1));
    try {
      renameSync(path, place);
    } catch (cause) {
      const isOtherDisk = cause instanceof Error && "code" in cause && cause.code === "EXDEV";
      if (!isOtherDisk) throw cause;
      copyFileSync(path, place);
      rmSync(path, { force: true });
    }
    return place;
  }

  /** Oldest first. */
  async #finished(): Promise<Finished[]> {
    const { folder } = this.#options;
    const found: Finished[] = [];
    this.#newest = this.#current() ?? this.#newest;
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const path = join(folder, name);
      if (!this.#isFinished(name) || path === this.#newest) continue;
      const facts = await stat(path).catch(() => undefined);
      if (facts?.isFile()) found.push({ path, bytes: facts.size, changed: facts.mtimeMs });
    }
    return found.sort((one, other) => one.changed - other.changed);
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
