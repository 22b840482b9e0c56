/** The ini files of a new node as text. Source: generator 6.1-3; groups 6-8 */
import type { NodeId } from "../../core/bytes/ids.ts";
import {
  type ChainPlan,
  DEFAULT_JSON_RPC_IP,
  type PlannedGroup,
  type PlannedNode,
} from "./chain-layout.ts";
import { writeGenesisFile } from "../formats/config/genesis-file.ts";
import { writeNodeConfig } from "../formats/config/node-config.ts";
import { suiteFile } from "../formats/config/suite-files.ts";

/** What config.ini says on a national chain; the files are named as the default is. */
const NATIONAL_SECTIONS = {
  chain: { sm_crypto: true },
  network_security: {
    key: suiteFile("node.key", "national"),
    cert: suiteFile("node.crt", "national"),
    ca_cert: suiteFile("ca.crt", "national"),
  },
} as const;

/** config.ini of a node. Source: groups 8; generator 6.1 */
export function nodeConfigText(node: PlannedNode, plan: ChainPlan): string {
  const { listenIp, suite } = plan;
  const { rpc, channel, p2p, ws } = node.ports;
  return writeNodeConfig({
    ...(suite === "national" ? NATIONAL_SECTIONS : {}),
    rpc: {
      channel_listen_ip: listenIp,
      channel_listen_port: channel,
      jsonrpc_listen_ip: DEFAULT_JSON_RPC_IP,
      jsonrpc_listen_port: rpc,
    },
    p2p: {
      listen_ip: listenIp,
      listen_port: p2p,
      ...(ws === undefined ? {} : { ws_listen_ip: listenIp, ws_listen_port: ws }),
      "node.<i>": plan.peers,
    },
  });
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
