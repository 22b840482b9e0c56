/** The nodes that a tab runs, wired over the ports of a browser. */
import type { NodeId } from "../../core/bytes/ids.ts";
import { invariant } from "../../core/fault/invariant.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import { NEWEST_VERSION, type Version } from "../../core/model/version.ts";
import type { NodeOptions, RunningNode } from "../../core/node/create-node.ts";
import type { Compute } from "../../core/ports/compute.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Network, PeerInfo } from "../../core/ports/network.ts";
import {
  DEV_BLOCK_TIME_MS,
  DEV_CHAIN_ID,
  DEV_ROUNDS_PER_RECORD,
  devGenesis,
} from "../shared/dev/dev-genesis.ts";
import { createInPlaceNode } from "../shared/in-place-node.ts";
import { createMemoryHub } from "../shared/memory-network.ts";
import { createWatchPost, type WatchPost } from "../shared/theatre/live/watch-post.ts";
import { BUILD_INFO } from "../shared/platform/build-info.ts";
import { webClock } from "../shared/platform/web-platform.ts";
import type { TabStorage } from "./tab-storage.ts";
import type { TabRecord } from "./tab-record.ts";
import { nextTurn, turn } from "./turn.ts";

/** Shown as the peers' port: nodes of a chain in the tab listen on none. */
const FIRST_PORT = 30_300;
/** Several nodes share the memory of one worker. */
const ROW_CACHE_BYTES = 8 * 1024 * 1024;

/** What the nodes of a tab share. */
export interface TabMachinery extends Pick<NodeOptions, "suite"> {
  readonly compute: Compute;
  readonly log: Log;
  readonly storage: TabStorage;
  /** Where the nodes are watched from, by their index; filled as they are wired. */
  readonly posts: Map<number, WatchPost>;
}

/** One node of a tab. */
export interface TabNodeParts {
  readonly record: TabRecord;
  readonly index: number;
  readonly privateKey: Uint8Array;
  readonly network: Network;
  readonly chainId: number;
  readonly supportedVersion: Version;
  readonly listen: Omit<PeerInfo, "nodeId">;
  readonly genesis: readonly GenesisConfig[];
  /** Least time between blocks; as the group's own settings have it when absent. */
  readonly blockTimeMs?: number;
  /** Empty rounds that share a record; 1 when absent. */
  readonly roundsPerRecord?: number;
}

/** Wires a node; it is not started. */
export async function createTabNode(
  machinery: TabMachinery,
  parts: TabNodeParts,
): Promise<RunningNode> {
  const { suite, compute, log, storage } = machinery;
  const { record, index, privateKey, network, chainId, supportedVersion, listen } = parts;
  const post = createWatchPost({ suite, chainId, clock: webClock });
  machinery.posts.set(index, post);
  const node = createInPlaceNode(
    {
      build: BUILD_INFO,
      chainId,
      supportedVersion,
      suite,
      privateKey,
      listen,
      genesis: parts.genesis,
      roundsPerRecord: parts.roundsPerRecord ?? 1,
      blockTimeMs: parts.blockTimeMs,
      rowCacheBytes: ROW_CACHE_BYTES,
      inspect: post.gallery,
    },
    {
      log,
      compute,
      network: post.tap(network),
      files: await storage.openFiles(record, index),
      openStore: (groupId) => storage.openStore(record, index, groupId),
      pause: turn,
    },
  );
  post.attach(node);
  return node;
}

/** The nodes of a chain that lies in the tab alone, joined in memory; none is started. */
export async function createTabChain(
  machinery: TabMachinery,
  record: TabRecord,
  keys: readonly Uint8Array[],
): Promise<readonly RunningNode[]> {
  const hub = createMemoryHub({ schedule: nextTurn });
  const sealers = record.nodeIds as readonly NodeId[];
  const genesis = [devGenesis({ ...record, sealers })];
  const nodes: RunningNode[] = [];
  for (const [index, privateKey] of keys.entries()) {
    const self = sealers[index];
    invariant(self, "each node has a key");
    const endpoint = `127.0.0.1:${FIRST_PORT + index}`;
    const listen = { endpoint, agency: "tab", node: `node${index}`, topics: [] };
    const parts: TabNodeParts = {
      record,
      index,
      privateKey,
      network: hub.join(self, listen),
      chainId: DEV_CHAIN_ID,
      supportedVersion: NEWEST_VERSION,
      listen,
      genesis,
      blockTimeMs: DEV_BLOCK_TIME_MS,
      roundsPerRecord: DEV_ROUNDS_PER_RECORD,
    };
    nodes.push(await createTabNode(machinery, parts));
  }
  return nodes;
}
