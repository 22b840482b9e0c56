/**
 * What is looked at before the database of a group is opened: opening drops what its log lost, and
 * starts as if nothing had been there. Source: decision 30
 */
import { join } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { isFile } from "./folder-presence.ts";
import { checkDatabaseFiles, type DatabaseFiles } from "./level-files/database-files.ts";

interface StartCheckOptions {
  /** Takes the sentence about an end that does not count. */
  readonly note: (sentence: string) => void;
  /** Whether all of the tables is looked at: they may have ended a process that read them. */
  readonly wholeTables: boolean;
}

/**
 * Compares manifest and log with their checksums, tables with their lengths. An end of the log that
 * is not as it was written is no fault: a failure of power leaves that of what was promised to
 * nobody.
 * @returns the tables, which are to be compared before they are read
 * @throws StoreFault corrupt, with file and place
 */
export async function checkBeforeOpening(
  folder: string,
  { note, wholeTables }: StartCheckOptions,
): Promise<DatabaseFiles["tables"]> {
  if (!(await isFile(join(folder, "CURRENT")))) return new Map();
  let first: string | undefined;
  const { tables } = await checkDatabaseFiles({
    folder,
    tablesBySize: !wholeTables,
    note,
    report: ({ what, stored, expected }) => {
      first ??= `${what} is ${stored}, not ${expected}`;
    },
    uncertain: (what) =>
      note(`${what} is not as it was written, and is the end: it does not count`),
  });
  if (first !== undefined)
    throw new StoreFault(
      "corrupt",
      `${folder} holds a damaged database: ${first}. chain-node check says all that is damaged`,
    );
  return tables;
}
