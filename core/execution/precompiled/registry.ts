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

/** One row of the address map. */
interface SystemContract {
  readonly address: number;
  readonly name: string;
  /** First version that knows the address. */
  readonly since: Version;
  readonly create: (suite: CryptoSuite) => PrecompiledContract;
}

const ALL_VERSIONS: Version = 0;

/** The address map of the system contracts. Source: precompiles 1 */
const SYSTEM_CONTRACTS: readonly SystemContract[] = [
  { address: 0x1000, name: "SystemConfig", since: ALL_VERSIONS, create: createSystemConfig },
  { address: 0x1001, name: "TableFactory", since: ALL_VERSIONS, create: createTableFactory },
  { address: 0x1002, name: "CRUD", since: ALL_VERSIONS, create: createCrud },
  { address: 0x1003, name: "Consensus", since: ALL_VERSIONS, create: createConsensus },
  { address: 0x1004, name: "CNS", since: ALL_VERSIONS, create: createCns },
  { address: 0x1005, name: "Permission", since: ALL_VERSIONS, create: createPermission },
  { address: 0x1006, name: "ParallelConfig", since: ALL_VERSIONS, create: createParallelConfig },
  {
    address: 0x1007,
    name: "ContractLifeCycle",
    since: version(2, 3, 0),
    create: createContractLifeCycle,
  },
  {
    address: 0x1008,
    name: "ChainGovernance",
    since: version(2, 5, 0),
    create: createChainGovernance,
  },
  {
    address: 0x1009,
    name: "GasChargeManage",
    since: version(2, 9, 0),
    create: createGasChargeManage,
  },
  {
    address: 0x1010,
    name: "KVTableFactory",
    since: version(2, 3, 0),
    create: createKeyValueTableFactory,
  },
  {
    address: 0x1011,
    name: "WorkingSealerManager",
    since: version(2, 6, 0),
    create: createWorkingSealers,
  },
  { address: 0x5002, name: "DagTransfer", since: ALL_VERSIONS, create: createDagTransfer },
  { address: 0x5003, name: "Paillier", since: ALL_VERSIONS, create: createPaillier },
  { address: 0x5004, name: "GroupSig", since: ALL_VERSIONS, create: createGroupSig },
  { address: 0x5005, name: "RingSig", since: ALL_VERSIONS, create: createRingSig },
  { address: 0x5006, name: "Crypto", since: version(2, 8, 0), create: createCrypto },
];

/** The system contracts of a chain by address. */
export type PrecompiledRegistry = ReadonlyMap<Address, PrecompiledContract>;

/** Addresses of objects of a block come after this one. Source: precompiles 1 */
const OBJECT_BASE = 0x10000;

/** The registry of a version and suite. */
export function createRegistry(suite: CryptoSuite, chainVersion: Version): PrecompiledRegistry {
  const known = SYSTEM_CONTRACTS.filter((contract) => contract.since <= chainVersion);
  return new Map(
    known.map((contract) => [addressOfNumber(contract.address), contract.create(suite)]),
  );
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
