/** Sections and keys of group.N.ini. Source: groups 7 */
import { BOOLEAN, decimal, integer, NODE_ID, oneOf, POSITIVE, TEXT } from "./config-kinds.ts";
import { key, list, type Schema, unset } from "./config-schema.ts";

/** The longest pause before a block that the reference knows. */
const LONGEST_PAUSE_MS = 999;
const DEFAULT_RETRIES = 60;

const CONSENSUS = {
  ttl: key(integer(0, 5), 2, {
    en: "Hops of a consensus message.",
    zh: "共识消息的转发跳数。",
    noEffect: true,
    commented: "2",
  }),
  min_block_generation_time: key(integer(0), 500, {
    en: "Shortest time between blocks in milliseconds; 1000 and more act as 999.",
    zh: "最短出块间隔（毫秒），大于等于 1000 时按 999 处理。",
    correct: (value) => Math.min(value, LONGEST_PAUSE_MS),
    written: "500",
  }),
  enable_dynamic_block_size: key(BOOLEAN, true, {
    en: "Shrink blocks after a timeout and let them grow again.",
    zh: "超时后缩小区块，随后再逐步增大。",
    written: "true",
  }),
  block_size_increase_ratio: key(decimal(0, 2), 0.5, {
    en: "By how much blocks grow again.",
    zh: "区块重新增大的比例。",
    forgiving: true,
  }),
  enable_ttl_optimization: key(BOOLEAN, true, {
    en: "Forward consensus messages only to nodes that lack them.",
    zh: "只向缺少共识消息的节点转发。",
    shown: { en: "true; false below version 2.2.0", zh: "true；版本低于 2.2.0 时为 false" },
    noEffect: true,
    written: "true",
  }),
  enable_prepare_with_txsHash: key(BOOLEAN, true, {
    en: "Proposals carry hashes instead of transactions.",
    zh: "提案只携带交易哈希。",
    shown: { en: "true; false below version 2.2.0", zh: "true；版本低于 2.2.0 时为 false" },
    noEffect: true,
    written: "true",
  }),
  broadcast_prepare_by_tree: key(BOOLEAN, true, {
    en: "rPBFT: proposals travel along a tree.",
    zh: "rPBFT：以树状拓扑广播提案。",
    noEffect: true,
    written: "true",
  }),
  prepare_status_broadcast_percent: key(integer(25, 100), 33, {
    en: "rPBFT: share of nodes that are told about a proposal.",
    zh: "rPBFT：接收提案状态的节点百分比。",
    noEffect: true,
    written: "33",
  }),
  max_request_missedTxs_waitTime: key(integer(5, 1000), 100, {
    en: "Longest wait before missing transactions are asked for, in milliseconds.",
    zh: "请求缺失交易前的最长等待（毫秒）。",
    noEffect: true,
    written: "100",
  }),
  max_request_prepare_waitTime: key(integer(10, 1000), 100, {
    en: "Longest wait before a missing proposal is asked for, in milliseconds.",
    zh: "请求缺失提案前的最长等待（毫秒）。",
    noEffect: true,
    written: "100",
  }),
} as const;

const DATABASE = {
  db_ip: key(TEXT, "127.0.0.1", {
    en: "mysql: host.",
    zh: "mysql：主机。",
    noEffect: true,
    written: "127.0.0.1",
  }),
  db_port: key(integer(0, 65_535), 3306, {
    en: "mysql: port.",
    zh: "mysql：端口。",
    noEffect: true,
    written: "3306",
  }),
  db_username: key(TEXT, "", {
    en: "mysql: user.",
    zh: "mysql：用户。",
    noEffect: true,
    written: "",
  }),
  db_passwd: key(TEXT, "", {
    en: "mysql: password.",
    zh: "mysql：密码。",
    noEffect: true,
    written: "",
  }),
  db_name: key(TEXT, "", {
    en: "mysql: database.",
    zh: "mysql：数据库名。",
    noEffect: true,
    written: "",
  }),
  db_charset: key(TEXT, "utf8mb4", {
    en: "mysql: character set.",
    zh: "mysql：字符集。",
    noEffect: true,
  }),
  init_connections: key(integer(0), 15, {
    en: "mysql: connections at start.",
    zh: "mysql：初始连接数。",
    noEffect: true,
  }),
  max_connections: key(integer(0), 50, {
    en: "mysql: most connections.",
    zh: "mysql：最大连接数。",
    noEffect: true,
  }),
} as const;

const STORAGE = {
  type: key(oneOf("rocksdb", "scalable", "leveldb", "mysql", "external"), "rocksdb", {
    en: "Store of the ledger. rocksdb, scalable and leveldb mean this node's own store.",
    zh: "账本的存储。rocksdb、scalable 与 leveldb 均表示本节点自带的存储。",
    notOffered: {
      en: "this node keeps ledgers in its own store; use rocksdb",
      zh: "本节点使用自带的存储，请使用 rocksdb",
      when: (value) => value === "mysql" || value === "external",
    },
    written: "rocksdb",
  }),
  binary_log: key(BOOLEAN, false, {
    en: "Write a binary log beside the ledger.",
    zh: "在账本之外写二进制日志。",
    noEffect: true,
    written: "false",
  }),
  scroll_threshold_multiple: key(integer(0), 2, {
    en: "scalable: blocks of a part in thousands; 0 acts as 2.",
    zh: "scalable：每段的区块数（千），0 按 2 处理。",
    correct: (value) => (value === 0 ? 2 : value),
    noEffect: true,
    written: "2",
  }),
  cached_storage: key(BOOLEAN, true, {
    en: "Keep rows in memory.",
    zh: "在内存中缓存数据行。",
    noEffect: true,
    written: "true",
  }),
  max_capacity: key(integer(1), 32, {
    en: "Memory of the row cache in MB.",
    zh: "行缓存的内存（MB）。",
    noEffect: true,
    written: "32",
  }),
  max_forward_block: key(integer(0), 10, {
    en: "Blocks that the cache may be ahead of the disk.",
    zh: "缓存可领先磁盘的区块数。",
    noEffect: true,
    written: "10",
  }),
  max_retry: key(integer(0), DEFAULT_RETRIES, {
    en: "external: tries; 0 and 1 act as 60.",
    zh: "external：重试次数，0 和 1 按 60 处理。",
    correct: (value) => (value <= 1 ? DEFAULT_RETRIES : value),
    noEffect: true,
    written: "60",
  }),
  topic: key(TEXT, "DB", {
    en: "external: topic.",
    zh: "external：主题。",
    noEffect: true,
    written: "DB",
  }),
  enable_reconfirm_committee: key(BOOLEAN, false, {
    en: "A committee of one member restricts nobody yet; equal on all nodes of the group.",
    zh: "委员会只有一名成员时不限制任何人；群组内所有节点须一致。",
  }),
  ...DATABASE,
} as const;

const TX_POOL = {
  limit: key(integer(0), 102_400, {
    en: "Most transactions in the pool.",
    zh: "交易池的最大交易数。",
    forgiving: true,
    written: "150000",
  }),
  memory_limit: key(integer(0, 1_048_576), 512, {
    en: "Most memory of the pool in MB.",
    zh: "交易池的最大内存（MB）。",
    forgiving: true,
    written: "512",
  }),
  notify_worker_num: key(integer(1), 2, {
    en: "Threads that notify about receipts.",
    zh: "回执通知的线程数。",
    forgiving: true,
    noEffect: true,
    written: "2",
  }),
  txs_expiration_time: key(integer(0), 600, {
    en: "Seconds that a transaction may wait; never less than the consensus timeout.",
    zh: "交易可等待的秒数，不小于共识超时。",
    forgiving: true,
  }),
} as const;

const SYNC = {
  max_block_sync_memory_size: key(integer(32, 1_048_576), 512, {
    en: "Most memory for downloaded blocks in MB.",
    zh: "下载区块的最大内存（MB）。",
    written: "512",
  }),
  idle_wait_ms: key(integer(0), 200, {
    en: "Pause of the download loop in milliseconds.",
    zh: "下载循环的间隔（毫秒）。",
    written: "200",
  }),
  sync_block_by_tree: key(BOOLEAN, true, {
    en: "Block status travels along a tree; not in raft groups.",
    zh: "以树状拓扑广播区块状态，raft 群组无效。",
    shown: { en: "true; false up to version 2.1.0", zh: "true；版本不高于 2.1.0 时为 false" },
    written: "true",
  }),
  send_txs_by_tree: key(BOOLEAN, true, {
    en: "Transactions travel along a tree; not in raft groups.",
    zh: "以树状拓扑广播交易，raft 群组无效。",
    shown: { en: "true; false up to version 2.1.0", zh: "true；版本不高于 2.1.0 时为 false" },
    noEffect: true,
    written: "true",
  }),
  gossip_interval_ms: key(integer(1000, 3000), 1000, {
    en: "Time between gossip about block status in milliseconds.",
    zh: "区块状态 gossip 的间隔（毫秒）。",
    written: "1000",
  }),
  gossip_peers_number: key(integer(1), 3, {
    en: "Peers of one gossip.",
    zh: "每次 gossip 的节点数。",
    written: "3",
  }),
  txs_max_gossip_peers_num: key(integer(0), 5, {
    en: "Most peers that hear about a transaction's hash.",
    zh: "接收交易哈希的最大节点数。",
    noEffect: true,
    written: "5",
  }),
  allow_free_node: key(BOOLEAN, false, {
    en: "Nodes without a role may read blocks.",
    zh: "允许游离节点读取区块。",
  }),
  print_info_interval: key(integer(2), 10, {
    en: "Minutes between log lines about sync.",
    zh: "同步日志的间隔（分钟）。",
    noEffect: true,
  }),
} as const;

/** group.N.ini. */
export const GROUP_SCHEMA = {
  consensus: { en: "Making blocks.", zh: "出块。", keys: CONSENSUS },
  storage: { en: "The ledger on disk.", zh: "磁盘上的账本。", keys: STORAGE },
  tx_pool: {
    en: "The pool. A value that is not allowed here gives the default.",
    zh: "交易池。此节中不允许的值使用默认值。",
    keys: TX_POOL,
  },
  sync: {
    en: "Blocks and transactions between nodes.",
    zh: "节点间的区块与交易同步。",
    keys: SYNC,
  },
  flow_control: {
    en: "Limits of this group.",
    zh: "本群组的流量限制。",
    keys: {
      limit_req: unset(integer(1), {
        en: "Requests of SDKs per second.",
        zh: "SDK 每秒请求数。",
        shown: { en: "unlimited", zh: "不限" },
        commented: "1000",
      }),
      outgoing_bandwidth_limit: unset(POSITIVE, {
        en: "Outgoing bandwidth in Mbit/s.",
        zh: "出带宽（Mbit/s）。",
        shown: { en: "unlimited", zh: "不限" },
        commented: "2",
      }),
    },
  },
  sdk_allowlist: {
    en: "SDKs that may use the group.",
    zh: "可以使用本群组的 SDK。",
    keys: {
      "public_key.<i>": list(NODE_ID, {
        en: "Public keys of SDKs; none admits everyone.",
        zh: "SDK 公钥，为空时允许所有 SDK。",
        reloadable: true,
        commented: "",
      }),
    },
  },
  tx_execute: {
    en: "Execution.",
    zh: "交易执行。",
    keys: {
      enable_parallel: key(BOOLEAN, true, {
        en: "Execute in parallel.",
        zh: "并行执行交易。",
        noEffect: true,
      }),
    },
  },
} as const satisfies Schema;
