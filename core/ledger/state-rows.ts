/** What the ledger reads from rows: counters, system configuration, roles. Source: storage 2 */
import { isNodeId } from "../bytes/hex.ts";
import type { NodeId } from "../bytes/ids.ts";
import type { GenesisConfig, GroupConfig } from "../model/config.ts";
import { CONFIG_TABLE, CONSENSUS_TABLE, CURRENT_STATE_TABLE } from "../storage/system-tables.ts";
import { ROW_NORMAL, type RowSource, storedUnder, type StoredRow } from "../storage/table.ts";
import { corrupt } from "./records.ts";

/** Row keys of `_sys_current_state_`. Source: storage 2 */
export const STATE_KEY = {
  number: "current_number",
  id: "current_id",
  transactions: "total_transaction_count",
  failed: "total_failed_transaction_count",
} as const;

/** Value of `tx_gas_limit` without a row. Source: execution 1 */
const DEFAULT_GAS_LIMIT = 300_000_000n;
/** Value of `tx_count_limit` without a row. Source: precompiles 4 */
const DEFAULT_COUNT_LIMIT = 1_000;
/** Value of `consensus_timeout` that nothing sets, in seconds. Source: groups 6; precompiles 4 */
const DEFAULT_TIMEOUT_SECONDS = 3;

/** The value of a counter; undefined without a row. */
export function stateCounter(rows: RowSource, key: string): bigint | undefined {
  const row = rows.rows(CURRENT_STATE_TABLE, key)[0];
  if (row === undefined) return undefined;
  const text = row.columns.get("value") ?? "";
  if (!/^[0-9]+$/.test(text)) throw corrupt("counter");
  return BigInt(text);
}

/** Number of the newest block; undefined in an empty store. */
export function currentNumber(rows: RowSource): number | undefined {
  const number = stateCounter(rows, STATE_KEY.number);
  return number === undefined ? undefined : Number(number);
}

/** The value of a configuration key for the block after `number`. Source: storage 2 (enable_num) */
export function configValue(rows: RowSource, key: string, number: number): string | undefined {
  const row = rows.rows(CONFIG_TABLE, key).find((candidate) => isInForce(candidate, number));
  return row?.columns.get("value");
}

/** What the genesis file alone says where block 0 does not record it. Source: pbft 7; storage 8 */
export type Unrecorded = Pick<GenesisConfig, "consensusTimeoutSeconds">;

/** The configuration in force for the block after `number`. */
export function groupConfig(
  rows: RowSource,
  number: number,
  { consensusTimeoutSeconds }: Unrecorded = { consensusTimeoutSeconds: DEFAULT_TIMEOUT_SECONDS },
): GroupConfig {
  const integer = (key: string, fallback: number): number =>
    clampedInteger(configValue(rows, key, number)) ?? fallback;
  return {
    number,
    txCountLimit: integer("tx_count_limit", DEFAULT_COUNT_LIMIT),
    txGasLimit: gasLimit(rows, number),
    consensusTimeoutSeconds: integer("consensus_timeout", consensusTimeoutSeconds),
    sealers: sealersOf(rows, number),
    observers: nodesOf(rows, number, "observer"),
  };
}

/** A configured integer, a sign allowed; 2^53 - 1 stands for everything above. */
export function clampedInteger(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** `tx_gas_limit` for the block after `number`. Source: execution 1 */
export function gasLimit(rows: RowSource, number: number): bigint {
  const text = configValue(rows, "tx_gas_limit", number);
  return text === undefined ? DEFAULT_GAS_LIMIT : BigInt(text);
}

/**
 * The nodes that seal, the working ones of rPBFT first: a ledger may have such rows, whose nodes
 * go on sealing under every other consensus. Source: rpc-semantics 5; storage 2
 */
export function sealersOf(rows: RowSource, number: number): NodeId[] {
  return [...nodesOf(rows, number, "wSealer"), ...nodesOf(rows, number, "sealer")];
}

/** A role as rows spell it. Source: storage 2 */
type Role = "sealer" | "wSealer" | "observer";

/**
 * Nodes of a role, in table order. Below 2.10.0 any 128 letters could be added, which name nobody
 * and do not fit into a header. Source: precompiles 7
 */
export function nodesOf(rows: RowSource, number: number, role: Role): NodeId[] {
  const ids: NodeId[] = [];
  for (const row of storedUnder(rows, CONSENSUS_TABLE, "node")) {
    const id = row.columns.get("node_id");
    if (isInForce(row, number) && row.columns.get("type") === role && isNodeId(id)) ids.push(id);
  }
  return ids;
}

function isInForce(row: StoredRow, number: number): boolean {
  return row.status === ROW_NORMAL && Number(row.columns.get("enable_num") ?? "0") <= number;
}
