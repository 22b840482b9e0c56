/**
 * Whether every byte of a LevelDB database is as it was written. To be asked before it is opened:
 * opening drops what cannot be read, and writes new tables. Source: storage 13
 */
import { accessSync, constants, statSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../../folder/durable-folder.ts";
import { ABSENT, type Report } from "../../../shared/ledger-check/defect.ts";
import { bytesAt, type Checksum, createChecksum, type FileFindings } from "./file-look.ts";
import { LevelReader } from "./level-reader.ts";
import { logRecords } from "./log-records.ts";
import { applyChange, type LiveFiles, noFiles } from "./manifest.ts";
import { tableDefects } from "./table-file.ts";

interface DatabaseFilesOptions {
  /** Of the database, which no process has open. */
  readonly folder: string;
  readonly report: Report;
  /** Takes the sentence about a write that was cut short: no damage. */
  readonly note: (sentence: string) => void;
  readonly progress?: (place: string) => void;
  /** Of tables only whether they are there, and as long as they were. */
  readonly tablesBySize?: boolean;
  /** Takes an end of the newest log of which only that can be told. */
  readonly uncertain?: (what: string) => void;
}

const LOG = /^(\d+)\.log$/;
const TABLE = /^(\d+)\.(ldb|sst)$/;
const MANIFEST = /^(MANIFEST-\d+)\n$/;

/** A look at one database; a class because its parts share the checksum. */
class DatabaseCheck {
  readonly #options: DatabaseFilesOptions;
  readonly #checksum: Checksum;
  #files = 0;

  constructor(options: DatabaseFilesOptions, checksum: Checksum) {
    this.#options = options;
    this.#checksum = checksum;
  }

  async run(): Promise<DatabaseFiles> {
    const live = await this.#manifest();
    if (live) {
      const names = await readdir(this.#options.folder);
      await this.#tables(names, live.tables);
      await this.#logs(names, live);
    }
    return { count: this.#files, tables: live?.tables ?? new Map() };
  }

  #damaged(file: string, what: string, [stored, expected]: readonly [string, string]): void {
    const place = { block: undefined, kind: "file", what: `${file}: ${what}` } as const;
    this.#options.report({ ...place, stored, expected });
  }

  /** Examines a file; what the disk cannot give is damage of the file. */
  async #examine(name: string, work: (path: string) => Promise<void> | void): Promise<void> {
    this.#files += 1;
    this.#options.progress?.(`file ${name}`);
    try {
      await work(join(this.#options.folder, name));
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
      this.#damaged(name, "what the disk gives", [codeOf(cause), "readable data"]);
    }
  }

  /** Lends a file. */
  #with(name: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
    return this.#examine(name, async (path) => {
      const file = await open(path, "r");
      await work(file).finally(() => file.close());
    });
  }

  /** An unfinished end is one of the newest log, and damage of any other. */
  #findings(name: string, isNewest: boolean): FileFindings {
    const damaged: FileFindings["damaged"] = (what, pair) => this.#damaged(name, what, pair);
    const { uncertain } = this.#options;
    return {
      damaged,
      ...(uncertain && isNewest ? { uncertain: (what) => uncertain(`${name}: ${what}`) } : {}),
      unfinished: (bytes) => {
        if (!isNewest) return damaged("its end", [`${bytes} bytes of a record`, "a whole record"]);
        const cause = "of a write that was cut short, as by a power failure; they do not count";
        this.#options.note(`${name} ends with ${bytes} bytes ${cause}`);
      },
    };
  }

  async #manifest(): Promise<LiveFiles | undefined> {
    const { folder } = this.#options;
    this.#files += 1;
    const current = await readFile(join(folder, "CURRENT"), "latin1").catch(() => undefined);
    const name = MANIFEST.exec(current ?? "")?.[1];
    const isThere = name !== undefined && (await stat(join(folder, name)).catch(() => undefined));
    if (name === undefined || !isThere) {
      const stored = current === undefined ? ABSENT : JSON.stringify(current.slice(0, 40));
      this.#damaged("CURRENT", "its text", [stored, "the name of the manifest"]);
      return undefined;
    }
    const live = noFiles();
    let isWhole = true;
    await this.#with(name, async (file) => {
      // Its end is synced before anything builds on it: nothing of it may differ.
      const { uncertain: _, ...findings } = this.#findings(name, true);
      const damaged: FileFindings["damaged"] = (what, pair) => {
        isWhole = false;
        findings.damaged(what, pair);
      };
      const kept = { ...findings, damaged };
      const look = { file, checksum: this.#checksum, findings: kept };
      let changes = 0;
      for await (const record of logRecords(look)) {
        changes += 1;
        if (!applyChange(record, live)) damaged("a change", ["does not decode", "a change"]);
      }
      if (changes === 0) damaged("its content", ["no whole record", "the list of the files"]);
    });
    return isWhole ? live : undefined;
  }

  async #tables(names: readonly string[], tables: LiveFiles["tables"]): Promise<void> {
    const { tablesBySize } = this.#options;
    const present = new Map(names.map((name) => [Number(TABLE.exec(name)?.[1] ?? -1), name]));
    for (const [number, { bytes }] of [...tables].sort(([left], [right]) => left - right)) {
      const name = present.get(number);
      if (name === undefined) {
        const lost = `${`${number}`.padStart(6, "0")}.ldb`;
        this.#damaged(lost, "the file", [ABSENT, `${bytes} bytes`]);
        continue;
      }
      // A start looks at hundreds of tables: to ask one by one in the pool takes longer.
      if (tablesBySize)
        await this.#examine(name, (path) => {
          accessSync(path, constants.R_OK);
          this.#length(name, statSync(path), bytes);
        });
      else
        await this.#with(name, async (file) => {
          if (!this.#length(name, await file.stat(), bytes)) return;
          const defects = tableDefects(await bytesAt(file, 0, bytes), this.#checksum);
          for (const [what, ...pair] of defects) this.#damaged(name, what, pair);
        });
    }
  }

  /** Whether a table is as long as it was. */
  #length(name: string, { size }: { readonly size: number }, bytes: number): boolean {
    if (size !== bytes) this.#damaged(name, "its length", [`${size}`, `${bytes}`]);
    return size === bytes;
  }

  async #logs(names: readonly string[], { firstLog, previousLog }: LiveFiles): Promise<void> {
    const numberOf = (name: string) => Number(LOG.exec(name)?.[1] ?? -1);
    const isLive = (number: number) => number >= firstLog || number === previousLog;
    const logs = names
      .filter((name) => LOG.test(name) && isLive(numberOf(name)))
      .sort((left, right) => numberOf(left) - numberOf(right));
    // The manifest names a log only once that is there.
    if (firstLog > 0 && !logs.some((name) => numberOf(name) === firstLog)) {
      const lost = `${`${firstLog}`.padStart(6, "0")}.log`;
      this.#damaged(lost, "the file", [ABSENT, "the newest entries"]);
    }
    let next = 0n;
    for (const name of logs) {
      const findings = this.#findings(name, name === logs.at(-1));
      await this.#with(name, async (file) => {
        for await (const record of logRecords({ file, checksum: this.#checksum, findings })) {
          const { first, count } = readBatch(record);
          // LevelDB ends the process over an entry that it has already.
          if (first < next) findings.damaged("a batch", [`entries from ${first} on`, `${next}`]);
          else next = first + count;
        }
      });
    }
  }
}

/** The numbers of the entries of a batch, which stand in its head: first (8 bytes), count (4). */
function readBatch(record: Uint8Array): { readonly first: bigint; readonly count: bigint } {
  const reader = new LevelReader(record);
  const [low, high] = [reader.u32le(), reader.u32le()];
  return { first: (BigInt(high) << 32n) + BigInt(low), count: BigInt(reader.u32le()) };
}

/** What was looked at. */
export interface DatabaseFiles {
  readonly count: number;
  readonly tables: LiveFiles["tables"];
}

/** Compares all files with their checksums. */
export async function checkDatabaseFiles(options: DatabaseFilesOptions): Promise<DatabaseFiles> {
  return new DatabaseCheck(options, await createChecksum()).run();
}
