/** Sections and keys of group.N.genesis. Source: groups 6 */
import { DEFAULT_GENESIS_TIMESTAMP } from "../../../core/model/genesis.ts";
import { BOOLEAN, INT64, integer, NODE_ID, oneOf, TEXT } from "./config-kinds.ts";
import { idle, key, list, type Schema, unset } from "./config-schema.ts";

/** The reference keeps milliseconds in 32 bits. */
const MAX_TIMEOUT_SECONDS = 4_294_966;

/** group.N.genesis. */
export const GENESIS_SCHEMA = {
  consensus: {
    help: "Who agrees on blocks, and how. Part of block 0: the same on all members, for ever.",
    keys: {
      consensus_type: key(oneOf("pbft", "raft", "rpbft"), "pbft", {
        help: "Consensus algorithm.",
        notOffered: {
          help: "rpbft is not offered yet; use pbft or raft",
          when: (value) => value === "rpbft",
        },
      }),
      max_trans_num: key(integer(1), 1000, {
        help: "Most transactions of a block: the first value of tx_count_limit.",
      }),
      consensus_timeout: key(integer(3, MAX_TIMEOUT_SECONDS), 3, {
        help: "Seconds until a leader is given up.",
      }),
      min_elect_time: key(integer(1, 3_600_000), 1000, {
        help: "Raft: shortest election timeout in milliseconds.",
      }),
      max_elect_time: key(integer(1, 3_600_000), 2000, {
        help: "Raft: longest election timeout in milliseconds.",
      }),
      epoch_sealer_num: unset(integer(1), {
        help: "rPBFT: sealers of an epoch.",
        shown: "number of sealers",
        noEffect: true,
      }),
      epoch_block_num: idle(integer(1), 1000, { help: "rPBFT: blocks of an epoch." }),
      "node.<i>": list(NODE_ID, { help: "Node IDs of the first sealers." }),
    },
  },
  state: {
    help: "State of contracts.",
    keys: {
      type: key(oneOf("storage", "mpt"), "storage", {
        help: "How the state is kept.",
        notOffered: {
          help: "only the state type storage is built here",
          when: (value) => value === "mpt",
        },
      }),
    },
  },
  tx: {
    help: "Transactions.",
    keys: {
      gas_limit: key(INT64, 300_000_000n, {
        help: "Gas limit of a transaction: the first value of tx_gas_limit.",
      }),
    },
  },
  group: {
    help: "The group itself.",
    keys: {
      id: unset(integer(1, 32_767), { help: "Number of the group; required." }),
      timestamp: key(INT64, DEFAULT_GENESIS_TIMESTAMP, {
        help: "Timestamp of block 0 in milliseconds.",
        shown: "2^63 - 1",
      }),
    },
  },
  evm: {
    help: "The virtual machine.",
    keys: {
      enable_free_storage: key(BOOLEAN, false, {
        help: "Storage is cheap in gas, from compatibility version 2.4.0.",
      }),
    },
  },
  event_filter: {
    help: "Event filters of SDKs.",
    keys: {
      max_block_range: key(integer(0), 0, {
        help: "Most blocks between the ends of a filter; 0 is unlimited.",
      }),
      max_block_per_process: key(integer(0), 0, {
        help: "Most blocks examined in one turn; 0 is the built-in value.",
      }),
    },
  },
  storage: {
    help: "Only of chains before 2.0.0.",
    keys: {
      type: idle(TEXT, "", { help: "Old place of storage.type." }),
      topic: idle(TEXT, "", { help: "Old place of storage.topic." }),
      max_retry: idle(TEXT, "", { help: "Old place of storage.max_retry." }),
    },
  },
} as const satisfies Schema;
