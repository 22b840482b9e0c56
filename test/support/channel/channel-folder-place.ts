/**
 * Three nodes on folders, with the certificates of a deployment tool and with
 * limits: node 0 seals and has lists of SDKs, node 1 is of no group and limits requests and
 * bandwidth, node 2 is in RSA mode.
 */
import assert from "node:assert/strict";
import { createPrivateKey, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SdkFiles } from "./channel-client.ts";
import { addressOf, type ChannelPlace } from "./channel-place.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  setIni,
} from "../process/node-processes.ts";
import {
  expiredLeaf,
  type Holder,
  keyPem,
  newAgency,
  newEd25519Key,
  newLeaf,
  newRsaChain,
  newRsaKey,
  newToolChain,
  pemOf,
  sdkIdOf,
  toolSdkFiles,
} from "../tool-certificates.ts";

/** Groups by what is special about them. */
export const GROUP = { listed: 1, changing: 2, forgetful: 3, full: 4 } as const;
/** Requests per second of node 1. */
export const NODE_LIMIT = 20;
/** Requests per second of group 3. */
export const GROUP_LIMIT = 3;
/** Mbit/s of node 1. */
export const BANDWIDTH = 1;
/** Blocks that a filter of group 1 may span. */
export const BLOCK_RANGE = 2;
/** Sessions that the node in RSA mode takes. */
export const MOST_SESSIONS = 6;
/** Index of the node in RSA mode. */
export const RSA_NODE = 2;

/** The place. */
export interface FolderPlace extends ChannelPlace {
  readonly processes: readonly NodeProcess[];
  /** Another SDK of the same agency, which is on no list. */
  readonly outsider: SdkFiles;
  readonly outsiderId: string;
  /** The SDK that is on the lists. */
  readonly ownId: string;
  /** An SDK of another agency of the chain. */
  readonly otherAgency: SdkFiles;
  /** An SDK of the agency whose certificate has expired. */
  readonly expired: SdkFiles;
  /** An SDK of RSA mode whose certificate is of version 1. */
  readonly plainRsa: SdkFiles;
  /** SDKs of the agency whose keys are of other kinds. */
  readonly otherKeys: readonly SdkFiles[];
  /** An SDK of another chain. */
  readonly otherChain: SdkFiles;
  /** node.crt of nodes 0 and 1. */
  readonly nodePath: string;
  close(): Promise<void>;
}

function fileOf({ folder }: NodeProcess, ...names: readonly string[]): string {
  return join(folder, ...names);
}

function groupFile(node: NodeProcess, groupId: number, kind = "ini"): string {
  return fileOf(node, "conf", `group.${groupId}.${kind}`);
}

/** Lists the SDKs that may use a group; nobody else may. */
export async function listSdks(
  node: NodeProcess,
  groupId: number,
  ids: readonly string[],
): Promise<void> {
  const path = groupFile(node, groupId);
  const lines = (await readFile(path, "utf8")).split("\n");
  const kept = lines.filter((line) => !/^\s*public_key\.\d+\s*=/.test(line));
  const at = kept.findIndex((line) => line.trim() === "[sdk_allowlist]");
  const entries = ids.map((id, index) => `public_key.${index}=${id}`);
  const changed =
    at < 0
      ? [...kept, "[sdk_allowlist]", ...entries, ""]
      : [...kept.slice(0, at + 1), ...entries, ...kept.slice(at + 1)];
  await writeFile(path, changed.join("\n"));
}

async function limitNodes(nodes: readonly NodeProcess[], sdkId: string): Promise<void> {
  const [sealer, limited, rsa] = nodes;
  assert.ok(sealer && limited && rsa);
  for (const node of nodes) {
    const genesis = groupFile(node, GROUP.listed, "genesis");
    await setIni(genesis, "consensus", ["max_trans_num", "1"]);
    await setIni(genesis, "event_filter", ["max_block_range", `${BLOCK_RANGE}`]);
  }
  await listSdks(sealer, GROUP.listed, [sdkId]);
  await listSdks(sealer, GROUP.changing, [sdkId]);
  const forgetful = groupFile(sealer, GROUP.forgetful);
  await setIni(forgetful, "tx_pool", ["memory_limit", "0"]);
  await setIni(forgetful, "flow_control", ["limit_req", `${GROUP_LIMIT}`]);
  await setIni(groupFile(sealer, GROUP.full), "tx_pool", ["limit", "1"]);
  const config = fileOf(limited, "config.ini");
  await setIni(config, "network_security", ["check_cert_issuer", "false"]);
  await setIni(config, "flow_control", ["limit_req", `${NODE_LIMIT}`]);
  await setIni(config, "flow_control", ["outgoing_bandwidth_limit", `${BANDWIDTH}`]);
  const rsaConfig = fileOf(rsa, "config.ini");
  await setIni(rsaConfig, "chain", ["rsa_crypto_channel", "true"]);
  await setIni(rsaConfig, "rpc", ["channel_max_sessions", `${MOST_SESSIONS}`]);
  await listSdks(rsa, GROUP.listed, [sdkId]);
}

/** Node 2 says nowhere at which address its channel port listens. */
async function forgetAddress(node: NodeProcess): Promise<void> {
  const path = fileOf(node, "config.ini");
  const lines = (await readFile(path, "utf8")).split("\n");
  const kept = lines.filter((line) => !/^\s*channel_listen_ip\s*=/.test(line));
  await writeFile(path, kept.join("\n"));
}

async function writeRsa(node: NodeProcess) {
  const { root, node: leaf, sdk, plainSdk } = newRsaChain();
  const folder = fileOf(node, "conf", "channel_cert");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ca.crt"), pemOf(root));
  await writeFile(join(folder, "node.crt"), pemOf(leaf));
  await writeFile(join(folder, "node.key"), keyPem(leaf.key), { mode: 0o600 });
  const filesOf = (holder: Holder): SdkFiles => ({
    ca: pemOf(root),
    cert: pemOf(holder),
    key: keyPem(holder.key),
  });
  return { sdk: filesOf(sdk), plain: filesOf(plainSdk) };
}

function channelPort(node: NodeProcess): number {
  const text = readFileSync(fileOf(node, "config.ini"), "utf8");
  return Number(/^\s*channel_listen_port\s*=\s*(\d+)/m.exec(text)?.[1]);
}

async function prepare(chain: ProcessChain): Promise<FolderPlace> {
  const tools = newToolChain("agencyA");
  const { root, agency } = tools;
  const [own, outsider] = [newLeaf(agency, "sdk"), newLeaf(agency, "sdk")];
  const sdk = toolSdkFiles(tools, own);
  let nodePath = "";
  for (const node of chain.nodes) {
    const key = createPrivateKey(await readFile(fileOf(node, "conf", "node.key"), "utf8"));
    nodePath = pemOf(newLeaf(agency, "node", key), agency, root);
    await writeFile(fileOf(node, "conf", "node.crt"), nodePath);
    await writeFile(fileOf(node, "conf", "ca.crt"), sdk.ca);
  }
  const [sealer, , rsa] = chain.nodes;
  assert.ok(sealer && rsa);
  nodePath = await readFile(fileOf(sealer, "conf", "node.crt"), "utf8");
  await limitNodes(chain.nodes, sdkIdOf(own.key));
  await forgetAddress(rsa);
  const rsaFiles = await writeRsa(rsa);
  const files = [sdk, sdk, rsaFiles.sdk];
  // All of them, so that none is still starting when the folder is removed.
  const starts = await Promise.allSettled(chain.nodes.map((node) => node.start()));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
  return {
    processes: chain.nodes,
    privateKey: `0x${randomBytes(32).toString("hex")}`,
    nodes: chain.nodes.map((node, index) => ({
      channel: addressOf(`127.0.0.1:${channelPort(node)}`, files[index] ?? sdk),
      rpc: node.url,
      nodeId: node.nodeId,
    })),
    outsider: toolSdkFiles(tools, outsider),
    outsiderId: sdkIdOf(outsider.key),
    ownId: sdkIdOf(own.key),
    otherAgency: toolSdkFiles({ root, agency: newAgency(root, "agencyB") }),
    expired: toolSdkFiles(tools, expiredLeaf(agency)),
    otherKeys: [newRsaKey(), newEd25519Key()].map((key) =>
      toolSdkFiles(tools, newLeaf(agency, "sdk", key)),
    ),
    plainRsa: rsaFiles.plain,
    otherChain: { ...toolSdkFiles(newToolChain("agencyA")), ca: sdk.ca },
    nodePath,
    close: () => chain.close(),
  };
}

/** Writes the folders and starts the nodes. */
export async function startFolderPlace(): Promise<FolderPlace> {
  const groups = Object.values(GROUP)
    .map((id) => `${id}:pbft`)
    .join(",");
  const chain = await initProcessChain({ nodes: 3, groups, sealers: 1, pauseMs: 50, hosted: true });
  try {
    return await prepare(chain);
  } catch (cause) {
    await chain.close();
    throw cause;
  }
}
