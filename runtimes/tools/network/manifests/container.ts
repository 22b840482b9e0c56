/** What nodes in containers have in common, whichever engine runs them. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Endpoint } from "../../../formats/config/config-kinds.ts";
import { setValue } from "../../../formats/config/ini-edit.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { nodeConfigFrom } from "../../../folder/node-texts.ts";
import { readText } from "../../../folder/whole-files.ts";
import type { LiveNode } from "../live-network.ts";

/** Every container has its own network: all listen on the same ports. */
export const CONTAINER_PORTS = { rpc: 8545, channel: 20_200, p2p: 30_300, ws: 40_400 } as const;
/** Where a node has config.ini, ledgers and logs. */
export const CONTAINER_HOME = "/var/lib/chain-node";
/** The user `node` of the base image. */
export const CONTAINER_UID = 1000;
/** Longer than a node lets running requests finish. */
export const GRACE_SECONDS = 60;

/** All addresses of a container are behind its engine's network. */
const ANY_IP = "0.0.0.0";

/** A node as it is in containers. */
export interface ContainerNode {
  readonly node: LiveNode;
  /** Name by which the others reach it. */
  readonly host: string;
}

/** Where keys and certificates are, when that is not below the node's home. */
export interface SecretPlace {
  /** Absolute; ends with a slash. */
  readonly folder: string;
}

function endpointOf({ host }: ContainerNode): Endpoint {
  return { host, port: CONTAINER_PORTS.p2p };
}

/**
 * config.ini of a node in a container: its settings, with addresses and peers of the engine. Its
 * ports are open to everybody whom the engine lets through; who may manage is as before.
 * Source: decision 31
 */
export function containerConfig(
  { node }: ContainerNode,
  all: readonly ContainerNode[],
  secrets?: SecretPlace,
): string {
  const { rpc, channel, p2p, ws } = CONTAINER_PORTS;
  const hasWebSocket = node.found.ports.ws !== undefined;
  const { identity, rpc: own } = node.found.config;
  let text = nodeConfigFrom(node.found.text, {
    suite: identity.suite,
    rpcIp: ANY_IP,
    channelIp: ANY_IP,
    p2pIp: ANY_IP,
    ports: { rpc, channel, p2p, ...(hasWebSocket ? { ws } : {}) },
    peers: all.map(endpointOf),
  });
  if (!secrets) return text;
  const { folder } = secrets;
  text = setValue(text, { section: "network_security", key: "data_path", value: folder });
  if (own.management.mode !== "token") return text;
  const value = `${folder}management.token`;
  return setValue(text, { section: "rpc", key: "management_token_file", value });
}

/** A file below a node's conf/. */
export interface ConfFile {
  /** Relative to conf/. */
  readonly path: string;
  readonly text: string;
  readonly isSecret: boolean;
  /** Of a group: the node may change it. */
  readonly isGroup: boolean;
}

const SECRET = /\.(key|token)$/;
const GROUP = /^group\.\d+\.(genesis|ini)$/;

/** All files below conf/. @throws FolderFault missing */
export async function confFiles({ folder }: LiveNode): Promise<readonly ConfFile[]> {
  const home = join(folder.path, "conf");
  const entries = await readdir(home, { recursive: true, withFileTypes: true }).catch(() => []);
  if (entries.length === 0)
    throw new FolderFault("missing", `${home}: there are no keys and certificates.`);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
    .sort();
  return Promise.all(
    paths.map(async (path) => ({
      path,
      text: (await readText(join(home, path))) ?? "",
      isSecret: SECRET.test(path),
      isGroup: GROUP.test(path),
    })),
  );
}
