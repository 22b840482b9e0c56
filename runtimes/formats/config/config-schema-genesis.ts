/** Sections and keys of group.N.genesis. Source: groups 6 */
import { DEFAULT_GENESIS_TIMESTAMP } from "../../../core/model/genesis.ts";
import { BOOLEAN, INT64, integer, NODE_ID, oneOf, TEXT } from "./config-kinds.ts";
import { key, list, type Schema, unset } from "./config-schema.ts";

/** The reference keeps milliseconds in 32 bits. */
const MAX_TIMEOUT_SECONDS = 4_294_966;

/** group.N.genesis. */
export const GENESIS_SCHEMA = {
  consensus: {
    en: "Who agrees on blocks, and how. Part of block 0: the same on all members, for ever.",
    zh: "由谁、以何种方式对区块达成共识。属于创世块：所有成员必须相同，且永不更改。",
    keys: {
      consensus_type: key(oneOf("pbft", "raft", "rpbft"), "pbft", {
        en: "Consensus algorithm.",
        zh: "共识算法。",
        notOffered: {
          en: "rpbft is not offered yet; use pbft or raft",
          zh: "暂不提供 rpbft，请使用 pbft 或 raft",
          when: (value) => value === "rpbft",
        },
      }),
      max_trans_num: key(integer(1), 1000, {
        en: "Most transactions of a block: the first value of tx_count_limit.",
        zh: "一个区块的最大交易数，即 tx_count_limit 的初始值。",
      }),
      consensus_timeout: key(integer(3, MAX_TIMEOUT_SECONDS), 3, {
        en: "Seconds until a leader is given up.",
        zh: "放弃领导者之前等待的秒数。",
      }),
      min_elect_time: key(integer(1, 3_600_000), 1000, {
        en: "Raft: shortest election timeout in milliseconds.",
        zh: "Raft：最短选举超时（毫秒）。",
      }),
      max_elect_time: key(integer(1, 3_600_000), 2000, {
        en: "Raft: longest election timeout in milliseconds.",
        zh: "Raft：最长选举超时（毫秒）。",
      }),
      epoch_sealer_num: unset(integer(1), {
        en: "rPBFT: sealers of an epoch.",
        zh: "rPBFT：每个周期的共识节点数。",
        shown: { en: "number of sealers", zh: "共识节点数" },
        noEffect: true,
      }),
      epoch_block_num: key(integer(1), 1000, {
        en: "rPBFT: blocks of an epoch.",
        zh: "rPBFT：每个周期的区块数。",
        noEffect: true,
      }),
      "node.<i>": list(NODE_ID, {
        en: "Node IDs of the first sealers.",
        zh: "初始共识节点的节点 ID。",
      }),
    },
  },
  state: {
    en: "State of contracts.",
    zh: "合约状态。",
    keys: {
      type: key(oneOf("storage", "mpt"), "storage", {
        en: "How the state is kept.",
        zh: "状态的存储方式。",
        notOffered: {
          en: "only the state type storage is built here",
          zh: "此处只实现了 storage 状态类型",
          when: (value) => value === "mpt",
        },
      }),
    },
  },
  tx: {
    en: "Transactions.",
    zh: "交易。",
    keys: {
      gas_limit: key(INT64, 300_000_000n, {
        en: "Gas limit of a transaction: the first value of tx_gas_limit.",
        zh: "单个交易的 gas 上限，即 tx_gas_limit 的初始值。",
      }),
    },
  },
  group: {
    en: "The group itself.",
    zh: "群组本身。",
    keys: {
      id: unset(integer(1, 32_767), {
        en: "Number of the group; required.",
        zh: "群组编号，必填。",
      }),
      timestamp: key(INT64, DEFAULT_GENESIS_TIMESTAMP, {
        en: "Timestamp of block 0 in milliseconds.",
        zh: "创世块时间戳（毫秒）。",
        shown: { en: "2^63 - 1", zh: "2^63 - 1" },
      }),
    },
  },
  evm: {
    en: "The virtual machine.",
    zh: "虚拟机。",
    keys: {
      enable_free_storage: key(BOOLEAN, false, {
        en: "Storage is cheap in gas, from compatibility version 2.4.0.",
        zh: "降低存储的 gas 消耗，兼容版本 2.4.0 起有效。",
      }),
    },
  },
  event_filter: {
    en: "Event filters of SDKs.",
    zh: "SDK 的事件过滤器。",
    keys: {
      max_block_range: key(integer(0), 0, {
        en: "Most blocks between the ends of a filter; 0 is unlimited.",
        zh: "过滤器的最大区块跨度，0 表示不限。",
      }),
      max_block_per_process: key(integer(0), 0, {
        en: "Most blocks looked at in one turn; 0 is the built-in value.",
        zh: "每轮处理的最大区块数，0 表示内置值。",
      }),
    },
  },
  storage: {
    en: "Only of chains before 2.0.0.",
    zh: "仅用于 2.0.0 之前的链。",
    keys: {
      type: key(TEXT, "", {
        en: "Old place of storage.type.",
        zh: "旧的存储类型位置。",
        noEffect: true,
      }),
      topic: key(TEXT, "", {
        en: "Old place of storage.topic.",
        zh: "旧的主题位置。",
        noEffect: true,
      }),
      max_retry: key(TEXT, "", {
        en: "Old place of storage.max_retry.",
        zh: "旧的重试次数位置。",
        noEffect: true,
      }),
    },
  },
} as const satisfies Schema;
