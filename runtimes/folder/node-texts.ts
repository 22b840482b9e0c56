/** The ini files of a new node as text. Source: generator 6.1-3; groups 6-8 */
import type { NodeId } from "../../core/bytes/ids.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import {
  type ChainPlan,
  DEFAULT_JSON_RPC_IP,
  type NodePorts,
  type PlannedGroup,
  type PlannedNode,
} from "./chain-layout.ts";
import { ENDPOINT, type Endpoint } from "../formats/config/config-kinds.ts";
import { writeGenesisFile } from "../formats/config/genesis-file.ts";
import { replaceList, setValue } from "../formats/config/ini-edit.ts";
import { writeNodeConfig } from "../formats/config/node-config.ts";
import { suiteFile } from "../formats/config/suite-files.ts";

/** What tells one node's config.ini from another's. */
export interface NodeSettings {
  readonly suite: SuiteName;
  /** Addresses to listen on. */
  readonly rpcIp: string;
  readonly channelIp: string;
  /** Of peers, over WebSocket too; what a template says when absent. */
  readonly p2pIp?: string;
  readonly ports: NodePorts;
  /** Where peers are, in their order, the own one included. Source: generator 6.1 */
  readonly peers: readonly Endpoint[];
  /**
   * File with the token that callers need who change groups and peers, relative to the node's
   * folder; callers of its own host need none when absent. Source: decision 31
   */
  readonly tokenFile?: string;
}

/** What config.ini says on a national chain; the files are named as the default is. */
const NATIONAL_SECTIONS = {
  chain: { sm_crypto: true },
  network_security: {
    key: suiteFile("node.key", "national"),
    cert: suiteFile("node.crt", "national"),
    ca_cert: suiteFile("ca.crt", "national"),
  },
} as const;

/**
 * Peers reach a node at all its addresses unless it is configured otherwise. Source: generator 6.1
 */
const ANY_IP = "0.0.0.0";

/** Where a node has the token that {@link NodeSettings.tokenFile} names. */
export const TOKEN_FILE = "conf/management.token";

/** The settings of a node that `chain-node init` plans. */
export function settingsOf(node: PlannedNode, plan: ChainPlan): NodeSettings {
  const { suite, peers } = plan;
  const { listenIp = plan.listenIp, ports } = node;
  const { rpcIp = DEFAULT_JSON_RPC_IP, channelIp = listenIp } = node;
  const ips = { rpcIp, channelIp, p2pIp: listenIp };
  return { suite, ...ips, ports, peers, ...(plan.hasToken ? { tokenFile: TOKEN_FILE } : {}) };
}

/** config.ini of a node. Source: groups 8; generator 6.1 */
export function nodeConfigText(settings: NodeSettings): string {
  const { suite, rpcIp, channelIp, p2pIp = ANY_IP, ports, peers } = settings;
  const { rpc, channel, p2p, ws } = ports;
  return writeNodeConfig({
    ...(suite === "national" ? NATIONAL_SECTIONS : {}),
    rpc: {
      channel_listen_ip: channelIp,
      channel_listen_port: channel,
      jsonrpc_listen_ip: rpcIp,
      jsonrpc_listen_port: rpc,
      ...managementValues(settings),
    },
    p2p: {
      listen_ip: p2pIp,
      listen_port: p2p,
      ...(ws === undefined ? {} : { ws_listen_ip: p2pIp, ws_listen_port: ws }),
      "node.<i>": peers,
    },
  });
}

function managementValues({ tokenFile }: NodeSettings) {
  if (tokenFile === undefined) return {};
  return { management: "token", management_token_file: tokenFile } as const;
}

/** config.ini for people to change, with a peer that stands for all. Source: generator 1 */
export function nodeConfigTemplate(suite: SuiteName): string {
  const ports = { rpc: 8545, channel: 20_200, p2p: 30_300 };
  const peers = [{ host: "127.0.0.1", port: ports.p2p }];
  return nodeConfigText({ suite, rpcIp: "127.0.0.1", channelIp: ANY_IP, ports, peers });
}

/**
 * config.ini of a node from a template: addresses, ports and peers are the node's; everything else
 * is what the template's owner made of it, comments included. Source: generator 1, 6.1
 */
export function nodeConfigFrom(template: string, settings: NodeSettings): string {
  const { rpcIp, channelIp, p2pIp, ports, peers } = settings;
  const values: readonly (readonly [string, string, string | number | undefined])[] = [
    ["rpc", "channel_listen_ip", channelIp],
    ["rpc", "jsonrpc_listen_ip", rpcIp],
    ["rpc", "channel_listen_port", ports.channel],
    ["rpc", "jsonrpc_listen_port", ports.rpc],
    ["p2p", "listen_ip", p2pIp],
    ["p2p", "listen_port", ports.p2p],
    ["p2p", "ws_listen_ip", ports.ws === undefined ? undefined : p2pIp],
    ["p2p", "ws_listen_port", ports.ws],
    ...Object.entries(managementValues(settings)).map(
      ([key, value]) => ["rpc", key, value] as const,
    ),
  ];
  let text = template;
  for (const [section, key, value] of values) {
    if (value !== undefined) text = setValue(text, { section, key, value: String(value) });
  }
  return withPeers(text, peers);
}

/** config.ini with these peers instead of its own. Source: generator 2 (-m, -p) */
export function withPeers(config: string, peers: readonly Endpoint[]): string {
  return replaceList(config, { section: "p2p", stem: "node." }, peers.map(ENDPOINT.write));
}

/** A moment as genesis files have it: whole seconds, in milliseconds. Source: generator 6.3 */
export function genesisTimestamp(now: number): number {
  return Math.floor(now / 1000) * 1000;
}

/** group.N.genesis: the same on all members. Source: groups 6; generator 6.3 */
export function genesisText(
  group: PlannedGroup,
  sealers: readonly NodeId[],
  timestamp: number,
): string {
  return writeGenesisFile({
    groupId: group.id,
    timestamp: BigInt(timestamp),
    consensusType: group.consensus,
    sealers,
    maxTransactions: 1000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
    ...(group.consensus === "raft" ? { minElectTimeMs: 1000, maxElectTimeMs: 2000 } : {}),
  });
}
