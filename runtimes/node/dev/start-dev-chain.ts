/** Starts the nodes of a dev chain and their ports. */
import { join } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import type { Log } from "../../../core/ports/log.ts";
import { type DevAccount, devAccounts } from "../../shared/dev/dev-accounts.ts";
import { DEV_GROUP_ID, devGenesis } from "../../shared/dev/dev-genesis.ts";
import type { PageLists } from "../../shared/http-caller.ts";
import { createMemoryHub } from "../../shared/memory-network.ts";
import { sharedCompute } from "../../shared/shared-compute.ts";
import { Undo } from "../machine/undo.ts";
import type { ChannelPort } from "../server/channel-port.ts";
import type { HttpServer } from "../server/http-server.ts";
import { nodePage, openRpcEnd } from "../server/rpc-end.ts";
import { startMachinery } from "../threads/machinery.ts";
import type { WatchedNode } from "../threads/watched-node.ts";
import { openDevChannels } from "./dev-channel.ts";
import { type DevFolderOptions, openDevFolder } from "./dev-folder.ts";
import { DevJoin, JOIN_PATH } from "./dev-join.ts";
import { makeDevNode } from "./dev-node.ts";
import { ensureNodeKeys } from "./keys.ts";

/** What `chain-node dev` can set of a chain. */
export interface StartOptions extends DevFolderOptions {
  readonly blockTimeMs: number;
  readonly host: string;
  /** Node i listens on port + i; 0 for free ports. */
  readonly port: number;
  /** Ports for SDKs: node i listens on port + i, 0 for free ports; absent: none. */
  readonly channel?: { readonly port: number; readonly rsa: boolean } | undefined;
  readonly lists: PageLists;
  readonly maxBodyBytes: number;
  readonly shareRecovery: boolean;
  readonly log: Log;
  /** Called for each block that node 0 wrote. */
  readonly onBlock?: (block: WrittenBlock) => void;
  /** Called when a node cannot go on. */
  readonly onFailure?: (cause: unknown) => void;
}

/** A started chain with its insides. */
export interface StartedChain {
  readonly nodes: readonly RunningNode[];
  readonly servers: readonly HttpServer[];
  readonly accounts: readonly DevAccount[];
  /** Ports for SDKs, in the order of the nodes. */
  readonly channels: readonly ChannelPort[];
  /** Folder with the files that SDKs connect with. */
  readonly sdk: string | undefined;
  readonly data: string;
  close(): Promise<void>;
}

async function startAll(options: StartOptions, undo: Undo): Promise<StartedChain> {
  const folder = await openDevFolder(options, undo);
  const { path } = folder;
  const { log, onFailure } = options;
  const own = await startMachinery(log, undo, options.sm ? "national" : "standard");
  const { suite, entropy } = own;
  const keys = await ensureNodeKeys(path, options.nodes, suite.name, entropy);
  const sealers = keys.map(({ nodeId }) => nodeId);
  const genesis = devGenesis({ created: folder.marker.created, consensus: "pbft", sealers });
  const hub = createMemoryHub({ schedule: (run) => void setImmediate(run) });
  const compute = options.shareRecovery ? sharedCompute(own.compute) : own.compute;
  const parts = { ...options, path, keys, genesis, hub, machinery: { ...own, compute } };
  const made = keys.map((key, i) => makeDevNode(parts, key, i));
  const nodes = made.map(({ node }) => node);
  const tabs = new DevJoin({ ...parts, networks: made.map(({ network }) => network) });
  const servers = await listenAll(made, options, { tabs, undo });
  for (const node of nodes) {
    // A group that was generated later may fail alone; without its own the chain is over.
    const isOver = (groupId: number | undefined) =>
      groupId === undefined || groupId === DEV_GROUP_ID;
    if (onFailure) node.onFailure((cause, groupId) => isOver(groupId) && onFailure(cause));
    undo.add(() => node.stop());
  }
  // The ports of SDKs are closed before the nodes are.
  const { channel, host, sm } = options;
  const offer = channel && { ...channel, host, path, keys, sm, entropy, now: Date.now(), log };
  const opened = offer && (await openDevChannels(nodes, offer, undo));
  if (options.onBlock) nodes[0]?.onBlock(options.onBlock);
  // All of them: a node that is told to stop while it loads would come up afterwards.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const [i, start] of starts.entries()) {
    if (start.status === "rejected") throw placed(start.reason, join(path, `node${i}`));
  }
  await tabs.reopen();
  return {
    nodes,
    servers,
    accounts: devAccounts(suite),
    channels: opened?.channels ?? [],
    sdk: opened?.sdk,
    data: path,
    close: () => undo.run(),
  };
}

/** A fault of a node's data, with the folder that it is about. */
function placed(cause: unknown, folder: string): unknown {
  if (!(cause instanceof StoreFault) || cause.message.includes(folder)) return cause;
  return new StoreFault(cause.kind, `${folder}: ${cause.message}`, { cause });
}

async function listenAll(
  made: readonly WatchedNode[],
  { host, port, lists, maxBodyBytes, log }: StartOptions,
  { tabs, undo }: { readonly tabs: DevJoin; readonly undo: Undo },
): Promise<readonly HttpServer[]> {
  const servers: HttpServer[] = [];
  const routes = new Map([[JOIN_PATH, tabs.route]]);
  const page = nodePage({ dev: true });
  for (const [i, { node, post }] of made.entries()) {
    const address = { host, port: port === 0 ? 0 : port + i, lists };
    const rpc = { node: node.api, maxBodyBytes, log, page, routes };
    const live = { post, access: "loopback" } as const;
    const { server } = await openRpcEnd({ node, address, rpc, live }, undo);
    servers.push(server);
  }
  return servers;
}

/** Starts a chain; what was begun is undone when a step fails. */
export async function startDevChain(options: StartOptions): Promise<StartedChain> {
  const undo = new Undo();
  try {
    return await startAll(options, undo);
  } catch (cause) {
    await undo.run().catch(() => undefined);
    throw cause;
  }
}
