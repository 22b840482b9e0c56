/** How a chain for development begins, on every platform. */
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";

/** The chain id of every dev chain. */
export const DEV_CHAIN_ID = 1;
/** The one group of a dev chain. */
export const DEV_GROUP_ID = 1;
/** Block time of a dev chain; nodes that read their own ini keep 500. */
export const DEV_BLOCK_TIME_MS = 100;
/**
 * Empty rounds that share a record where all nodes of a chain run together: they begin again
 * together too, and agree at once on a view that all of them have promised.
 */
export const DEV_ROUNDS_PER_RECORD = 32;

interface DevGenesisOptions {
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly consensus: GenesisConfig["consensusType"];
  readonly sealers: readonly NodeId[];
}

/** The genesis of the group of a dev chain. */
export function devGenesis({ created, consensus, sealers }: DevGenesisOptions): GenesisConfig {
  return {
    groupId: DEV_GROUP_ID,
    timestamp: BigInt(created),
    consensusType: consensus,
    sealers: [...sealers].sort(),
    maxTransactions: 1000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  };
}
