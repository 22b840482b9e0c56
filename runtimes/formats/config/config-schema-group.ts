/** Sections and keys of group.N.ini. Source: groups 7 */
import { BOOLEAN, decimal, integer, NODE_ID, oneOf, POSITIVE, TEXT } from "./config-kinds.ts";
import { idle, key, list, ours, type Schema, unset } from "./config-schema.ts";

/** The longest pause before a block that the reference knows. */
const LONGEST_PAUSE_MS = 999;
const DEFAULT_RETRIES = 60;

const CONSENSUS = {
  ttl: key(integer(0, 5), 2, {
    help: "Hops of a consensus message where it is passed on without a list; pbft only.",
    commented: "2",
  }),
  min_block_generation_time: key(integer(0), 500, {
    help: "Shortest time between blocks in milliseconds; 1000 and more act as 999.",
    correct: (value) => Math.min(value, LONGEST_PAUSE_MS),
    written: true,
  }),
  max_future_ms: ours(integer(1), 15_000, {
    help: "Milliseconds that a proposal may be ahead of the sealers' clocks to be voted for.",
  }),
  enable_dynamic_block_size: key(BOOLEAN, true, {
    help: "Shrink blocks after a timeout and let them grow again.",
    written: true,
  }),
  block_size_increase_ratio: key(decimal(0, 2), 0.5, {
    help: "By how much blocks grow again.",
    forgiving: true,
  }),
  enable_ttl_optimization: key(BOOLEAN, true, {
    help: "Consensus messages are passed on to sealers that lack them, by list; false: by ttl.",
    shown: "true; false below version 2.2.0",
    written: true,
  }),
  enable_prepare_with_txsHash: idle(BOOLEAN, true, {
    help: "Proposals carry hashes instead of transactions.",
    shown: "true; false below version 2.2.0",
    written: true,
  }),
  broadcast_prepare_by_tree: idle(BOOLEAN, true, {
    help: "rPBFT: proposals travel along a tree.",
    written: true,
  }),
  prepare_status_broadcast_percent: idle(integer(25, 100), 33, {
    help: "rPBFT: share of nodes that are notified of a proposal.",
    written: true,
  }),
  max_request_missedTxs_waitTime: idle(integer(5, 1000), 100, {
    help: "Longest wait before missing transactions are asked for, in milliseconds.",
    written: true,
  }),
  max_request_prepare_waitTime: idle(integer(10, 1000), 100, {
    help: "Longest wait before a missing proposal is asked for, in milliseconds.",
    written: true,
  }),
} as const;

const DATABASE = {
  db_ip: idle(TEXT, "127.0.0.1", { help: "mysql: host.", written: true }),
  db_port: idle(integer(0, 65_535), 3306, { help: "mysql: port.", written: true }),
  db_username: idle(TEXT, "", { help: "mysql: user.", written: true }),
  db_passwd: idle(TEXT, "", { help: "mysql: password.", written: true }),
  db_name: idle(TEXT, "", { help: "mysql: database.", written: true }),
  db_charset: idle(TEXT, "utf8mb4", { help: "mysql: character set." }),
  init_connections: idle(integer(0), 15, { help: "mysql: connections at start." }),
  max_connections: idle(integer(0), 50, { help: "mysql: most connections." }),
} as const;

const STORAGE = {
  type: key(oneOf("rocksdb", "scalable", "leveldb", "mysql", "external"), "rocksdb", {
    help: "Store of the ledger. rocksdb, scalable and leveldb mean this node's own store.",
    notOffered: {
      help: "this node keeps ledgers in its own store; use rocksdb",
      when: (value) => value === "mysql" || value === "external",
    },
    written: true,
  }),
  binary_log: idle(BOOLEAN, false, {
    help: "Write a binary log next to the ledger.",
    written: true,
  }),
  scroll_threshold_multiple: idle(integer(0), 2, {
    help: "scalable: blocks of a part in thousands; 0 acts as 2.",
    correct: (value) => (value === 0 ? 2 : value),
    written: true,
  }),
  cached_storage: idle(BOOLEAN, true, { help: "Keep rows in memory.", written: true }),
  max_capacity: idle(integer(1), 32, { help: "Memory of the row cache in MB.", written: true }),
  max_forward_block: idle(integer(0), 10, {
    help: "Blocks that the cache may be ahead of the disk.",
    written: true,
  }),
  max_retry: idle(integer(0), DEFAULT_RETRIES, {
    help: "external: tries; 0 and 1 act as 60.",
    correct: (value) => (value <= 1 ? DEFAULT_RETRIES : value),
    written: "60",
  }),
  topic: idle(TEXT, "DB", { help: "external: topic.", written: true }),
  enable_reconfirm_committee: key(BOOLEAN, false, {
    help: "A committee of one member restricts nobody yet; equal on all nodes of the group.",
  }),
  ...DATABASE,
} as const;

const TX_POOL = {
  limit: key(integer(0), 102_400, {
    help: "Most transactions in the pool.",
    forgiving: true,
    written: "150000",
  }),
  memory_limit: key(integer(0, 1_048_576), 512, {
    help: "Most memory of the pool in MB.",
    forgiving: true,
    written: true,
  }),
  notify_worker_num: idle(integer(1), 2, {
    help: "Threads that notify about receipts.",
    forgiving: true,
    written: true,
  }),
  txs_expiration_time: key(integer(0), 600, {
    help: "Seconds that a transaction may wait; never less than the consensus timeout.",
    forgiving: true,
  }),
} as const;

const SYNC = {
  max_block_sync_memory_size: key(integer(32, 1_048_576), 512, {
    help: "Most memory for downloaded blocks in MB.",
    written: true,
  }),
  idle_wait_ms: key(integer(0), 200, {
    help: "Pause of the download loop in milliseconds.",
    written: true,
  }),
  sync_block_by_tree: key(BOOLEAN, true, {
    help: "Block status travels along a tree; not in raft groups.",
    shown: "true; false up to version 2.1.0",
    written: true,
  }),
  send_txs_by_tree: idle(BOOLEAN, true, {
    help: "Transactions travel along a tree; not in raft groups.",
    shown: "true; false up to version 2.1.0",
    written: true,
  }),
  gossip_interval_ms: key(integer(1000, 3000), 1000, {
    help: "Time between gossip about block status in milliseconds.",
    written: true,
  }),
  gossip_peers_number: key(integer(1), 3, { help: "Peers of one gossip.", written: true }),
  txs_max_gossip_peers_num: idle(integer(0), 5, {
    help: "Most peers that hear about a transaction's hash.",
    written: true,
  }),
  allow_free_node: key(BOOLEAN, false, { help: "Nodes without a role may read blocks." }),
  print_info_interval: idle(integer(2), 10, { help: "Minutes between log lines about sync." }),
} as const;

/** Limits of traffic: a node and each of its groups may have some. */
export const FLOW_CONTROL = {
  limit_req: unset(integer(1), {
    help: "Requests of SDKs per second.",
    shown: "unlimited",
    commented: "1000",
  }),
  outgoing_bandwidth_limit: unset(POSITIVE, {
    help: "Outgoing bandwidth in Mbit/s.",
    shown: "unlimited",
    commented: "2",
  }),
} as const;

/** group.N.ini. */
export const GROUP_SCHEMA = {
  consensus: { help: "Making blocks.", keys: CONSENSUS },
  storage: { help: "The ledger on disk.", keys: STORAGE },
  tx_pool: { help: "The pool. A value that is not allowed here gives the default.", keys: TX_POOL },
  sync: { help: "Blocks and transactions between nodes.", keys: SYNC },
  flow_control: { help: "Limits of this group.", keys: FLOW_CONTROL },
  sdk_allowlist: {
    help: "SDKs that may use the group.",
    keys: {
      "public_key.<i>": list(NODE_ID, {
        help: "Public keys of SDKs; none admits everyone.",
        reloadable: true,
        commented: "",
      }),
    },
  },
  tx_execute: {
    help: "Execution.",
    keys: {
      enable_parallel: idle(BOOLEAN, true, { help: "Execute in parallel." }),
    },
  },
} as const satisfies Schema;
