/**
 * One sum over each table that was compared with LevelDB's own checksums. With it a table is
 * compared again by native code alone, in an eighth of the time: tables are never written again.
 * Where a sum is not that of the bytes, LevelDB's checksums decide. Source: decision 30
 */
import { lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** In the folder of the database: LevelDB leaves alone what it does not know. */
const FILE = "SUMS";
const DRAFT = "SUMS.draft";
const OWNER_ONLY = 0o600;
/** A line has some 20 bytes, and a table 1 MiB. */
const MOST_BYTES = 1024 * 1024;
const LINE = /^(\d+\.(?:ldb|sst)) ([0-9a-f]{8})$/;
const END = "sum ";

/** Sums by the names of tables. */
type KnownSums = ReadonlyMap<string, number>;

function digits(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

/** The sum over a whole table. */
export function tableSum(bytes: Uint8Array): number {
  return crc32(bytes);
}

/** The sums of the last run; none when there are none, or they are not as they were written. */
export async function readSums(folder: string): Promise<KnownSums> {
  const path = join(folder, FILE);
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > MOST_BYTES) return new Map();
  const text = await readFile(path, "latin1").catch(() => "");
  const at = text.lastIndexOf(END);
  if (at < 0 || text.slice(at) !== endOf(text.slice(0, at))) return new Map();
  const sums = new Map<string, number>();
  for (const line of text.slice(0, at).split("\n")) {
    const [, name, sum] = LINE.exec(line) ?? [];
    if (name !== undefined && sum !== undefined) sums.set(name, Number.parseInt(sum, 16));
  }
  return sums;
}

function endOf(lines: string): string {
  return `${END}${digits(crc32(lines))}\n`;
}

/** The sums of a database that is open; a class because it knows what was written. */
export class TableSums {
  readonly #folder: string;
  readonly #sums: Map<string, number>;
  #isChanged = false;

  constructor(folder: string, known: KnownSums) {
    this.#folder = folder;
    this.#sums = new Map(known);
  }

  has(name: string): boolean {
    return this.#sums.has(name);
  }

  /** Whether a table is known, and as it was. */
  isKnown(name: string, bytes: Uint8Array): boolean {
    const sum = this.#sums.get(name);
    return sum !== undefined && sum === tableSum(bytes);
  }

  /** A table was compared with its checksums. */
  note(name: string, bytes: Uint8Array): void {
    this.#sums.set(name, tableSum(bytes));
    this.#isChanged = true;
  }

  /** A table is gone. */
  forget(name: string): void {
    this.#sums.delete(name);
  }

  /** Writes them, for the next start. Nothing builds on them: they are not flushed. */
  async save(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const lines = [...this.#sums].map(([name, sum]) => `${name} ${digits(sum)}\n`).join("");
    const draft = join(this.#folder, DRAFT);
    try {
      await writeFile(draft, lines + endOf(lines), { mode: OWNER_ONLY });
      await rename(draft, join(this.#folder, FILE));
    } catch (cause) {
      this.#isChanged = true;
      await rm(draft, { force: true });
      throw cause;
    }
  }
}
