/** The ports through which a node opens its ledgers, on the threads of its process. */
import { resolve } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Version } from "../../../core/model/version.ts";
import type { LedgerRepair, NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Asker } from "../../../core/ports/asker.ts";
import type { CallRequest } from "../../../core/ports/executor.ts";
import type { Log } from "../../../core/ports/log.ts";
import { markMade, openLedger, openSecond } from "../store/open-ledger.ts";
import { openElsewhere } from "../store/level-files/database-view.ts";
import type { OpenedTables } from "../store/level-files/opened-tables.ts";
import {
  adoptRepaired,
  discardRepaired,
  markDamaged,
  repairFolder,
} from "../store/repaired-ledger.ts";
import type { LevelStore } from "../store/store.ts";
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

interface OpenPlaces extends LedgerPlaces {
  /** The tables of ledgers that are open, by their folders. */
  readonly opened: Map<string, OpenedTables | undefined>;
}

function remember({ opened }: OpenPlaces, store: LevelStore): LevelStore {
  opened.set(store.folder, store.opened);
  return store;
}

/** Opens the executor of a ledger that is open in a folder. */
async function openExecutorIn(
  places: OpenPlaces,
  folder: string,
  ...[genesis, onDeath, { reconfirmCommittee = false } = {}]: Parameters<NodePorts["openExecutor"]>
) {
  const { machinery, version, log } = places;
  const { name: suite } = machinery.suite;
  const opened = places.opened.get(folder);
  const setup = { folder, opened, version, genesis, suite, reconfirmCommittee };
  const calls = machinery.calls.ledger(setup);
  const executor = await openExecutorHost({ setup, calls, threads: machinery.threads, log });
  void executor.died.then(onDeath);
  return {
    ...executor,
    // Its thread has its own way to the store: nobody else learns what a call finds there.
    call: async (request: CallRequest, asker?: Asker) =>
      executor.call(request, asker).catch((cause: unknown) => {
        if (cause instanceof StoreFault && cause.kind === "corrupt") onDeath(cause);
        throw cause;
      }),
  };
}

/** Second ledgers, next to those that are damaged. Source: decision 30 */
function repairPort(places: OpenPlaces): LedgerRepair {
  const folderOf = (groupId: number) => resolve(places.folderOf(groupId));
  return {
    begin: (groupId, cause) => markDamaged(folderOf(groupId), cause),
    openStore: async (groupId) =>
      remember(places, await openSecond(repairFolder(folderOf(groupId)), places.log)),
    openExecutor: (genesis, ...rest) =>
      openExecutorIn(places, repairFolder(folderOf(genesis.groupId)), genesis, ...rest),
    discard: (groupId) => discardRepaired(folderOf(groupId)),
    adopt: (groupId) => adoptRepaired(folderOf(groupId)),
  };
}

/** The ports through which a node opens the ledgers of its groups. */
export function ledgerPorts(given: LedgerPlaces) {
  const places = { ...given, opened: new Map<string, OpenedTables | undefined>() };
  const { machinery, log } = places;
  const folderOf = (groupId: number) => resolve(places.folderOf(groupId));
  return {
    hashLong: (bytes) => bodyHostOf(machinery.suite.name, "chain").hash(bytes),
    examineLong: (raw) => bodyHostOf(machinery.suite.name, "chain").examine(raw),
    openStore: async (groupId) =>
      remember(places, await openLedger(folderOf(groupId), log, machinery.pace)),
    openExecutor: async (genesis, ...rest) => {
      const folder = folderOf(genesis.groupId);
      await markMade(folder);
      return openExecutorIn(places, folder, genesis, ...rest);
    },
    openElsewhere: (groupId) => openElsewhere(folderOf(groupId)),
    repair: repairPort(places),
  } satisfies Partial<NodePorts>;
}
