/** The ports through which a node opens its ledgers, on the threads of its process. */
import { resolve } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Version } from "../../../core/model/version.ts";
import type { LedgerRepair, NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createDiskFiles } from "../../folder/disk-files.ts";
import { MADE_MARK } from "../store/copy-guard.ts";
import { settleLedger } from "../store/installed-ledger.ts";
import {
  adoptRepaired,
  discardRepaired,
  markDamaged,
  refuseDamaged,
  repairFolder,
} from "../store/repaired-ledger.ts";
import { checkBeforeOpening } from "../store/start-check.ts";
import { openLevelStore } from "../store/store.ts";
import { bodyHostOf } from "./body-host.ts";
import { openExecutorHost } from "./executor-host.ts";
import type { Machinery } from "./machinery.ts";

/**
 * A mark stands beside a ledger once that has its genesis block. A ledger that is gone, with the
 * votes that this node's key has given, must not begin anew unnoticed: the node could vote twice.
 * Source: pbft 16.2; decision 25
 */
function lost(folder: string, mark: string): StoreFault {
  const next = `Restore it from a copy: ${mark} says that it was there and that its node voted`;
  return new StoreFault("corrupt", `${folder} holds no ledger any more. ${next}`);
}

/** Where the ledgers of a node are, and with what they run. */
export interface LedgerPlaces {
  readonly machinery: Machinery;
  readonly version: Version;
  readonly log: Log;
  folderOf(groupId: number): string;
}

/** Opens the executor of a ledger that is in a folder. */
async function openExecutorIn(
  places: LedgerPlaces,
  folder: string,
  ...[genesis, onDeath, { reconfirmCommittee = false } = {}]: Parameters<NodePorts["openExecutor"]>
) {
  const { machinery, version, log } = places;
  const { name: suite } = machinery.suite;
  const setup = { folder, version, genesis, suite, reconfirmCommittee };
  const calls = machinery.calls.ledger(setup);
  const executor = await openExecutorHost({ setup, calls, threads: machinery.threads, log });
  void executor.died.then(onDeath);
  return executor;
}

function checkStore(folder: string, log: Log): Promise<void> {
  return checkBeforeOpening(folder, (note) => {
    log.write("warning", "the log of a database has an end that does not count", { note });
  });
}

/** Second ledgers, beside those that are damaged. Source: decision 30 */
function repairPort(places: LedgerPlaces): LedgerRepair {
  const folderOf = (groupId: number) => resolve(places.folderOf(groupId));
  return {
    begin: (groupId, cause) => markDamaged(folderOf(groupId), cause),
    openStore: async (groupId) => {
      const folder = repairFolder(folderOf(groupId));
      await checkStore(folder, places.log);
      return openLevelStore(folder, { create: true });
    },
    openExecutor: (genesis, ...rest) =>
      openExecutorIn(places, repairFolder(folderOf(genesis.groupId)), genesis, ...rest),
    discard: (groupId) => discardRepaired(folderOf(groupId)),
    adopt: (groupId) => adoptRepaired(folderOf(groupId)),
  };
}

/** The ports through which a node opens the ledgers of its groups. */
export function ledgerPorts(
  places: LedgerPlaces,
): Pick<NodePorts, "openStore" | "openExecutor" | "hashLong" | "examineLong" | "repair"> {
  const { machinery, log } = places;
  const files = createDiskFiles(".");
  return {
    hashLong: (bytes) => bodyHostOf(machinery.suite.name).hash(bytes),
    examineLong: (raw) => bodyHostOf(machinery.suite.name).examine(raw),
    openStore: async (groupId) => {
      const folder = resolve(places.folderOf(groupId));
      await settleLedger(folder);
      await refuseDamaged(folder);
      const mark = `${folder}${MADE_MARK}`;
      const create = (await files.read(mark)) === undefined;
      await checkStore(folder, log);
      return openLevelStore(folder, { create }).catch((cause: unknown) => {
        const isLost = !create && cause instanceof StoreFault && cause.kind === "foreign";
        throw isLost ? lost(folder, mark) : cause;
      });
    },
    openExecutor: async (genesis, ...rest) => {
      const folder = resolve(places.folderOf(genesis.groupId));
      const mark = `${folder}${MADE_MARK}`;
      if ((await files.read(mark)) === undefined) await files.write(mark, new Uint8Array(0));
      return openExecutorIn(places, folder, genesis, ...rest);
    },
    repair: repairPort(places),
  };
}
