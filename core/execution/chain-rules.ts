/**
 * What stays the same for all blocks of a group: version, suite, gas schedule, contracts at fixed
 * addresses.
 */
import { NOBLE_BACKEND } from "../crypto/standard.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { version, type Version } from "../model/version.ts";
import { gasSchedule, type Schedule } from "./evm/gas.ts";
import { createEvm } from "./evm/interpreter.ts";
import type { Evm } from "./evm/message.ts";
import {
  createEthereumPrecompiles,
  type EthereumPrecompiles,
} from "./precompiled/ethereum/registry.ts";
import { createRegistry, type PrecompiledRegistry } from "./precompiled/registry.ts";

/** What a group's genesis and its chain settle. */
export interface ChainRulesOptions {
  readonly suite: CryptoSuite;
  readonly version: Version;
  /** `evm.enable_free_storage` of the genesis; it counts from 2.4.0 on. Source: execution 1 */
  readonly freeStorage: boolean;
  /** `storage.enable_reconfirm_committee`. Source: execution 8 */
  readonly reconfirmCommittee?: boolean;
}

/** The rules of a group. */
export interface ChainRules extends ChainRulesOptions {
  readonly schedule: Schedule;
  readonly evm: Evm;
  readonly ethereum: EthereumPrecompiles;
  readonly registry: PrecompiledRegistry;
}

/** The rules for one group; they hold caches, so make them once per group and thread. */
export function createChainRules(options: ChainRulesOptions): ChainRules {
  const freeStorage = options.freeStorage && options.version >= version(2, 4, 0);
  const schedule = gasSchedule(options.version, { freeStorage });
  return {
    ...options,
    freeStorage,
    schedule,
    evm: createEvm({ schedule, hash: options.suite.hash }),
    ethereum: ethereumPrecompiles(options),
    registry: createRegistry(options.suite, options.version),
  };
}

/**
 * ecrecover and sha256 follow the chain's suite on old national chains only. Source: precompiles 17
 */
function ethereumPrecompiles({
  suite,
  version: chainVersion,
}: ChainRulesOptions): EthereumPrecompiles {
  const keyHashFixed = chainVersion >= version(2, 5, 0);
  const isNational = suite.name === "national";
  const followsSuite = isNational && chainVersion < version(2, 4, 0);
  return createEthereumPrecompiles({
    supportedVersion: chainVersion,
    hashKey: keyHashFixed ? NOBLE_BACKEND.keccak256 : suite.hash,
    ...(isNational ? {} : { recover: suite.recover }),
    // SM2 recovers nothing from a call: v is no key, and there is no room for one.
    ...(followsSuite ? { digest: suite.hash, recover: () => undefined } : {}),
  });
}

/**
 * The work of one transaction may be this many times `tx_gas_limit`. The same on every node: it
 * decides receipts.
 *
 * Source: decision 21
 */
export const WORK_FACTOR = 4;
