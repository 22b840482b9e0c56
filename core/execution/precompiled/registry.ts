/** Which system contract lives at which address, from which version on. Source: precompiles 1 */
import { addressOfNumber } from "../../bytes/hex.ts";
import type { Address } from "../../bytes/ids.ts";
import { version, type Version } from "../../model/version.ts";
import { SYSTEM_CONFIG } from "./1000-system-config.ts";
import { TABLE_FACTORY } from "./1001-table-factory.ts";
import { CRUD } from "./1002-crud.ts";
import { CONSENSUS } from "./1003-consensus.ts";
import { CNS } from "./1004-cns.ts";
import { PERMISSION } from "./1005-permission.ts";
import { PARALLEL_CONFIG } from "./1006-parallel-config.ts";
import { CONTRACT_LIFE_CYCLE } from "./1007-contract-life-cycle.ts";
import { CHAIN_GOVERNANCE } from "./1008-chain-governance.ts";
import { GAS_CHARGE_MANAGE } from "./1009-gas-charge-manage.ts";
import { KEY_VALUE_TABLE_FACTORY } from "./1010-kv-table-factory.ts";
import { WORKING_SEALERS } from "./1011-working-sealers.ts";
import { DAG_TRANSFER } from "./5002-dag-transfer.ts";
import { PAILLIER } from "./5003-paillier.ts";
import { GROUP_SIG } from "./5004-group-sig.ts";
import { RING_SIG } from "./5005-ring-sig.ts";
import { CRYPTO } from "./5006-crypto.ts";
import type { PrecompiledContract } from "./contract.ts";

const ALL_VERSIONS: Version = 0;

/** Address, first version that knows it, and what is there. Source: precompiles 1 */
const SYSTEM_CONTRACTS: readonly (readonly [
  address: number,
  since: Version,
  contract: PrecompiledContract,
])[] = [
  [0x1000, ALL_VERSIONS, SYSTEM_CONFIG],
  [0x1001, ALL_VERSIONS, TABLE_FACTORY],
  [0x1002, ALL_VERSIONS, CRUD],
  [0x1003, ALL_VERSIONS, CONSENSUS],
  [0x1004, ALL_VERSIONS, CNS],
  [0x1005, ALL_VERSIONS, PERMISSION],
  [0x1006, ALL_VERSIONS, PARALLEL_CONFIG],
  [0x1007, version(2, 3, 0), CONTRACT_LIFE_CYCLE],
  [0x1008, version(2, 5, 0), CHAIN_GOVERNANCE],
  [0x1009, version(2, 9, 0), GAS_CHARGE_MANAGE],
  [0x1010, version(2, 3, 0), KEY_VALUE_TABLE_FACTORY],
  [0x1011, version(2, 6, 0), WORKING_SEALERS],
  [0x5002, ALL_VERSIONS, DAG_TRANSFER],
  [0x5003, ALL_VERSIONS, PAILLIER],
  [0x5004, ALL_VERSIONS, GROUP_SIG],
  [0x5005, ALL_VERSIONS, RING_SIG],
  [0x5006, version(2, 8, 0), CRYPTO],
];

/** The system contracts of a chain by address. */
export type PrecompiledRegistry = ReadonlyMap<Address, PrecompiledContract>;

/** The registry of a version. */
export function createRegistry(chainVersion: Version): PrecompiledRegistry {
  const known = SYSTEM_CONTRACTS.filter(([, since]) => since <= chainVersion);
  return new Map(known.map(([address, , contract]) => [addressOfNumber(address), contract]));
}
