/** Keys of the system configuration. Source: console 4.2, 4.4 */

/** A key, and what it may be set to. */
export interface SystemKey {
  readonly name:
    | "tx_count_limit"
    | "tx_gas_limit"
    | "rpbft_epoch_sealer_num"
    | "rpbft_epoch_block_num"
    | "consensus_timeout"
    | "enable_charge_mgr";
  /** Lowest and highest number, or `on` and `off`. */
  readonly range: readonly [low: number, high: number] | "switch";
  readonly isOfRpbft?: true;
}

const HIGHEST = 2_147_483_647;
const LEAST_GAS = 100_000;
/** Seconds. */
const LEAST_TIMEOUT = 3;
/** Seconds whose milliseconds still are an int. */
const MOST_TIMEOUT = 2_147_482;

/** All keys, in the order of the documentation. */
export const SYSTEM_KEYS: readonly SystemKey[] = [
  { name: "tx_count_limit", range: [1, HIGHEST] },
  { name: "tx_gas_limit", range: [LEAST_GAS, HIGHEST] },
  { name: "rpbft_epoch_sealer_num", range: [1, HIGHEST], isOfRpbft: true },
  { name: "rpbft_epoch_block_num", range: [1, HIGHEST], isOfRpbft: true },
  { name: "consensus_timeout", range: [LEAST_TIMEOUT, MOST_TIMEOUT] },
  { name: "enable_charge_mgr", range: "switch" },
];

/** The note about keys that other consensus algorithms do not read. */
export const ONLY_RPBFT =
  "Note: rpbft_epoch_sealer_num and rpbft_epoch_block_num take effect " + "with rPBFT only.";
