/** A chain of one node in memory: what the benchmark tool measures in its own process. */
import { nodeIdOf } from "../../core/bytes/hex.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import type { RunningNode } from "../../core/node/create-node.ts";
import type { BuildInfo } from "../../core/api/node-api.ts";
import { openMemoryStore } from "../../core/storage/memory-store.ts";
import type { Store } from "../../core/ports/store.ts";
import { DEV_BLOCK_TIME_MS, DEV_CHAIN_ID, devGenesis } from "./dev/dev-genesis.ts";
import { createHttpApp, type HttpApp } from "./http-app.ts";
import { createInPlaceNode } from "./in-place-node.ts";
import { createInlineCompute } from "./inline-compute.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { createMemoryHub } from "./memory-network.ts";
import { consoleLog, laterTurn, webClock, webEntropy } from "./platform/web-platform.ts";
import { createWebSuite } from "./platform/web-suite.ts";

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** A node that is running, and its endpoint. */
export interface MemoryNode {
  readonly node: RunningNode;
  readonly http: HttpApp;
}

/** Starts a node with a fresh key; the chain lives as long as the process. */
export async function startMemoryNode(build: BuildInfo): Promise<MemoryNode> {
  const suite = await createWebSuite("standard");
  const privateKey = webEntropy.bytes(32);
  const nodeId = nodeIdOf(suite.publicKey(privateKey));
  const created = webClock.now();
  const genesis = devGenesis({ created, consensus: "pbft", sealers: [nodeId] });
  const peer = { endpoint: "127.0.0.1:0", agency: "memory", node: "node0", topics: [] };
  const node = createInPlaceNode(
    {
      build,
      chainId: DEV_CHAIN_ID,
      supportedVersion: NEWEST_VERSION,
      suite,
      privateKey,
      genesis: [genesis],
      blockTimeMs: DEV_BLOCK_TIME_MS,
    },
    {
      log: consoleLog,
      compute: createInlineCompute(suite, { schedule: laterTurn }),
      network: createMemoryHub({ schedule: laterTurn }).join(nodeId, peer),
      files: createMemoryFiles(),
      openStore: memoryStores(),
      pause: () => new Promise<void>(laterTurn),
    },
  );
  await node.start();
  const http = createHttpApp({ node: node.api, maxBodyBytes: MAX_BODY_BYTES, log: consoleLog });
  return { node, http };
}

/** One store per group; its data outlives a stop of the group. */
function memoryStores(): (groupId: number) => Promise<Store> {
  const stores = new Map<number, Store>();
  return async (groupId) => {
    const known = stores.get(groupId);
    if (known) return known;
    const store: Store = { ...openMemoryStore(), close: async () => undefined };
    stores.set(groupId, store);
    return store;
  };
}
