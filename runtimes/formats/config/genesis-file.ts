/** group.N.genesis as text and as values. Source: groups 6 */
import type { EventFilterLimits, GenesisConfig } from "../../../core/model/config.ts";
import type { Reading } from "./config-fault.ts";
import { Findings, readValues, writeValues } from "./config-reader.ts";
import type { Values } from "./config-schema.ts";
import { GENESIS_SCHEMA } from "./config-schema-genesis.ts";

/** What a genesis file says. */
export interface GenesisFile {
  readonly genesis: GenesisConfig;
  readonly eventFilter: EventFilterLimits;
}

type GenesisValues = Values<typeof GENESIS_SCHEMA>;

function check({ consensus, group }: GenesisValues, findings: Findings): void {
  const sealers = consensus["node.<i>"];
  if (group.id === undefined && findings.entry("group", "id") === undefined)
    findings.refuseKey("missing", "group", "id", GENESIS_SCHEMA.group.keys.id.kind.allowed);
  if (findings.entry("consensus", "node.<i>") === undefined)
    findings.refuseKey("missing", "consensus", "node.0", "at least one sealer is wanted");
  else if (new Set(sealers).size !== sealers.length)
    findings.refuseKey("notAllowed", "consensus", "node.<i>", "each sealer stands there once");
  const { consensus_type: type, min_elect_time: min, max_elect_time: max } = consensus;
  if (type === "raft" && max < min) {
    const allowed = `at least min_elect_time, which is ${min}`;
    findings.refuseKey("notAllowed", "consensus", "max_elect_time", allowed);
  }
}

/**
 * Reads a genesis file.
 * @param file its name, for messages
 * @throws ConfigFault when the group cannot be built from it
 * Source: groups 6
 */
export function readGenesisFile(text: string, file: string): Reading<GenesisFile> {
  const findings = new Findings(file);
  const values = readValues(GENESIS_SCHEMA, text, findings);
  check(values, findings);
  return findings.finish(() => genesisOf(values));
}

function electTimes({ min_elect_time: min, max_elect_time: max }: GenesisValues["consensus"]) {
  return { minElectTimeMs: min, maxElectTimeMs: max };
}

function genesisOf({
  consensus,
  tx,
  group,
  evm,
  event_filter: filter,
}: GenesisValues): GenesisFile {
  return {
    genesis: {
      groupId: group.id ?? 0,
      timestamp: group.timestamp,
      consensusType: consensus.consensus_type === "raft" ? "raft" : "pbft",
      sealers: consensus["node.<i>"],
      maxTransactions: consensus.max_trans_num,
      gasLimit: tx.gas_limit,
      consensusTimeoutSeconds: consensus.consensus_timeout,
      freeStorage: evm.enable_free_storage,
      ...(consensus.consensus_type === "raft" ? electTimes(consensus) : {}),
    },
    eventFilter: {
      maxBlockRange: filter.max_block_range || undefined,
      maxBlocksPerProcess: filter.max_block_per_process || undefined,
    },
  };
}

/** The text of a genesis file. Election times are written for raft only. Source: groups 6 */
export function writeGenesisFile(genesis: GenesisConfig): string {
  const raft = genesis.consensusType === "raft";
  const { minElectTimeMs: min, maxElectTimeMs: max } = genesis;
  return writeValues(GENESIS_SCHEMA, {
    consensus: {
      consensus_type: genesis.consensusType,
      max_trans_num: genesis.maxTransactions,
      consensus_timeout: genesis.consensusTimeoutSeconds,
      ...(raft && min !== undefined ? { min_elect_time: min } : {}),
      ...(raft && max !== undefined ? { max_elect_time: max } : {}),
      "node.<i>": genesis.sealers,
    },
    state: { type: "storage" },
    tx: { gas_limit: genesis.gasLimit },
    group: { id: genesis.groupId, timestamp: genesis.timestamp },
    evm: { enable_free_storage: genesis.freeStorage },
  });
}
