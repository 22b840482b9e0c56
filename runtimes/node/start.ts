/**
 * `chain-node start`: one node from the files of its folder.
 * Source: groups 1, 4, 8; node-network 1, 2
 */
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createNode, type RunningNode } from "../../core/node/create-node.ts";
import type { Log } from "../../core/ports/log.ts";
import { createChainVerifier } from "../folder/certificate-chain.ts";
import { warningText } from "../folder/config-fault.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { type Admit, limitRequests } from "../../core/rpc/rate-limit.ts";
import { createDiskFiles } from "../folder/disk-files.ts";
import { FolderFault } from "../folder/folder-fault.ts";
import { iniGroupFormat } from "../folder/group-ini-format.ts";
import { type NodeConfig, readNodeConfig } from "../folder/node-config.ts";
import type { NodeIdentity } from "../folder/node-identity.ts";
import { createHttpApp, DEFAULT_MAX_BODY_BYTES } from "../shared/http-app.ts";
import type { P2pNetwork } from "../shared/p2p/p2p-options.ts";
import { BUILD_INFO } from "./build-info.ts";
import { createNodeClock } from "./clock.ts";
import { reportGroups, troubleText } from "./group-report.ts";
import { endpointText } from "./endpoint-text.ts";
import { type HttpServer, serve } from "./http-server.ts";
import { ledgerPorts, type Machinery, startMachinery } from "./machinery.ts";
import { readOwnIdentity, watchCertificates } from "./own-certificates.ts";
import { observeNode } from "./observe/observation.ts";
import { createNodeP2pNetwork } from "./p2p-node.ts";
import { createPeerBook } from "./peer-book.ts";
import { type Signal, watchSignals } from "./signal-files.ts";
import { Undo } from "./undo.ts";

/** Below the group's folder, as the reference's `block/RocksDB`. Source: groups 1 */
const LEDGER_FOLDER = "block";

/** A node that runs from its folder. */
export interface StartedNode {
  readonly node: RunningNode;
  readonly config: NodeConfig;
  readonly server: HttpServer;
  readonly network: P2pNetwork;
  readonly identity: NodeIdentity;
  /** Its folder, absolute. */
  readonly home: string;
  close(): Promise<void>;
}

/** What a start needs to know. */
export interface NodeStart {
  /** Path of config.ini. */
  readonly config: string;
  readonly log: Log;
  /** Called when the node, not one of its groups, cannot go on. */
  readonly onFailure?: (cause: unknown) => void;
}

async function readConfig(path: string, log: Log): Promise<NodeConfig> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const next = "Run it in a node's folder, or name the file: chain-node start -c DIR/config.ini";
    throw new FolderFault("missing", `${path}: there is no such file. ${next}`, { cause });
  });
  const { value, warnings } = readNodeConfig(text, path);
  for (const warning of warnings) log.write(warning.level, warningText(warning));
  const { nationalCrypto } = value.chain;
  if (nationalCrypto) {
    const said = `${path}: [chain] sm_crypto = true is not offered yet`;
    throw new FolderFault("argument", `${said}; chains of the standard suite are`);
  }
  return value;
}

function networkOf(start: NodeStart, config: NodeConfig, identity: NodeIdentity, own: Machinery) {
  const { p2p, chain } = config;
  return createNodeP2pNetwork({
    chainId: chain.chainId,
    suite: own.suite,
    privateKey: identity.key.privateKey,
    certificates: identity.certificates,
    verifyChain: createChainVerifier(identity.authorities),
    listen: {
      host: p2p.listen.ip,
      port: p2p.listen.port,
      webSocketPort: p2p.webSocket?.port,
    },
    peers: p2p.peers.map(endpointText),
    blacklist: config.blacklist,
    whitelist: config.whitelist,
    compress: p2p.compress,
    log: start.log,
  });
}

interface Parts {
  /** Path of config.ini. */
  readonly path: string;
  readonly home: string;
  readonly config: NodeConfig;
  readonly identity: NodeIdentity;
  readonly machinery: Machinery;
  readonly network: P2pNetwork;
}

function nodeOf(parts: Parts, log: Log): RunningNode {
  const { path, home, config, identity, machinery, network } = parts;
  const { chain, groups, p2p, rpc } = config;
  const { peersParamLimit: paramLimit, maxNodesLimit: totalLimit } = p2p;
  const { agency, node } = identity.membership;
  const version = chain.supportedVersion;
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
      compute: machinery.compute,
      network,
      files: createDiskFiles(home),
      ...ledgerPorts({
        machinery,
        version,
        log,
        folderOf: (id) => join(resolve(home, groups.dataPath), `group${id}`, LEDGER_FOLDER),
      }),
    },
  );
}

/** What the signal files of the folder ask for. Source: groups 1, 4 */
function signalsOf(path: string, { node, network }: Omit<StartedNode, "close">, log: Log) {
  return [
    {
      file: "config.ini.append_group",
      obey: async () => {
        const groups = (await node.loadNewGroups()).join(" ");
        log.write("info", "new groups are loaded; startGroup starts them", { groups });
      },
    },
    {
      file: "config.ini.reset_certificate_whitelist",
      obey: async () => {
        const { whitelist } = await readConfig(path, log);
        network.setWhitelist(whitelist);
        const entries = whitelist.length;
        log.write("info", "the whitelist of peers is reloaded", { entries });
      },
    },
  ] satisfies Signal[];
}

/** The limit of `rpc.http_limit_req`; off unless it is set. Source: node-network 6 */
function limitOf(requestsPerSecond: number | undefined, clock: Clock): Admit | undefined {
  return requestsPerSecond === undefined ? undefined : limitRequests(requestsPerSecond, clock);
}

/** A node of which no group runs, although some should, serves nobody. */
function refuseWithoutGroups(node: RunningNode): void {
  const { running, failed } = reportGroups(node.api);
  if (running.length > 0 || failed.length === 0) return;
  const lines = failed.map(troubleText).join("\n");
  throw new FolderFault("unusable", `no group of this node can start\n${lines}`);
}

async function startAll(start: NodeStart, undo: Undo): Promise<StartedNode> {
  const { log } = start;
  const path = resolve(start.config);
  const home = dirname(path);
  const config = await readConfig(path, log);
  const clock = createNodeClock();
  const identity = await readOwnIdentity(home, config.identity, clock.now());
  const file = resolve(home, config.identity.cert);
  const endWatch = watchCertificates({ identity, file, clock, log });
  undo.add(async () => endWatch());
  const machinery = await startMachinery(log, undo);
  const network = networkOf(start, config, identity, machinery);
  const node = nodeOf({ path, home, config, identity, machinery, network }, log);
  const observed = { node, network, config, identity, home, clock, log };
  const shown = await observeNode(observed, undo);
  const { ip, port } = config.rpc.jsonrpc;
  const { app } = createHttpApp({
    node: node.api,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    allowedOrigins: config.rpc.allowedOrigins,
    admit: limitOf(config.rpc.httpRequestsPerSecond, clock),
    log,
    ...shown,
  });
  const server = await serve(app.fetch, { host: ip, port });
  undo.add(() => server.close());
  if (start.onFailure) {
    const { onFailure } = start;
    node.onFailure((cause, groupId) => groupId === undefined && onFailure(cause));
  }
  undo.add(() => node.stop());
  await node.start();
  refuseWithoutGroups(node);
  const started = { node, config, server, network, identity, home };
  undo.add(watchSignals(home, signalsOf(path, started, log), log));
  return { ...started, close: () => undo.run() };
}

/**
 * Starts a node; what was begun is undone when a step fails.
 *
 * @throws ConfigFault, FolderFault, StoreFault, ListenFault
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
