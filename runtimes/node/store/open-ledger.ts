/** Opens the ledger of a group: what was begun is finished, what the disk lost is told. */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { PassPace } from "../../shared/checksums/background-pass.ts";
import { createDiskFiles } from "../../folder/disk-files.ts";
import { MADE_MARK } from "./copy-guard.ts";
import { settleLedger } from "./installed-ledger.ts";
import { keepTables, type OpenedTables, wasCutShort } from "./level-files/opened-tables.ts";
import { refuseDamaged } from "./repaired-ledger.ts";
import { checkBeforeOpening } from "./start-check.ts";
import { type LevelStore, openLevelStore } from "./store.ts";

const files = createDiskFiles(".");

/**
 * A mark stands beside a ledger once that has its genesis block. A ledger that is gone, with the
 * votes that this node's key has given, must not begin anew unnoticed: the node could vote twice.
 * Source: pbft 16.2; decision 25
 */
function lost(folder: string, mark: string): StoreFault {
  const next = `Restore it from a copy: ${mark} says that it was there and that its node voted`;
  return new StoreFault("corrupt", `${folder} holds no ledger any more. ${next}`);
}

async function checkFiles(folder: string, log: Log): Promise<OpenedTables> {
  const tables = await checkBeforeOpening(folder, {
    note: (note) =>
      log.write("warning", "the log of a database has an end that does not count", { note }),
    wholeTables: await wasCutShort(folder),
  });
  return keepTables(folder, tables);
}

/** Opens the ledger that is built beside a damaged one. @throws StoreFault */
export async function openSecond(folder: string, log: Log): Promise<LevelStore> {
  const opened = await checkFiles(folder, log);
  return openLevelStore(folder, { create: true, opened });
}

/**
 * The ledger is made when it never was there.
 * @param pace of the look through all of it that goes on in the background
 * @throws StoreFault
 */
export async function openLedger(
  folder: string,
  log: Log,
  pace: PassPace = {},
): Promise<LevelStore> {
  await settleLedger(folder);
  await refuseDamaged(folder);
  const mark = `${folder}${MADE_MARK}`;
  const create = (await files.read(mark)) === undefined;
  const opened = await checkFiles(folder, log);
  return openLevelStore(folder, { create, pace, opened }).catch((cause: unknown) => {
    const isLost = !create && cause instanceof StoreFault && cause.kind === "foreign";
    throw isLost ? lost(folder, mark) : cause;
  });
}

/** The ledger has its genesis block: from now on it is missed when it is gone. */
export async function markMade(folder: string): Promise<void> {
  const mark = `${folder}${MADE_MARK}`;
  if ((await files.read(mark)) === undefined) await files.write(mark, new Uint8Array(0));
}
