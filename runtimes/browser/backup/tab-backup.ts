/** A group of this browser as a snapshot, and the chain file that goes with it. */
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { NEWEST_VERSION, parseVersion, type Version } from "../../../core/model/version.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Store } from "../../../core/ports/store.ts";
import { writeGenesisFile } from "../../formats/config/genesis-file.ts";
import { genesisOfMark } from "../../shared/ledger-check/genesis-mark.ts";
import type { SnapshotSums } from "../../shared/snapshot/content.ts";
import { writeSnapshot } from "../../shared/snapshot/write-snapshot.ts";
import type { TabRecord } from "../tab-record.ts";
import { fileDigits, type NodeFiles } from "./chain-file.ts";

/** By which rules a ledger of this browser was written. */
export interface LedgerRules {
  readonly suite: CryptoSuite;
  readonly version: Version;
}

/** The compatibility version of a chain of this browser. */
export function versionOf({ join }: TabRecord): Version {
  const said = join?.supportedVersion;
  return (said === undefined ? undefined : parseVersion(said)) ?? NEWEST_VERSION;
}

/** A ledger of this browser, as nobody changes it. */
export interface LedgerView extends LedgerRules {
  readonly store: Store;
}

/** The pieces of a snapshot, of about a MiB each; returns its sums. */
export async function* backupPieces(
  view: LedgerView,
  record: TabRecord,
  groupId: number,
): AsyncGenerator<Uint8Array, SnapshotSums> {
  const genesis = await genesisOfMark(view);
  const consensusType = genesis?.consensusType ?? record.consensus;
  const facts = { chainId: record.chainId, groupId, consensusType };
  return yield* writeSnapshot({ ...view, ...facts, progress: () => undefined });
}

/**
 * The genesis file of a group, which a Node server wants besides the snapshot; undefined when block
 * 0 does not tell it.
 */
export async function genesisText(view: LedgerView): Promise<string | undefined> {
  const genesis = await genesisOfMark(view);
  return genesis && writeGenesisFile(genesis);
}

/** All small files of a node. */
export async function readFiles(files: Files): Promise<NodeFiles> {
  const found: Record<string, string> = {};
  const walk = async (folder: string): Promise<void> => {
    for (const name of await files.list(folder)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const bytes = await files.read(path);
      if (bytes) found[path] = fileDigits.write(bytes);
      else await walk(path);
    }
  };
  await walk("");
  return found;
}
