/**
 * A whole chain in this process: nodes with own keys, stores and RPC ports. The package's export.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invariant } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { createNode, type RunningNode } from "../../../core/node/create-node.ts";
import type { GroupFormat } from "../../../core/node/group/group-files.ts";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import type { Compute } from "../../../core/ports/compute.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createPace } from "../../../core/rpc/pace.ts";
import { type ConfigWarning, warningText } from "../../formats/config/config-fault.ts";
import { createDiskFiles } from "../../folder/disk-files.ts";
import { iniGroupFormat } from "../../formats/config/group-ini-format.ts";
import {
  DEV_BLOCK_TIME_MS,
  DEV_CHAIN_ID,
  DEV_ROUNDS_PER_RECORD,
  DEV_GROUP_ID,
  devGenesis,
} from "../../shared/dev/dev-genesis.ts";
import { NOTHING_LISTED, type PageLists } from "../../shared/http-caller.ts";
import { createHttpApp } from "../../shared/http-app.ts";
import { createJointNetwork, type JointNetwork } from "../../shared/joint-network.ts";
import { createMemoryHub, type MemoryPeer } from "../../shared/memory-network.ts";
import { sharedCompute } from "../../shared/shared-compute.ts";
import { createWatchPost, type WatchPost } from "../../shared/theatre/live/watch-post.ts";
import { BUILD_INFO } from "../machine/build-info.ts";
import type { ChannelPort } from "../server/channel-port.ts";
import { createNodeClock } from "../machine/clock.ts";
import { type DataFolder, openDataFolder } from "../store/data-folder.ts";
import { type DevAccount, devAccounts } from "../../shared/dev/dev-accounts.ts";
import { ensureDevCertificates, openDevChannels } from "./dev-channel.ts";
import { LONGEST_BLOCK_TIME_MS, MOST_NODES } from "./dev-limits.ts";
import { createDevJoin, type DevJoin, JOIN_PATH } from "./dev-join.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { complainOfCuts } from "../server/http-load.ts";
import { type HttpServer, serve } from "../server/http-server.ts";
import { ensureNodeKey, type NodeKey } from "./keys.ts";
import { createLog, logWith } from "../log/log.ts";
import { ledgerPorts, type Machinery, startMachinery } from "../threads/machinery.ts";
import { compilerPaths } from "../server/compilers.ts";
import { withLiveView } from "../server/live-end.ts";
import { createPage } from "../server/page.ts";
import { Undo } from "../machine/undo.ts";
import { createWebSocketEnd } from "../server/websocket.ts";

/** Shown as the peers' port: nodes of a dev chain are joined in memory and listen on none. */
const DEV_P2P_PORT = 30_300;
/** File that fixes what a dev chain was made with. */
const CHAIN_FILE = "chain.json";

/** Options of {@link createDevChain}. */
export interface DevChainOptions {
  /** Number of nodes, 1 to 16; 4 when absent. */
  readonly nodes?: number;
  /** Data folder; a temporary one when absent. */
  readonly dataDir?: string;
  /** Remove the data at the end; true unless `dataDir` is given. */
  readonly ephemeral?: boolean;
  /** Least time between blocks in milliseconds, 0 to 999; 100 when absent. */
  readonly blockTimeMs?: number;
  /** The national algorithms SM2 and SM3 in place of secp256k1 and Keccak; false when absent. */
  readonly sm?: boolean;
  /** Opens a port for SDKs at each node; false when absent. */
  readonly channel?: boolean | { readonly rsa: boolean };
}

/** One node of a dev chain. */
export interface DevNode {
  readonly nodeId: string;
  readonly rpcUrl: string;
  /** Where SDKs connect, `host:port`; undefined unless it was asked for. */
  readonly channel: string | undefined;
  /** Sends a JSON-RPC request; throws an Error with `code` on an error answer. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** A running dev chain. */
export interface DevChain {
  readonly chainId: number;
  readonly groupId: number;
  readonly accounts: readonly DevAccount[];
  /** RPC URL of node 0. */
  readonly rpcUrl: string;
  readonly nodes: readonly DevNode[];
  /** Folder with ca.crt, sdk.crt and sdk.key; undefined without ports for SDKs. */
  readonly sdk: string | undefined;
  /** As {@link DevNode.request} on node 0. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

/** What `chain-node dev` can set beyond {@link DevChainOptions}. */
export interface StartOptions {
  readonly nodes: number;
  readonly data: string | undefined;
  readonly ephemeral: boolean;
  readonly blockTimeMs: number;
  /** Whether the chain is of the national suite. */
  readonly sm: boolean;
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

/** An error answer of a node, thrown by `request`. */
export class RpcAnswerError extends Error {
  override readonly name = "RpcAnswerError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the first start of a chain settles: the keys of its nodes are in the genesis block. */
type ChainKind = Pick<StartOptions, "nodes" | "sm">;

/** Refuses to continue a chain as one of another size or suite. */
async function requireSameChain(folder: DataFolder, { nodes, sm }: ChainKind): Promise<void> {
  const file = join(folder.path, CHAIN_FILE);
  // Also when an earlier start ended right after the folder was marked: no key depends on it yet.
  const hasNodes = (await readdir(folder.path)).some((name) => /^node\d+$/.test(name));
  if (!hasNodes) {
    await writeFile(file, `${JSON.stringify(sm ? { nodes, sm } : { nodes })}\n`);
    return;
  }
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new StoreFault("corrupt", `${file} cannot be read`, { cause });
  });
  const [, made, national] = /^\{"nodes":(\d+)(,"sm":true)?\}\s*$/.exec(text) ?? [];
  if (made === undefined) throw new StoreFault("corrupt", `${file} is damaged`);
  if ((national !== undefined) !== sm)
    throw new StoreFault(
      "foreign",
      `${folder.path} holds a chain of the ${sm ? "standard" : "national"} suite; ` +
        `start ${sm ? "without" : "with"} --sm to continue it, or with --reset to start over`,
    );
  if (Number(made) !== nodes)
    throw new StoreFault(
      "foreign",
      `${folder.path} holds a chain of ${made} node${made === "1" ? "" : "s"}, not ${nodes}; ` +
        `start with --nodes ${made} to continue it, or with --reset to start over`,
    );
}

interface Shared {
  readonly machinery: Machinery;
  /** In the order of the nodes. */
  readonly networks: readonly JointNetwork[];
  readonly genesis: GenesisConfig;
  readonly folder: DataFolder;
  readonly options: StartOptions;
}

/** What peers are told about a node of the chain. */
function devPeer(index: number): MemoryPeer {
  const endpoint = `127.0.0.1:${DEV_P2P_PORT + index}`;
  return { endpoint, agency: "dev", node: `node${index}`, topics: [] };
}

/** A node and where it is watched from. */
interface WiredNode {
  readonly node: RunningNode;
  readonly post: WatchPost;
}

function wireNode(shared: Shared, key: NodeKey, index: number): WiredNode {
  const { machinery, networks, genesis, folder, options } = shared;
  const { suite } = machinery;
  const clock = createNodeClock();
  const post = createWatchPost({ suite, chainId: DEV_CHAIN_ID, clock });
  const home = join(folder.path, `node${index}`);
  const log = logWith(options.log, { node: index });
  const listen = devPeer(index);
  const network = networks[index];
  invariant(network, "each node has a network");
  const node = createNode(
    {
      build: BUILD_INFO,
      chainId: DEV_CHAIN_ID,
      supportedVersion: NEWEST_VERSION,
      suite,
      privateKey: key.privateKey,
      listen,
      roundsPerRecord: DEV_ROUNDS_PER_RECORD,
      inspect: post.gallery,
      groups: {
        folders: { config: "conf/", data: "" },
        format: devFormat(options.blockTimeMs, log),
        fixed: [genesis],
      },
    },
    {
      clock,
      entropy: machinery.entropy,
      log,
      compute: options.shareRecovery ? machinery.compute : freshCompute(machinery),
      network: post.tap(network),
      files: createDiskFiles(home),
      ...ledgerPorts({
        machinery,
        version: NEWEST_VERSION,
        log,
        folderOf: (groupId) => join(home, `group${groupId}`),
      }),
    },
  );
  post.attach(node);
  return { node, post };
}

/** As the files of any node, but the block time of the command line counts in all groups. */
function devFormat(blockTimeMs: number, log: Log): GroupFormat {
  const onWarning = (warning: ConfigWarning) => log.write(warning.level, warningText(warning));
  const ini = iniGroupFormat(onWarning, NEWEST_VERSION);
  const pace = { minBlockGenerationTimeMs: blockTimeMs };
  return {
    ...ini,
    readTuning: (text, path, genesis) => ({ ...ini.readTuning(text, path, genesis), ...pace }),
  };
}

/** A compute port of one node's own, for measuring without shared recovery. */
function freshCompute({ compute }: Machinery): Compute {
  return {
    recover: (items, wish) => compute.recover(items, wish),
    close: async () => undefined,
  };
}

async function openFolder(options: StartOptions, undo: Undo): Promise<DataFolder> {
  if (options.data === undefined && !options.ephemeral)
    throw new StoreFault("foreign", "a chain that is kept needs a data folder");
  const path = options.data ?? (await mkdtemp(join(tmpdir(), "chain-node-")));
  // A given folder is removed only once it is known to be ours: it could be anybody's home.
  let mayRemove = options.data === undefined;
  if (options.ephemeral) {
    undo.add(async () => {
      if (mayRemove) await rm(path, { recursive: true, force: true });
    });
  }
  const folder = await openDataFolder(path, { chainId: DEV_CHAIN_ID, now: Date.now() });
  mayRemove = true;
  undo.add(() => folder.close());
  return folder;
}

async function startAll(options: StartOptions, undo: Undo): Promise<StartedChain> {
  const folder = await openFolder(options, undo);
  await requireSameChain(folder, options);
  const own = await startMachinery(options.log, undo, options.sm ? "national" : "standard");
  const { suite, entropy } = own;
  const keys: NodeKey[] = [];
  for (let i = 0; i < options.nodes; i++) {
    keys.push(await ensureNodeKey(join(folder.path, `node${i}`, "node.key"), suite, entropy));
  }
  const sealers = keys.map(({ nodeId }) => nodeId);
  const genesis = devGenesis({ created: folder.marker.created, consensus: "pbft", sealers });
  const hub = createMemoryHub({ schedule: (run) => void setImmediate(run) });
  const networks = keys.map(({ nodeId }, i) => createJointNetwork(hub.join(nodeId, devPeer(i))));
  const compute = options.shareRecovery ? sharedCompute(own.compute) : own.compute;
  const shared: Shared = { machinery: { ...own, compute }, networks, genesis, folder, options };
  const wired = keys.map((key, i) => wireNode(shared, key, i));
  const nodes = wired.map(({ node }) => node);
  const tabs = createDevJoin({ ...shared, ...options, path: folder.path, keys });
  const servers = await listenAll(wired, { ...options, tabs }, undo);
  for (const node of nodes) {
    const { onFailure } = options;
    // A group that was generated later may fail alone; without its own the chain is over.
    const isOver = (groupId: number | undefined) =>
      groupId === undefined || groupId === DEV_GROUP_ID;
    if (onFailure) node.onFailure((cause, groupId) => isOver(groupId) && onFailure(cause));
    undo.add(() => node.stop());
  }
  const opened = await openChannels(shared, keys, { nodes, undo });
  if (options.onBlock) nodes[0]?.onBlock(options.onBlock);
  // All of them: a node that is told to stop while it loads would come up afterwards.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const [i, start] of starts.entries()) {
    if (start.status === "rejected") throw placed(start.reason, join(folder.path, `node${i}`));
  }
  await tabs.reopen();
  return {
    nodes,
    servers,
    accounts: devAccounts(suite),
    channels: opened?.channels ?? [],
    sdk: opened?.sdk,
    data: folder.path,
    close: () => undo.run(),
  };
}

/** The ports of SDKs; closed before the nodes are. */
async function openChannels(
  { folder, machinery, options }: Shared,
  keys: readonly NodeKey[],
  { nodes, undo }: { readonly nodes: readonly RunningNode[]; readonly undo: Undo },
) {
  const { channel, host, sm, log } = options;
  if (!channel) return undefined;
  const { rsa } = channel;
  const { entropy } = machinery;
  const made = { path: folder.path, keys, sm, rsa, entropy, now: Date.now() };
  const certificates = await ensureDevCertificates(made);
  const ports = { certificates, log, undo };
  const channels = await openDevChannels(nodes, { host, ...channel }, ports);
  return { channels, sdk: certificates.sdk };
}

/** A fault of a node's data, with the folder that it is about. */
function placed(cause: unknown, folder: string): unknown {
  if (!(cause instanceof StoreFault) || cause.message.includes(folder)) return cause;
  return new StoreFault(cause.kind, `${folder}: ${cause.message}`, { cause });
}

async function listenAll(
  wired: readonly WiredNode[],
  options: StartOptions & { readonly tabs: DevJoin },
  undo: Undo,
) {
  const servers: HttpServer[] = [];
  const doors = new Map([[JOIN_PATH, options.tabs.door]]);
  const page = createPage({ dev: true, ...compilerPaths() });
  for (const [i, { node, post }] of wired.entries()) {
    const { log, maxBodyBytes } = options;
    const clock = createNodeClock();
    const rpc = { node: node.api, maxBodyBytes, log, pace: createPace(clock) };
    const { app, posts } = createHttpApp({ ...rpc, page, doors });
    const webSockets = createWebSocketEnd(node, rpc, clock);
    const ends = withLiveView(webSockets, { post, access: "loopback" });
    const port = options.port === 0 ? 0 : options.port + i;
    const { host, lists } = options;
    const address = { host, port, lists, ...complainOfCuts(log, clock) };
    const server = await serve(app.fetch, address, posts, ends);
    undo.add(() => server.close());
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

function requester(url: string): DevNode["request"] {
  let id = 0;
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const response = await fetch(url, { method: "POST", body });
    const answer = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string };
    };
    if (answer.error) throw new RpcAnswerError(answer.error.code, answer.error.message);
    return answer.result;
  };
}

function rsaWish(channel: true | { readonly rsa: boolean }): { readonly rsa: boolean } {
  return channel === true ? { rsa: false } : channel;
}

function endpointOf(channel: ChannelPort | undefined): string | undefined {
  return channel && endpointText(channel.server);
}

function requireBetween(name: string, value: number, [low, high]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new RangeError(`${name} must be a whole number from ${low} to ${high}, not ${value}`);
}

/**
 * A chain for people's own test suites, on free loopback ports.
 *
 * @throws RangeError for a bad number; StoreFault, ListenFault when folder or ports cannot be used
 */
export async function createDevChain(options: DevChainOptions = {}): Promise<DevChain> {
  requireBetween("nodes", options.nodes ?? 4, [1, MOST_NODES]);
  requireBetween("blockTimeMs", options.blockTimeMs ?? 0, [0, LONGEST_BLOCK_TIME_MS]);
  const ephemeral = options.ephemeral ?? options.dataDir === undefined;
  const chain = await startDevChain({
    nodes: options.nodes ?? 4,
    data: options.dataDir,
    ephemeral,
    blockTimeMs: options.blockTimeMs ?? DEV_BLOCK_TIME_MS,
    sm: options.sm ?? false,
    host: "127.0.0.1",
    port: 0,
    channel: options.channel ? { port: 0, ...rsaWish(options.channel) } : undefined,
    lists: NOTHING_LISTED,
    maxBodyBytes: 10 * 1024 * 1024,
    shareRecovery: true,
    log: createLog({ level: "off", target: process.stderr }),
  });
  const nodes = chain.servers.map(
    ({ url }, i): DevNode => ({
      nodeId: chain.nodes[i]?.api.nodeId ?? "",
      rpcUrl: url,
      channel: endpointOf(chain.channels[i]),
      request: requester(url),
    }),
  );
  const [first] = nodes;
  if (!first) throw new StoreFault("foreign", "a chain needs at least one node");
  return {
    chainId: DEV_CHAIN_ID,
    groupId: DEV_GROUP_ID,
    accounts: chain.accounts,
    rpcUrl: first.rpcUrl,
    sdk: chain.sdk,
    nodes,
    request: first.request,
    close: () => chain.close(),
  };
}
