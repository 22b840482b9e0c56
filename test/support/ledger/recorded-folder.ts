/** A node's folder whose ledger is a short recorded chain: no node has to run for it. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { Store } from "../../../core/ports/store.ts";
import { writeGenesisFile } from "../../../runtimes/formats/config/genesis-file.ts";
import { openLevelStore } from "../../../runtimes/node/store/store.ts";
import { LedgerReplay } from "../../../runtimes/shared/ledger-file/ledger-replay.ts";
import { readRecordedBlock } from "../../../runtimes/shared/ledger-file/recorded-block.ts";
import { RECORD_GENESIS, signedRecord } from "./signed-record.ts";
import { STANDARD_SUITE } from "../suites.ts";

/** Writes the blocks of the record into an empty store. */
export async function fillStore(store: Store): Promise<void> {
  const options = { store, suite: STANDARD_SUITE, version: NEWEST_VERSION };
  const replay = await LedgerReplay.open({ ...options, genesis: RECORD_GENESIS });
  for (const [i, line] of (await signedRecord()).entries())
    await replay.next(readRecordedBlock(line, i + 1));
}

/** A folder with config.ini and the genesis file of group 1, and no data. */
export async function emptyNodeFolder(parent: string, name: string): Promise<string> {
  const home = join(parent, name);
  await mkdir(join(home, "conf"), { recursive: true });
  const ini = ["[compatibility]", "supported_version=2.11.1", "[chain]", "id=1"];
  await writeFile(join(home, "config.ini"), `${ini.join("\n")}\n`);
  await writeFile(join(home, "conf", "group.1.genesis"), writeGenesisFile(RECORD_GENESIS));
  return home;
}

/** The database of group 1 in such a folder. */
export function databaseOf(home: string): string {
  return join(home, "data", "group1", "block");
}

/** Such a folder with the ledger of the record. */
export async function recordedNodeFolder(parent: string, name: string): Promise<string> {
  const home = await emptyNodeFolder(parent, name);
  const store = await openLevelStore(databaseOf(home), { create: true });
  await fillStore(store).finally(() => store.close());
  return home;
}

/** A folder for tests, below the system's for temporary files. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "chain-node-folder-"));
}
