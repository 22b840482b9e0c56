/**
 * Files whose appearance asks a running node for something: looked for, removed, obeyed.
 * Source: groups 1, 4
 */
import { readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../folder/durable-folder.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import type { Log } from "../../../core/ports/log.ts";

/** A file that asks for something, and what is done about it. */
export interface Signal {
  readonly file: string;
  /** Whether what the file says matters. */
  readonly reads?: boolean;
  obey(text: string): Promise<void>;
}

/** Source: groups 1 (polled every 100 ms) */
const POLL_MS = 100;
/** Times of folders are coarse: one that has changed is searched by this many polls. */
const POLLS_AFTER_CHANGE = 20;
/** A folder whose time says nothing, as on some file systems, is searched by every this many. */
const POLLS_BETWEEN = 20;

/** The signal files of one folder; a class because it owns a timer. */
class SignalWatch {
  readonly #folder: string;
  readonly #signals: readonly Signal[];
  readonly #log: Log;
  /** Files that stay in spite of us; each was obeyed and reported once. */
  readonly #stuck = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #look: Promise<void> | undefined;
  /** When the folder had last changed. */
  #changedAt: bigint | undefined;
  #pollsSince = 0;

  constructor(folder: string, signals: readonly Signal[], log: Log) {
    this.#folder = folder;
    this.#signals = signals;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.#look ??= this.#poll().finally(() => {
        this.#look = undefined;
      });
    }, POLL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
  }

  /** A file comes or goes with the time of its folder: asking for that is a quarter of the work. */
  async #poll(): Promise<void> {
    const found = await stat(this.#folder, { bigint: true }).catch(() => undefined);
    const changedAt = found?.mtimeNs;
    if (changedAt === undefined || changedAt !== this.#changedAt) this.#pollsSince = 0;
    this.#changedAt = changedAt;
    const polls = this.#pollsSince++;
    if (polls < POLLS_AFTER_CHANGE || polls % POLLS_BETWEEN === 0) await this.#lookAtAll();
  }

  async #lookAtAll(): Promise<void> {
    for (const { file, reads, obey } of this.#signals) {
      const text = reads ? await this.#read(file) : "";
      // One that has come since is read the next time, before it is removed.
      if (text === undefined || !(await this.#take(file))) continue;
      await obey(text).catch((cause: unknown) => {
        const fields = { file, cause: reasonOf(cause) };
        this.#log.write("error", "a signal file could not be obeyed", fields);
      });
    }
  }

  /** Undefined while it is not there. */
  async #read(file: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, file), "utf8");
    } catch (cause) {
      if (codeOf(cause) !== "ENOENT") return "";
      this.#stuck.delete(file);
      return undefined;
    }
  }

  /** Whether the file has appeared; it is removed. */
  async #take(file: string): Promise<boolean> {
    try {
      await unlink(join(this.#folder, file));
      this.#stuck.delete(file);
      return true;
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") {
        this.#stuck.delete(file);
        return false;
      }
      if (this.#stuck.has(file)) return false;
      this.#stuck.add(file);
      const said = "a signal file cannot be removed; it is obeyed once, until somebody removes it";
      this.#log.write("error", said, { file, cause: reasonOf(cause) });
      return true;
    }
  }
}

/**
 * Obeys signal files until it is closed; what is under way then is awaited. What a signal asks for
 * may fail: that is logged.
 */
export function watchSignals(
  folder: string,
  signals: readonly Signal[],
  log: Log,
): () => Promise<void> {
  const watch = new SignalWatch(folder, signals, log);
  return () => watch.close();
}
