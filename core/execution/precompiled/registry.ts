/** Which system contract lives at which address, from which version on. Source: precompiles 1 */
import { addressOfNumber } from "../../bytes/hex.ts";
import type { Address } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { version, type Version } from "../../model/version.ts";
import { createSystemConfig } from "./1000-system-config.ts";
import { createTableFactory } from "./1001-table-factory.ts";
import { createCrud } from "./1002-crud.ts";
import { createConsensus } from "./1003-consensus.ts";
import { createCns } from "./1004-cns.ts";
import { createPermission } from "./1005-permission.ts";
import { createParallelConfig } from "./1006-parallel-config.ts";
import { createContractLifeCycle } from "./1007-contract-life-cycle.ts";
import { createChainGovernance } from "./1008-chain-governance.ts";
import { createGasChargeManage } from "./1009-gas-charge-manage.ts";
import { createKeyValueTableFactory } from "./1010-kv-table-factory.ts";
import { createWorkingSealers } from "./1011-working-sealers.ts";
import { createDagTransfer } from "./5002-dag-transfer.ts";
import { createPaillier } from "./5003-paillier.ts";
import { createGroupSig } from "./5004-group-sig.ts";
import { createRingSig } from "./5005-ring-sig.ts";
import { createCrypto } from "./5006-crypto.ts";
import type { PrecompiledContract } from "./contract.ts";

const ALL_VERSIONS: Version = 0;

/** Address, first version that knows it, and what is there. Source: precompiles 1 */
const SYSTEM_CONTRACTS: readonly (readonly [
  address: number,
  since: Version,
  create: (suite: CryptoSuite) => PrecompiledContract,
])[] = [
  [0x1000, ALL_VERSIONS, createSystemConfig],
  [0x1001, ALL_VERSIONS, createTableFactory],
  [0x1002, ALL_VERSIONS, createCrud],
  [0x1003, ALL_VERSIONS, createConsensus],
  [0x1004, ALL_VERSIONS, createCns],
  [0x1005, ALL_VERSIONS, createPermission],
  [0x1006, ALL_VERSIONS, createParallelConfig],
  [0x1007, version(2, 3, 0), createContractLifeCycle],
  [0x1008, version(2, 5, 0), createChainGovernance],
  [0x1009, version(2, 9, 0), createGasChargeManage],
  [0x1010, version(2, 3, 0), createKeyValueTableFactory],
  [0x1011, version(2, 6, 0), createWorkingSealers],
  [0x5002, ALL_VERSIONS, createDagTransfer],
  [0x5003, ALL_VERSIONS, createPaillier],
  [0x5004, ALL_VERSIONS, createGroupSig],
  [0x5005, ALL_VERSIONS, createRingSig],
  [0x5006, version(2, 8, 0), createCrypto],
];

/** The system contracts of a chain by address. */
export type PrecompiledRegistry = ReadonlyMap<Address, PrecompiledContract>;

/** Addresses of objects of a block come after this one. Source: precompiles 1 */
const OBJECT_BASE = 0x10000;

/** The registry of a version and suite. */
export function createRegistry(suite: CryptoSuite, chainVersion: Version): PrecompiledRegistry {
  const known = SYSTEM_CONTRACTS.filter(([, since]) => since <= chainVersion);
  return new Map(known.map(([address, , create]) => [addressOfNumber(address), create(suite)]));
}

/**
 * Objects that contracts make in a block or call; roll-back does not take them away.
 * Source: precompiles 1
 */
export interface BlockObjects {
  register(object: PrecompiledContract): Address;
  find(address: Address): PrecompiledContract | undefined;
}

/** No objects yet. */
export function createBlockObjects(): BlockObjects {
  const objects = new Map<Address, PrecompiledContract>();
  return {
    register(object) {
      const address = addressOfNumber(OBJECT_BASE + objects.size + 1);
      objects.set(address, object);
      return address;
    },
    find: (address) => objects.get(address),
  };
}
