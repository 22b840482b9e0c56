/**
 * `chain-node start`: one node from the files of its folder.
 * Source: groups 1, 4, 8; node-network 1, 2
 */
import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { formatVersion } from "../../core/model/version.ts";
import { createNode, type RunningNode } from "../../core/node/create-node.ts";
import type { Log } from "../../core/ports/log.ts";
import { createChainVerifier, daysLeft, WARN_BEFORE_DAYS } from "../folder/certificate-chain.ts";
import { warningText } from "../folder/config-fault.ts";
import { createDiskFiles } from "../folder/disk-files.ts";
import { FolderFault } from "../folder/folder-fault.ts";
import { iniGroupFormat } from "../folder/group-ini-format.ts";
import { type NodeConfig, readNodeConfig } from "../folder/node-config.ts";
import { type NodeIdentity, readIdentity } from "../folder/node-identity.ts";
import { createHttpApp, DEFAULT_MAX_BODY_BYTES } from "../shared/http-app.ts";
import type { P2pNetwork } from "../shared/p2p/p2p-options.ts";
import { BUILD_INFO } from "./build-info.ts";
import type { StartCommand } from "./args.ts";
import { createNodeClock } from "./clock.ts";
import { outliveReaders, untilAsked } from "./ending.ts";
import { type HttpServer, serve } from "./http-server.ts";
import { createLog } from "./log.ts";
import { ledgerPorts, type Machinery, startMachinery } from "./machinery.ts";
import { createNodeP2pNetwork } from "./p2p-node.ts";
import { Undo } from "./undo.ts";

/** Files whose appearance asks the node for something; polled and deleted. Source: groups 1 */
const SIGNAL_FILES = {
  appendGroup: "config.ini.append_group",
  resetWhitelist: "config.ini.reset_certificate_whitelist",
} as const;
const SIGNAL_POLL_MS = 100;
/** Digits of a node ID that tell nodes apart. */
const ID_DIGITS = 8;
/** Below the group's folder, as the reference's `block/RocksDB`. Source: groups 1 */
const LEDGER_FOLDER = "block";

/** A node that runs from its folder. */
export interface StartedNode {
  readonly node: RunningNode;
  readonly config: NodeConfig;
  readonly server: HttpServer;
  readonly network: P2pNetwork;
  readonly identity: NodeIdentity;
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

async function identityOf(home: string, config: NodeConfig, log: Log): Promise<NodeIdentity> {
  const { key, cert, caCert, caPath } = config.identity;
  const at = (path: string) => resolve(home, path);
  const paths = { key: at(key), cert: at(cert), caCert: at(caCert) };
  const further = caPath === undefined ? undefined : at(caPath);
  const now = Date.now();
  const identity = await readIdentity({ ...paths, caPath: further }, now);
  for (const certificate of identity.certificates) {
    const days = daysLeft(certificate, now);
    if (days === undefined || days > WARN_BEFORE_DAYS) continue;
    log.write("warning", "a certificate ends soon: renew it with chain-node cert renew", {
      file: paths.cert,
      days,
    });
  }
  return identity;
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

function endpointText({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

interface Parts {
  readonly home: string;
  readonly config: NodeConfig;
  readonly identity: NodeIdentity;
  readonly machinery: Machinery;
  readonly network: P2pNetwork;
}

function nodeOf({ home, config, identity, machinery, network }: Parts, log: Log): RunningNode {
  const { chain, groups, p2p, rpc } = config;
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
      listen: {
        endpoint: endpointText({ host: p2p.listen.ip, port: p2p.listen.port }),
        agency,
        node,
        topics: [],
      },
      groups: {
        folders: { config: groups.configPath, data: groups.dataPath },
        format: iniGroupFormat((warning) => log.write(warning.level, warningText(warning))),
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

/** Whether the file was there; it is removed. */
async function takeSignal(home: string, name: string): Promise<boolean> {
  const path = join(home, name);
  const there = await stat(path).then(
    () => true,
    () => false,
  );
  if (there) await rm(path, { force: true });
  return there;
}

/** Obeys the signal files until it is told to stop. Source: groups 1, 4 */
function watchSignals(path: string, { node, network }: Omit<StartedNode, "close">, log: Log) {
  const home = dirname(path);
  let busy = false;
  const look = async () => {
    if (await takeSignal(home, SIGNAL_FILES.appendGroup)) {
      const ids = await node.loadNewGroups();
      log.write("info", "new groups are loaded; startGroup starts them", { groups: ids.join(" ") });
    }
    if (await takeSignal(home, SIGNAL_FILES.resetWhitelist)) {
      const { whitelist } = await readConfig(path, log);
      network.setWhitelist(whitelist);
      log.write("info", "the whitelist of peers is reloaded", { entries: whitelist.length });
    }
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    look()
      .catch((cause: unknown) => {
        const text = cause instanceof Error ? cause.message : String(cause);
        log.write("error", "a signal file could not be obeyed", { cause: text });
      })
      .finally(() => {
        busy = false;
      });
  }, SIGNAL_POLL_MS);
  return async () => clearInterval(timer);
}

async function startAll(start: NodeStart, undo: Undo): Promise<StartedNode> {
  const { log } = start;
  const path = resolve(start.config);
  const home = dirname(path);
  const config = await readConfig(path, log);
  const identity = await identityOf(home, config, log);
  const machinery = await startMachinery(log, undo);
  const network = networkOf(start, config, identity, machinery);
  const node = nodeOf({ home, config, identity, machinery, network }, log);
  const { ip, port } = config.rpc.jsonrpc;
  const { app } = createHttpApp({
    node: node.api,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    allowedOrigins: config.rpc.allowedOrigins,
    log,
  });
  const server = await serve(app.fetch, { host: ip, port });
  undo.add(() => server.close());
  if (start.onFailure) {
    const { onFailure } = start;
    node.onFailure((cause, groupId) => groupId === undefined && onFailure(cause));
  }
  undo.add(() => node.stop());
  await node.start();
  const started = { node, config, server, network, identity };
  undo.add(watchSignals(path, started, log));
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

/** What an operator sees first. */
function startScreen({ node, config, server, network, identity }: StartedNode, path: string) {
  const { agency, node: name } = identity.membership;
  const version = formatVersion(config.chain.supportedVersion);
  const groups = node.api.groupList().join(" ");
  return [
    `running  ${name} of ${agency}, ${node.api.nodeId.slice(0, ID_DIGITS)}`,
    `chain    ${config.chain.chainId}, version ${version}`,
    `folder   ${dirname(path)}`,
    `rpc      ${server.url}`,
    `peers    ${network.addresses().join(" ")}`,
    `groups   ${groups || "none runs; generateGroup and startGroup make and start one"}`,
    "",
  ].join("\n");
}

/** One line for machines. */
function readyLine({ node, config, server, network }: StartedNode, path: string): string {
  const facts = {
    ready: true,
    rpc: server.url,
    peers: network.addresses(),
    chainId: config.chain.chainId,
    groups: node.api.groupList(),
    nodeId: node.api.nodeId,
    folder: dirname(path),
  };
  return `${JSON.stringify(facts)}\n`;
}

/** Runs a node until SIGINT or SIGTERM, or its terminal closes; resolves with the exit code. */
export async function runStart(options: StartCommand): Promise<number> {
  const { end, fail } = untilAsked("server");
  outliveReaders();
  const path = resolve(options.config);
  const log = createLog({ level: options.logLevel, target: process.stderr });
  const started = await startNode({ config: path, log, onFailure: fail });
  process.stdout.write(options.json ? readyLine(started, path) : startScreen(started, path));
  const code = await end;
  await started.close();
  if (!options.json) process.stdout.write("\nstopped; ledgers are kept\n");
  return code;
}
