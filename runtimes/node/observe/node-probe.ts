/** Finds out from outside how a node of this host is. */
import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isNodeId } from "../../../core/bytes/hex.ts";
import { ConfigFault, warningText } from "../../formats/config/config-fault.ts";
import { type NodeConfig, readNodeConfig } from "../../formats/config/node-config.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import { parsePrivateKey } from "../../folder/private-key.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { lockFile, lockOwner } from "../store/data-folder.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { identityPaths } from "./own-certificates.ts";
import { urlOf } from "../machine/listen-url.ts";
import { askPort, type PortUser, userText, type ProcessHealth } from "./port-user.ts";
import { hasOpen, isAlive, runsIn } from "../machine/processes.ts";
import type { NodeFolder } from "./node-folders.ts";

/** What was found. */
export interface NodeProbe {
  readonly folder: NodeFolder;
  /** Undefined when config.ini cannot be used. */
  readonly config: NodeConfig | undefined;
  /** What is wrong with config.ini, or what it is warned about. */
  readonly problems: readonly string[];
  /** By the key of the folder; undefined when that cannot be read. */
  readonly nodeId: string | undefined;
  /** The process that runs from this folder. */
  readonly pid: number | undefined;
  /** Undefined when the RPC port is not known. */
  readonly rpcUrl: string | undefined;
  /**
   * What the node reports of itself; undefined when it does not answer, no matter who else does.
   */
  /** Where SDKs connect, `host:port`. */
  readonly channel?: string | undefined;
  readonly health: ProcessHealth | undefined;
  /** Why there is no answer of it. */
  readonly silence: string | undefined;
  /** Who has its RPC port; undefined when nobody was asked. */
  readonly user: PortUser | undefined;
}

/** What start.sh noted, while that process runs in this folder. */
async function notedPid(folder: NodeFolder): Promise<number | undefined> {
  const text = await readFile(join(folder.path, "node.pid"), "utf8").catch(() => "");
  const pid = Number(/^\s*([1-9]\d*)\s*$/.exec(text)?.[1]);
  if (!pid || !isAlive(pid)) return undefined;
  // Another process may have that number by now.
  return (await runsIn(pid, folder.path)) === false ? undefined : pid;
}

/** The process that holds the data folder; undefined where that cannot be seen. */
async function holdingPid(folder: NodeFolder, config: NodeConfig): Promise<number | undefined> {
  const data = resolve(folder.path, config.groups.dataPath);
  const pid = await lockOwner(data);
  if (pid === undefined || !isAlive(pid)) return undefined;
  const lock = await realpath(lockFile(data)).catch(() => undefined);
  return lock !== undefined && (await hasOpen(pid, lock)) ? pid : undefined;
}

/** Who the folder's node is: by its key, else by what was written next to it. */
async function nodeIdOf(folder: NodeFolder, config: NodeConfig): Promise<string | undefined> {
  const { suite } = config.identity;
  const { key } = identityPaths(folder.path, config.identity);
  const found = parsePrivateKey(await readFile(key, "utf8").catch(() => ""), suite);
  if (found) return found.nodeId;
  const noted = join(folder.path, config.identity.dataPath, suiteFile("node.nodeid", suite));
  const text = (await readFile(noted, "utf8").catch(() => "")).trim();
  return isNodeId(text) ? text : undefined;
}

async function readConfig(path: string): Promise<Pick<NodeProbe, "config" | "problems">> {
  try {
    const { value, warnings } = readNodeConfig(await readFile(path, "utf8"), path);
    const notes = warnings.filter(({ level }) => level === "warning");
    return { config: value, problems: notes.map(warningText) };
  } catch (error) {
    const message = reasonOf(error);
    const problems = error instanceof ConfigFault ? message.split("\n") : [message];
    return { config: undefined, problems };
  }
}

const UNREAD = {
  config: undefined,
  nodeId: undefined,
  rpcUrl: undefined,
  health: undefined,
  silence: "config.ini cannot be read",
  user: undefined,
};

/** Examines a node. */
export async function probeNode(folder: NodeFolder): Promise<NodeProbe> {
  const { config, problems } = await readConfig(folder.config);
  const noted = await notedPid(folder);
  if (!config) return { ...UNREAD, folder, problems, pid: noted };
  const { jsonrpc, channel: sdks } = config.rpc;
  const nodeId = await nodeIdOf(folder, config);
  const user = await askPort(jsonrpc, { nodeId, home: folder.path });
  const channel = endpointText({ host: sdks.ip, port: sdks.port });
  const found = { folder, config, problems, nodeId, user, rpcUrl: urlOf(jsonrpc), channel };
  if (user.kind === "own") {
    const { health } = user;
    return { ...found, health, silence: undefined, pid: noted };
  }
  const who = userText(user) ?? "";
  const place = urlOf(jsonrpc).slice("http://".length);
  const silence = user.kind === "silent" ? who : `${place} is answered by ${who}`;
  const pid = noted ?? (await holdingPid(folder, config));
  return { ...found, health: undefined, silence, pid };
}
