/** Sections and keys of group.N.genesis. Source: groups 6 */
import { DEFAULT_GENESIS_TIMESTAMP } from "../../../core/model/genesis.ts";
import { BOOLEAN, INT64, integer, NODE_ID, oneOf, TEXT } from "./config-kinds.ts";
import { idle, key, list, type Schema, unset } from "./config-schema.ts";

/** The reference keeps milliseconds in 32 bits. */
const MAX_TIMEOUT_SECONDS = 4_294_966;

/** group.N.genesis. */
export const GENESIS_SCHEMA = {
  consensus: {
    says: "Who agrees on blocks, and how. Part of block 0: the same on all members, for ever.",
    keys: {
      consensus_type: key(oneOf("pbft", "raft", "rpbft"), "pbft", {
        says: "Consensus algorithm.",
        notOffered: {
          says: "rpbft is not offered yet; use pbft or raft",
          when: (value) => value === "rpbft",
        },
      }),
      max_trans_num: key(integer(1), 1000, {
        says: "Most transactions of a block: the first value of tx_count_limit.",
      }),
      consensus_timeout: key(integer(3, MAX_TIMEOUT_SECONDS), 3, {
        says: "Seconds until a leader is given up.",
      }),
      min_elect_time: key(integer(1, 3_600_000), 1000, {
        says: "Raft: shortest election timeout in milliseconds.",
      }),
      max_elect_time: key(integer(1, 3_600_000), 2000, {
        says: "Raft: longest election timeout in milliseconds.",
      }),
      epoch_sealer_num: unset(integer(1), {
        says: "rPBFT: sealers of an epoch.",
        shown: "number of sealers",
        noEffect: true,
      }),
      epoch_block_num: idle(integer(1), 1000, { says: "rPBFT: blocks of an epoch." }),
      "node.<i>": list(NODE_ID, { says: "Node IDs of the first sealers." }),
    },
  },
  state: {
    says: "State of contracts.",
    keys: {
      type: key(oneOf("storage", "mpt"), "storage", {
        says: "How the state is kept.",
        notOffered: {
          says: "only the state type storage is built here",
          when: (value) => value === "mpt",
        },
      }),
    },
  },
  tx: {
    says: "Transactions.",
    keys: {
      gas_limit: key(INT64, 300_000_000n, {
        says: "Gas limit of a transaction: the first value of tx_gas_limit.",
      }),
    },
  },
  group: {
    says: "The group itself.",
    keys: {
      id: unset(integer(1, 32_767), { says: "Number of the group; required." }),
      timestamp: key(INT64, DEFAULT_GENESIS_TIMESTAMP, {
        says: "Timestamp of block 0 in milliseconds.",
        shown: "2^63 - 1",
      }),
    },
  },
  evm: {
    says: "The virtual machine.",
    keys: {
      enable_free_storage: key(BOOLEAN, false, {
        says: "Storage is cheap in gas, from compatibility version 2.4.0.",
      }),
    },
  },
  event_filter: {
    says: "Event filters of SDKs.",
    keys: {
      max_block_range: key(integer(0), 0, {
        says: "Most blocks between the ends of a filter; 0 is unlimited.",
      }),
      max_block_per_process: key(integer(0), 0, {
        says: "Most blocks examined in one turn; 0 is the built-in value.",
      }),
    },
  },
  storage: {
    says: "Only of chains before 2.0.0.",
    keys: {
      type: idle(TEXT, "", { says: "Old place of storage.type." }),
      topic: idle(TEXT, "", { says: "Old place of storage.topic." }),
      max_retry: idle(TEXT, "", { says: "Old place of storage.max_retry." }),
    },
  },
} as const satisfies Schema;
