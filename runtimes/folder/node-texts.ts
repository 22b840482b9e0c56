/**
 * The ini files of a new node as text. All values are the defaults of the specification, written
 * out so that operators see them. Source: generator 6.1-6.3; groups 6-8
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import type { ChainPlan, PlannedGroup, PlannedNode } from "./chain-layout.ts";

/** Newest compatibility version. Source: spec README decision 13 */
const SUPPORTED_VERSION = "2.11.1";

/** config.ini of a node. Source: groups 8, generator 6.1 */
export function nodeConfigText(node: PlannedNode, plan: ChainPlan): string {
  const { rpc, channel, p2p, ws } = node.ports;
  const webSocket =
    ws === undefined
      ? ["    ; port for browsers and edge functions, off without it", "    ;ws_listen_port=40300"]
      : [`    ws_listen_ip=${plan.listenIp}`, `    ws_listen_port=${ws}`];
  return `[rpc]
    ; SDKs with a certificate of this chain
    channel_listen_ip=${plan.listenIp}
    channel_listen_port=${channel}
    ; JSON-RPC over HTTP knows no users: open it to trusted networks only
    jsonrpc_listen_ip=127.0.0.1
    jsonrpc_listen_port=${rpc}
    ; true refuses to generate, start, stop, remove and recover groups
    disable_dynamic_group=false
[p2p]
    listen_ip=${plan.listenIp}
    listen_port=${p2p}
${webSocket.join("\n")}
    ; nodes to connect to; the own one is passed over
${plan.endpoints.map((endpoint, index) => `    node.${index}=${endpoint}`).join("\n")}
[certificate_blacklist]
    ; node IDs that are refused, whatever the whitelist says
    ;crl.0=
[certificate_whitelist]
    ; when there is one, only these node IDs may connect
    ;cal.0=
[group]
    group_data_path=data/
    group_config_path=conf/
[network_security]
    data_path=conf/
    key=node.key
    cert=node.crt
    ca_cert=ca.crt
[storage_security]
    enable=false
[chain]
    id=1
    sm_crypto=false
    sm_crypto_channel=false
[compatibility]
    ; fixed for the life of the chain
    supported_version=${SUPPORTED_VERSION}
[log]
    enable=true
    log_path=./log
    ; trace, debug, info, warning or error
    level=info
    ; MB
    max_log_file_size=200
    flush=true
    enable_statistic=false
    ; seconds
    stat_flush_interval=60
[flow_control]
    ; requests per second on the channel port
    ;limit_req=1000
    ; Mbit/s for serving blocks, may have decimals
    ;outgoing_bandwidth_limit=2
`;
}

/** group.N.genesis: the same on all members. Source: groups 6, generator 6.3 */
export function genesisText(
  group: PlannedGroup,
  sealers: readonly NodeId[],
  timestamp: number,
): string {
  const elections =
    group.consensus === "raft"
      ? "    ; milliseconds\n    min_elect_time=1000\n    max_elect_time=2000\n"
      : "";
  return `[consensus]
    ; pbft or raft
    consensus_type=${group.consensus}
    ; transactions of a block at most
    max_trans_num=1000
    ; seconds, at least 3
    consensus_timeout=3
${elections}    ; node IDs of the first sealers
${sealers.map((id, index) => `    node.${index}=${id}`).join("\n")}
[state]
    type=storage
[tx]
    ; gas of a transaction at most
    gas_limit=300000000
[group]
    id=${group.id}
    ; milliseconds, of block 0
    timestamp=${timestamp}
[evm]
    enable_free_storage=false
`;
}

/** group.N.ini: tuning of one node. Source: groups 7, generator 6.2 */
export function groupIniText(): string {
  return `[consensus]
    ; least time between blocks in milliseconds, below 1000
    min_block_generation_time=500
    enable_dynamic_block_size=true
    enable_ttl_optimization=true
    enable_prepare_with_txsHash=true
[storage]
    ; rocksdb means the node's own store
    type=rocksdb
    binary_log=false
    cached_storage=true
    ; MB
    max_capacity=32
    max_forward_block=10
[tx_pool]
    limit=150000
    ; MB
    memory_limit=512
    notify_worker_num=2
    ; seconds
    txs_expiration_time=600
[sync]
    ; MB, at least 32
    max_block_sync_memory_size=512
    idle_wait_ms=200
    sync_block_by_tree=true
    send_txs_by_tree=true
    ; 1000 to 3000
    gossip_interval_ms=1000
    gossip_peers_number=3
    txs_max_gossip_peers_num=5
[flow_control]
    ; requests per second for this group on the channel port
    ;limit_req=1000
    ; Mbit/s for serving blocks, may have decimals
    ;outgoing_bandwidth_limit=2
[sdk_allowlist]
    ; public keys of SDKs that may use this group; everyone when there is none
    ;public_key.0=
`;
}
