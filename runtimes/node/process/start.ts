/**
 * `chain-node start`: one node from the files of its folder.
 * Source: groups 1, 4, 8; node-network 1, 2
 */
import type { Telemetry } from "../observe/telemetry-terms.ts";
import { dirname, resolve } from "node:path";
import { createNode, type RunningNode } from "../../../core/node/create-node.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createChainVerifier } from "../../formats/certificates/certificate-chain.ts";
import { warningText } from "../../formats/config/config-fault.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import { createPace } from "../../../core/rpc/pace.ts";
import type { Admit } from "../../../core/rpc/dispatch.ts";
import { limitRequests } from "../../shared/rate-limit.ts";
import { createDiskFiles } from "../../folder/disk-files.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { iniGroupFormat } from "../../formats/config/group-ini-format.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import { createHttpApp, DEFAULT_MAX_BODY_BYTES } from "../../shared/http-app.ts";
import type { OtherCopy } from "../../shared/p2p/copy-fault.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";
import { createWatchPost, type WatchPost } from "../../shared/theatre/live/watch-post.ts";
import { BUILD_INFO } from "../machine/build-info.ts";
import type { ChannelPort } from "../server/channel-port.ts";
import { openNodeChannel, readAccessRules, readingRules } from "./node-channel.ts";
import { createNodeClock } from "../machine/clock.ts";
import { CopyAlarm } from "./copy-alarm.ts";
import { reportGroups, troubleText } from "./group-report.ts";
import { createCopyGuard } from "../store/copy-guard.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { complainOfCuts } from "../server/http-load.ts";
import { type HttpServer, serve } from "../server/http-server.ts";
import { portsOf, requireFreePorts } from "./listen-keys.ts";
import { ledgerPorts, type Machinery, startMachinery } from "../threads/machinery.ts";
import { holdFolder, ledgerFolder } from "../store/node-folder.ts";
import { type NodeLog, openNodeLog } from "../log/node-log.ts";
import { logWarnings, readSettings } from "./node-settings.ts";
import { signalsOf } from "./node-signals.ts";
import { readOwnIdentity, watchCertificates } from "../observe/own-certificates.ts";
import { observeNode } from "../observe/observation.ts";
import { createNodeP2pNetwork, nodeTransports } from "../p2p/p2p-node.ts";
import { startTelemetry } from "../observe/telemetry.ts";
import { compilerPaths } from "../server/compilers.ts";
import { createPage } from "../server/page.ts";
import { withLiveView } from "../server/live-end.ts";
import { createPeerBook } from "../p2p/peer-book.ts";
import { watchSignals } from "./signal-files.ts";
import { Undo } from "../machine/undo.ts";
import {
  readWebSocketFiles,
  watchWebSocketFiles,
  webSocketPaths,
} from "../p2p/web-socket-files.ts";
import { createWebSocketEnd } from "../server/websocket.ts";

/** A node that runs from its folder. */
export interface StartedNode {
  readonly node: RunningNode;
  readonly config: NodeConfig;
  readonly server: HttpServer;
  /** The port of SDKs; undefined on a national chain without the files for it. */
  readonly channel: ChannelPort | undefined;
  readonly network: P2pNetwork;
  readonly identity: NodeIdentity;
  /** Its folder, absolute. */
  readonly home: string;
  readonly log: Log;
  /** The log file that is written now. */
  logFile(): string | undefined;
  close(): Promise<void>;
}

/** What a start needs to know. */
export interface NodeStart {
  /** Path of config.ini. */
  readonly config: string;
  /** What the operator sees at once; the log files of config.ini come beside it. */
  terminal(settings: NodeConfig["log"]): Log;
  /** Called when the node, not one of its groups, cannot go on. */
  readonly onFailure?: (cause: unknown) => void;
  /** The threads of a process that runs several nodes; else the node has its own. */
  readonly machinery?: Machinery;
}

/** The clock of the process. */
const clock = createNodeClock();

async function openNetwork(
  { home, config, identity, machinery: own }: Omit<Parts, "network">,
  log: Log,
  { onCopy, undo }: { readonly onCopy: (copy: OtherCopy) => void; readonly undo: Undo },
) {
  const { p2p, chain } = config;
  const paths = webSocketPaths(home, p2p.webSocket);
  const webSocket = paths && (await readWebSocketFiles(paths));
  const network = createNodeP2pNetwork({
    transports: nodeTransports(webSocket),
    chainId: chain.chainId,
    suite: own.suite,
    privateKey: identity.key.privateKey,
    certificates: identity.certificates,
    verifyChain: createChainVerifier(identity.authorities),
    listen: {
      host: p2p.listen.ip,
      port: p2p.listen.port,
      webSocketPort: p2p.webSocket?.port,
      webSocketHost: p2p.webSocket?.ip,
      isSecure: webSocket !== undefined,
    },
    relay: { serves: p2p.webSocket !== undefined, listens: false },
    peers: p2p.peers.map(endpointText),
    blacklist: config.blacklist,
    whitelist: config.whitelist,
    compress: p2p.compress,
    handshakeLevel: p2p.connectionWarning ? "warning" : "info",
    onCopy,
    log,
  });
  if (paths && webSocket) {
    const renew = network.renewWebSocket;
    const end = watchWebSocketFiles({ paths, files: webSocket, clock, log, renew });
    undo.add(async () => end());
  }
  return network;
}

interface Parts {
  /** Path of config.ini. */
  readonly path: string;
  readonly home: string;
  readonly config: NodeConfig;
  readonly identity: NodeIdentity;
  readonly machinery: Machinery;
  readonly network: P2pNetwork;
  /** Undefined when no spans are wanted. */
  readonly telemetry: Telemetry | undefined;
}

function nodeOf(parts: Parts, post: WatchPost, log: Log): RunningNode {
  const { path, home, config, identity, machinery, network, telemetry } = parts;
  const { chain, groups, p2p, rpc } = config;
  const { peersParamLimit: paramLimit, maxNodesLimit: totalLimit } = p2p;
  const { agency, node } = identity.membership;
  const version = chain.supportedVersion;
  const folderOf = (id: number) => ledgerFolder(resolve(home, groups.dataPath), id);
  const ledgers = ledgerPorts({ machinery, version, log, folderOf });
  return createNode(
    {
      build: BUILD_INFO,
      chainId: chain.chainId,
      supportedVersion: version,
      suite: machinery.suite,
      privateKey: identity.key.privateKey,
      dynamicGroupDisabled: rpc.disableDynamicGroup,
      actAsGroupMember: rpc.actAsGroupMember,
      outgoingMbit: config.flowControl.outgoingMbit,
      inspect: post.gallery,
      listen: {
        endpoint: endpointText({ host: p2p.listen.ip, port: p2p.listen.port }),
        agency,
        node,
        topics: [],
      },
      peerBook: createPeerBook({ path, network, paramLimit, totalLimit, log }),
      groups: {
        folders: { config: groups.configPath, data: groups.dataPath },
        format: iniGroupFormat(
          (warning) => log.write(warning.level, warningText(warning)),
          version,
        ),
      },
    },
    {
      clock: createNodeClock(),
      entropy: machinery.entropy,
      log,
      compute: telemetry?.compute(machinery.compute) ?? machinery.compute,
      network: post.tap(network),
      files: createDiskFiles(home),
      copyGuard: createCopyGuard(folderOf, machinery.entropy),
      openStore: ledgers.openStore,
      openExecutor: telemetry?.openExecutor(ledgers.openExecutor) ?? ledgers.openExecutor,
    },
  );
}

/** Spans of transactions, when the variables of the process ask for them. */
async function telemetryOf(config: NodeConfig, identity: NodeIdentity, log: Log, undo: Undo) {
  const { nodeId, node, agency } = identity.membership;
  const { chainId } = config.chain;
  const facts = { version: BUILD_INFO.version, nodeId, node, agency, chainId };
  const telemetry = await startTelemetry({ env: process.env, facts, log });
  if (telemetry) undo.add(() => telemetry.close());
  return telemetry;
}

/** The limit of `rpc.http_limit_req`; off unless it is set. Source: node-network 6 */
function limitOf(requestsPerSecond: number | undefined, clock: Clock): Admit | undefined {
  return requestsPerSecond === undefined ? undefined : limitRequests(requestsPerSecond, clock);
}

/**
 * A node all of whose groups should run, of which none does, serves nobody. With one that was
 * stopped or removed it goes on: that one can only be brought back on a node that is up. Source:
 * groups 2 (node boot)
 */
function refuseWithoutGroups(node: RunningNode): void {
  const { running, failed, down } = reportGroups(node.api);
  if (running.length > 0 || down.length > 0 || failed.length === 0) return;
  const lines = failed.map(troubleText).join("\n");
  throw new FolderFault("unusable", `no group of this node can start\n${lines}`);
}

/** The folder of a node: held, its settings read, its log open. */
interface OpenFolder {
  /** Path of config.ini, absolute. */
  readonly path: string;
  readonly home: string;
  readonly config: NodeConfig;
  readonly lines: NodeLog;
}

async function openFolder(start: NodeStart, undo: Undo): Promise<OpenFolder> {
  const path = resolve(start.config);
  const home = dirname(path);
  const { value: config, warnings } = await readSettings(path);
  const folder = await holdFolder(path, config, clock.now());
  undo.add(() => folder.close());
  const terminal = start.terminal(config.log);
  const lines = openNodeLog({ home, settings: config.log, terminal, now: () => clock.now() });
  undo.add(() => lines.close());
  const { version } = BUILD_INFO;
  lines.log.write("info", "the node starts", { version, pid: process.pid, config: path });
  logWarnings(warnings, lines.log);
  return { path, home, config, lines };
}

/** Who the node is; its certificates are watched from now on. */
async function identify({ home, config, lines: { log } }: OpenFolder, undo: Undo) {
  const identity = await readOwnIdentity(home, config.identity, clock.now());
  const file = resolve(home, config.identity.cert);
  const endWatch = watchCertificates({ identity, file, clock, log });
  undo.add(async () => endWatch());
  return identity;
}

async function startIn(folder: OpenFolder, start: NodeStart, undo: Undo): Promise<StartedNode> {
  const { path, home, config, lines } = folder;
  const { log } = lines;
  const identity = await identify(folder, undo);
  await requireFreePorts(portsOf(config), path, { nodeId: identity.key.nodeId, home });
  const { machinery = await startMachinery(log, undo, config.identity.suite) } = start;
  const endUnused = machinery.threads.begin();
  undo.add(endUnused);
  const telemetry = await telemetryOf(config, identity, log, undo);
  const parts = { path, home, config, identity, machinery, telemetry };
  const copies = new CopyAlarm(start.onFailure);
  const onCopy = (copy: OtherCopy) => copies.meet(copy);
  const network = await openNetwork(parts, log, { onCopy, undo });
  const { chainId } = config.chain;
  const post = createWatchPost({ suite: machinery.suite, chainId, clock });
  const node = nodeOf({ ...parts, network }, post, log);
  post.attach(node);
  const observed = { node, network, config, identity, home, clock, log };
  const shown = await observeNode(observed, undo);
  const { jsonrpc, allowedHosts, allowedOrigins, liveView: access } = config.rpc;
  let channel: ChannelPort | undefined;
  const rules = { path, folder: resolve(home, config.groups.configPath), log };
  const replaceRules = async () =>
    channel?.replaceRules(await readAccessRules(rules, channel.rules()));
  const api = readingRules(telemetry?.api(node.api) ?? node.api, rules, () => channel);
  const rpc = {
    node: api,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    page: config.rpc.page ? createPage({ dev: false, ...compilerPaths() }) : undefined,
    admit: limitOf(config.rpc.httpRequestsPerSecond, clock),
    pace: createPace(clock),
    log,
    observe: shown.observe,
    health: shown.health,
  };
  const { app, posts } = createHttpApp(rpc);
  const webSockets = createWebSocketEnd(node, rpc, clock);
  shown.webSocketsOpened(webSockets);
  const { ip: host, port } = jsonrpc;
  const lists = { allowedHosts, allowedOrigins };
  const address = { host, port, lists, ...complainOfCuts(log, clock) };
  const ends = withLiveView(webSockets, { post, access });
  const server = await serve(app.fetch, address, posts, ends);
  undo.add(() => server.close());
  if (start.onFailure) {
    const { onFailure } = start;
    node.onFailure((cause, groupId) => groupId === undefined && onFailure(cause));
  }
  undo.add(() => node.stop());
  const { observe } = shown;
  channel = await openNodeChannel({ node, api, rules, home, config, observe, log }, undo);
  shown.channelOpened(channel);
  await node.start();
  await endUnused();
  refuseWithoutGroups(node);
  copies.begin();
  const targets = { path, config, node, network, replaceRules, log };
  undo.add(watchSignals(home, signalsOf(targets), log));
  log.write("info", "the node runs", {
    rpc: server.url,
    channel: channel && endpointText(channel.server),
    groups: reportGroups(node.api).running.join(" "),
  });
  const close = () => {
    log.write("info", "the node stops");
    return undo.run();
  };
  const logFile = lines.file;
  return { node, config, server, channel, network, identity, home, log, logFile, close };
}

async function startAll(start: NodeStart, undo: Undo): Promise<StartedNode> {
  const folder = await openFolder(start, undo);
  try {
    return await startIn(folder, start, undo);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    folder.lines.files.write("error", "the node cannot start", { cause: text });
    throw cause;
  }
}

/**
 * Starts a node; what was begun is undone when a step fails.
 *
 * @throws ConfigFault, FolderFault, StoreFault, ListenFault, CopyFault
 */
export async function startNode(start: NodeStart): Promise<StartedNode> {
  const undo = new Undo();
  try {
    return await startAll(start, undo);
  } catch (cause) {
    await undo.run().catch(() => undefined);
    throw cause;
  }
}
