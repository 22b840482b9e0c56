/** A node whose blocks execute where it runs: in a browser tab, at the edge, in memory. */
import type { BuildInfo } from "../../core/api/node-api.ts";
import type { GroupId } from "../../core/bytes/ids.ts";
import { createBlockProcessor } from "../../core/execution/block-processor.ts";
import { invariant } from "../../core/fault/invariant.ts";
import { bodyKey } from "../../core/ledger/keys.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import { type NodeOptions, RunningNode } from "../../core/node/create-node.ts";
import type { NodePorts } from "../../core/node/options/node-ports.ts";
import type { Store, StoreKey } from "../../core/ports/store.ts";
import { jsonGroupFormat } from "./group-text.ts";
import { webClock, webEntropy } from "./platform/web-platform.ts";

/** What the node is. */
export interface InPlaceNode
  extends Pick<
    NodeOptions,
    "chainId" | "supportedVersion" | "suite" | "privateKey" | "roundsPerRecord"
  > {
  readonly build: BuildInfo;
  readonly listen?: NodeOptions["listen"] | undefined;
  readonly inspect?: NodeOptions["inspect"] | undefined;
  readonly genesis: readonly GenesisConfig[];
  /** Least time between blocks; as the group's own settings have it when absent. */
  readonly blockTimeMs?: number | undefined;
  /** Bound of the cache of committed rows; that of the processor when absent. */
  readonly rowCacheBytes?: number;
}

/** A store that may tell whether there is a value without reading it. */
export type InPlaceStore = Store & { has?(key: StoreKey): Promise<boolean> };

/** What it works through. */
export interface InPlacePorts extends Pick<NodePorts, "log" | "compute" | "network" | "files"> {
  openStore(groupId: GroupId): Promise<InPlaceStore>;
  /** Lets other work of the thread run. */
  readonly pause: () => Promise<void>;
}

/** Wires a node; it is not started. */
export function createInPlaceNode(made: InPlaceNode, ports: InPlacePorts): RunningNode {
  const { genesis, blockTimeMs, rowCacheBytes, listen, inspect, ...identity } = made;
  const { suite, supportedVersion: version } = identity;
  const { openStore, pause, ...others } = ports;
  const pace = blockTimeMs === undefined ? {} : { minBlockGenerationTimeMs: blockTimeMs };
  const folders = { config: "conf/", data: "data/" };
  const groups = { folders, format: jsonGroupFormat(pace), fixed: genesis };
  const stores = new Map<GroupId, InPlaceStore>();
  return new RunningNode(
    { ...identity, groups, ...(listen ? { listen } : {}), ...(inspect ? { inspect } : {}) },
    {
      ...others,
      clock: webClock,
      entropy: webEntropy,
      openStore: async (groupId) => {
        const store = await openStore(groupId);
        stores.set(groupId, store);
        return store;
      },
      openExecutor: async (of, _onDeath, { reconfirmCommittee = false } = {}) => {
        const store = stores.get(of.groupId);
        invariant(store, "a group's store is open before its executor");
        const rules = { suite, version, genesis: of, reconfirmCommittee, pause };
        return createBlockProcessor({
          ...rules,
          store,
          ...(rowCacheBytes === undefined ? {} : { rowCacheBytes }),
          hasBody: (unexecuted) => isIn(store, bodyKey(unexecuted)),
        });
      },
    },
  );
}

async function isIn(store: InPlaceStore, key: StoreKey): Promise<boolean> {
  return store.has ? await store.has(key) : (await store.load(key)) !== undefined;
}
