/** The ports through which a node opens its ledgers, on the threads of its process. */
import { resolve } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Version } from "../../../core/model/version.ts";
import type { LedgerRepair, NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Asker } from "../../../core/ports/asker.ts";
import type { CallRequest } from "../../../core/ports/executor.ts";
import type { Log } from "../../../core/ports/log.ts";
import { markMade, openLedger, openSecond } from "../store/open-ledger.ts";
import {
  adoptRepaired,
  discardRepaired,
  markDamaged,
  repairFolder,
} from "../store/repaired-ledger.ts";
import { bodyHostOf } from "./body-host.ts";
import { openExecutorHost } from "./executor-host.ts";
import type { Machinery } from "./machinery.ts";

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
  return {
    ...executor,
    // Its thread has its own way to the store: nobody else hears what a call finds there.
    call: async (request: CallRequest, asker?: Asker) =>
      executor.call(request, asker).catch((cause: unknown) => {
        if (cause instanceof StoreFault && cause.kind === "corrupt") onDeath(cause);
        throw cause;
      }),
  };
}

/** Second ledgers, beside those that are damaged. Source: decision 30 */
function repairPort(places: LedgerPlaces): LedgerRepair {
  const folderOf = (groupId: number) => resolve(places.folderOf(groupId));
  return {
    begin: (groupId, cause) => markDamaged(folderOf(groupId), cause),
    openStore: (groupId) => openSecond(repairFolder(folderOf(groupId)), places.log),
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
  return {
    hashLong: (bytes) => bodyHostOf(machinery.suite.name, "chain").hash(bytes),
    examineLong: (raw) => bodyHostOf(machinery.suite.name, "chain").examine(raw),
    openStore: (groupId) => openLedger(resolve(places.folderOf(groupId)), log, machinery.pace),
    openExecutor: async (genesis, ...rest) => {
      const folder = resolve(places.folderOf(genesis.groupId));
      await markMade(folder);
      return openExecutorIn(places, folder, genesis, ...rest);
    },
    repair: repairPort(places),
  };
}
