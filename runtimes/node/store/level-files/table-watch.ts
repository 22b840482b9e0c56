/**
 * Compares the tables of an open database with their checksums, again and again. LevelDB does not
 * look at them: where the disk changed a key it gives an older row, or none. Each table has a
 * second name here, by which it is compared once more when a compaction has taken it away: what was
 * damaged in it would look whole in the table that was made of it. Source: decision 30
 */
import { link, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { codeOf } from "../../../folder/durable-folder.ts";
import type { Pause } from "../../../shared/checksums/background-pass.ts";
import { bytesAt, type Checksum } from "./file-look.ts";
import { isTableEnd, MAGIC_BYTES, type TableDefect, tableDefects } from "./table-file.ts";
import { TableRoom } from "./table-room.ts";
import type { TableSums } from "./table-sums.ts";

/** Ends the name of the folder with the second names. */
const NAMES = ".watched";
/** The name of a table. */
export const TABLE: RegExp = /^\d+\.(?:ldb|sst)$/;
const LOOK_MS = 1_000;
/** A look compares for so long at most: a hundredth of one processor, 30 MiB with known sums. */
const SHARE_MS = 10;
/** A look for new tables is followed by a pause of so many times its length. */
const REST = 99;
/** All tables are compared at most once in so many looks. */
const ROUND_LOOKS = 60;
/** A look takes up so many new tables. */
const MOST_NEW = 256;

interface WatchedTables {
  readonly folder: string;
  readonly checksum: Checksum;
  readonly pause: Pause;
  /** Of tables that were compared. */
  readonly sums: TableSums;
}

/** The fault of a table that is not as it was written; undefined when it is. */
export function tableFault(
  [first]: readonly TableDefect[],
  { folder, name }: { folder: string; name: string },
): StoreFault | undefined {
  if (!first) return undefined;
  const [what, stored, expected] = first;
  const said = `${name}: ${what} is ${stored}, not ${expected}`;
  return new StoreFault("corrupt", `${folder} holds a damaged database: ${said}`);
}

/** Lets pass what the system says. @throws anything else */
export function said(cause: unknown): undefined {
  if (codeOf(cause) === "") throw cause;
}

/**
 * Whether a file has the end of a table: LevelDB writes it last, and one without is being written.
 * Where the disk has changed the end, LevelDB itself refuses the table.
 */
async function endsAsTable(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(said);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    return isTableEnd(await bytesAt(file, Math.max(0, size - MAGIC_BYTES), MAGIC_BYTES));
  } finally {
    await file.close();
  }
}

/** One watch; a class because its steps share what is known. */
class Watch {
  readonly #options: WatchedTables;
  readonly #names: string;
  readonly #room = new TableRoom();
  readonly #known = new Set<string>();
  #left: string[] = [];
  /** Those of the opening are compared by then. */
  #looksLeft = ROUND_LOOKS;

  constructor(options: WatchedTables) {
    this.#options = options;
    this.#names = `${options.folder}${NAMES}`;
  }

  async run(signal: AbortSignal): Promise<never> {
    try {
      await this.#drop().catch(said);
      // Where there can be no second names, what is damaged is found unless a compaction is first.
      await mkdir(this.#names).catch(said);
      for (;;) {
        const start = performance.now();
        // What a busy or failing system refuses now may be had at the next look.
        await this.#look(signal).catch(said);
        const took = performance.now() - start;
        await this.#compareSome();
        await this.#options.pause(Math.max(LOOK_MS, took * REST), signal);
      }
    } finally {
      await this.#drop().catch(said);
    }
  }

  /** Names of an earlier opening are stale: the pass over all rows follows each start. */
  #drop(): Promise<void> {
    return rm(this.#names, { recursive: true, force: true });
  }

  /** Gives new tables their second names, and compares those that are gone. */
  async #look(signal: AbortSignal): Promise<void> {
    const { folder } = this.#options;
    const there = new Set((await readdir(folder)).filter((name) => TABLE.test(name)));
    for (const name of this.#known) {
      if (there.has(name)) continue;
      if (signal.aborted) return;
      const second = join(this.#names, name);
      await this.#compare(name, second);
      await rm(second, { force: true }).catch(said);
      this.#known.delete(name);
      this.#options.sums.forget(name);
    }
    const fresh = [...there].filter((name) => !this.#known.has(name));
    for (const name of fresh.slice(0, MOST_NEW)) {
      if (signal.aborted) return;
      if (!(await endsAsTable(join(folder, name)))) continue;
      await link(join(folder, name), join(this.#names, name)).catch(said);
      this.#known.add(name);
      if (!this.#options.sums.has(name)) this.#left.push(name);
    }
  }

  async #compareSome(): Promise<void> {
    const start = performance.now();
    if (--this.#looksLeft < 0 && this.#left.length === 0) {
      this.#left = [...this.#known];
      this.#looksLeft = ROUND_LOOKS;
    }
    while (performance.now() - start < SHARE_MS) {
      const name = this.#left.pop();
      if (name === undefined) return this.#options.sums.save().catch(said);
      await this.#compare(name, join(this.#options.folder, name));
    }
  }

  /** @throws StoreFault corrupt */
  async #compare(name: string, path: string): Promise<void> {
    // A disk that refuses a table now refuses it to LevelDB, too, which tells.
    const bytes = await this.#room.load(path).catch(said);
    const { folder, checksum, sums } = this.#options;
    if (!bytes || sums.isKnown(name, bytes)) return;
    const fault = tableFault(tableDefects(bytes, checksum), { folder, name });
    if (fault) throw fault;
    sums.note(name, bytes);
  }
}

/**
 * Watches until the signal says so. Rejects then, and at what is wrong first.
 * @throws StoreFault corrupt
 */
export function watchTables(options: WatchedTables, signal: AbortSignal): Promise<never> {
  return new Watch(options).run(signal);
}
