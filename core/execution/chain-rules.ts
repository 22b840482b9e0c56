/**
 * What stays the same for all blocks of a group: version, suite, gas schedule, contracts at fixed
 * addresses.
 */
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
    ethereum: createEthereumPrecompiles(options.suite, options.version),
    registry: createRegistry(options.version),
  };
}

/**
 * The work of one transaction may be this many times `tx_gas_limit`. The same on every node: it
 * decides receipts. Source: decision 21
 */
export const WORK_FACTOR = 4;
