/** The lines of one node's log: the last ones, and then those that are added. */
import { type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { NodeConfig } from "../../../formats/config/node-config.ts";
import { type LoggedFile, logFiles, readEnd } from "../../../node/log/log-files.ts";

/** No more of a file is read for its last lines. */
const MOST_TAIL_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
/** A line without an end at this length is given in parts. */
const MOST_LINE_BYTES = 1024 * 1024;
const LINE_END = 10;

interface OpenLog {
  readonly file: FileHandle;
  /** Where the next read begins. */
  offset: number;
  /** The beginning of a line whose end is not there yet. */
  rest: Buffer;
}

function linesOf(bytes: Buffer): string[] {
  const lines = bytes.toString("utf8").split("\n");
  return lines.filter((line) => line !== "");
}

/**
 * Reads the log of a node as it grows. The file stays open: what was written before it was renamed
 * or removed is still read, and then the files that are new. A file that was cut is read anew.
 */
export class LogTail {
  readonly #files: () => Promise<readonly LoggedFile[]>;
  #open: OpenLog | undefined;
  /** Files that were read or are older, by their inodes. */
  readonly #known = new Set<number>();

  /** @param home folder of the node, absolute */
  constructor(home: string, config: Pick<NodeConfig, "log">) {
    const { log_path: own, archive_path: archive } = config.log;
    const [folder, archived] = [own, archive || own].map((path) => resolve(home, path));
    // What is in an archive of its own is finished.
    const isFinished = ({ path }: LoggedFile) => archived !== folder && dirname(path) === archived;
    this.#files = async () => (await logFiles(home, config)).filter((file) => !isFinished(file));
  }

  /** The last lines; those that follow are what `next` gives. */
  async last(count: number): Promise<readonly string[]> {
    const files = await this.#files();
    for (const { inode } of files) this.#known.add(inode);
    const [newest] = files;
    const opened = newest && (await this.#opened(newest));
    if (!newest || !opened) return [];
    const { size } = await opened.file.stat();
    const tail = await readEnd(newest.path, MOST_TAIL_BYTES).catch(() => Buffer.alloc(0));
    const end = tail.lastIndexOf(LINE_END) + 1;
    opened.offset = size - (tail.length - end);
    const lines = linesOf(tail.subarray(0, end));
    // The first of them may be the end of a longer one.
    if (tail.length < size) lines.shift();
    return count === 0 ? [] : lines.slice(-count);
  }

  /** Lines that were added, of all files that were written meanwhile. */
  async next(): Promise<readonly string[]> {
    const fresh = await this.#fresh();
    const found = await this.#added();
    for (const file of fresh) {
      // It may have been written to its end between the two looks.
      found.push(...(await this.#added()), ...this.#unfinished());
      await this.close();
      await this.#opened(file);
      found.push(...(await this.#added()));
    }
    return found;
  }

  async close(): Promise<void> {
    const opened = this.#open;
    this.#open = undefined;
    await opened?.file.close();
  }

  /** Files that were begun after the one that is read, the oldest first. */
  async #fresh(): Promise<readonly LoggedFile[]> {
    const files = await this.#files();
    const read = await this.#open?.file.stat();
    const isFresh = ({ inode, writtenAt }: LoggedFile) =>
      !this.#known.has(inode) && writtenAt >= (read?.mtimeMs ?? 0);
    return files.filter(isFresh).toReversed();
  }

  async #opened({ path, inode }: LoggedFile): Promise<OpenLog | undefined> {
    const file = await open(path, "r").catch(() => undefined);
    if (!file) return undefined;
    this.#known.add(inode);
    this.#open = { file, offset: 0, rest: Buffer.alloc(0) };
    return this.#open;
  }

  /** What a file ends with that will get no end any more. */
  #unfinished(): readonly string[] {
    return linesOf(this.#open?.rest ?? Buffer.alloc(0));
  }

  async #added(): Promise<string[]> {
    const opened = this.#open;
    if (!opened) return [];
    const { file } = opened;
    const { size } = await file.stat();
    if (size < opened.offset) Object.assign(opened, { offset: 0, rest: Buffer.alloc(0) });
    const found: string[] = [];
    const part = Buffer.alloc(READ_BYTES);
    while (opened.offset < size) {
      const { bytesRead } = await file.read(part, 0, READ_BYTES, opened.offset);
      if (bytesRead === 0) break;
      opened.offset += bytesRead;
      const bytes = Buffer.concat([opened.rest, part.subarray(0, bytesRead)]);
      const whole = bytes.lastIndexOf(LINE_END) + 1;
      const end = whole === 0 && bytes.length > MOST_LINE_BYTES ? bytes.length : whole;
      found.push(...linesOf(bytes.subarray(0, end)));
      opened.rest = Buffer.from(bytes.subarray(end));
    }
    return found;
  }
}
