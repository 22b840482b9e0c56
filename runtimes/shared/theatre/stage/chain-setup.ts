/** What all nodes of a stage are made with. */
import type { GenesisConfig } from "../../../../core/model/config.ts";
import type { Scenario } from "../scenario.ts";
import type { StageSuite } from "./suite.ts";

/** Wall time at which every stage begins. */
export const EPOCH_MS = 1_700_000_000_000;
/** Of every stage. */
export const CHAIN_ID = 1;
/** The only group of a stage. */
export const GROUP_ID = 1;
const GAS_LIMIT = 300_000_000n;

/** The genesis of group 1. */
export function genesisOf(scenario: Scenario, { identities }: StageSuite): GenesisConfig {
  const { protocol, sealers, electMs } = scenario;
  return {
    groupId: GROUP_ID,
    timestamp: BigInt(EPOCH_MS),
    consensusType: protocol,
    sealers: identities.slice(0, sealers).map(({ nodeId }) => nodeId),
    maxTransactions: 1_000,
    gasLimit: GAS_LIMIT,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
    minElectTimeMs: electMs.from,
    maxElectTimeMs: electMs.to,
  };
}
