/** What the transactions of one block, or one call, share. */
import { addressOfNumber } from "../bytes/hex.ts";
import type { Address, Hash } from "../bytes/ids.ts";
import { Overlay } from "../storage/overlay.ts";
import type { RowSource } from "../storage/table.ts";
import { Accounts } from "./accounts.ts";
import type { ChainRules } from "./chain-rules.ts";
import { GasCharging } from "./gas-charging.ts";
import type { PrecompiledContract, PrecompiledScope } from "./precompiled/contract.ts";

/** Addresses of objects of a block come after this one. Source: precompiles 1 */
const OBJECT_BASE = 0x10000;

/** Where a block stands. Source: execution 1 */
export interface BlockPosition {
  /** Committed rows of the block below. */
  readonly source: RowSource;
  /** The block below; for a call the latest block. */
  readonly parentNumber: number;
  readonly parentHash: Hash;
  /** NUMBER; for a call the latest block's. */
  readonly number: number;
  /** TIMESTAMP, in milliseconds. */
  readonly timestamp: bigint;
  /** `tx_gas_limit` in force. */
  readonly gasLimit: bigint;
  /** Whether transactions are charged; calls are not. Source: execution 9 */
  readonly charging: boolean;
  /** Hash of a block at or below the parent; 32 bytes. */
  blockHash(number: number): Uint8Array | undefined;
  /** Bytes that one transaction may keep, when it is not what is usual. */
  readonly heldLimit?: number;
  /** Asked now and then: true abandons the execution. */
  cancelled?(): boolean;
}

/** A block being executed. */
export interface BlockScope extends Omit<BlockPosition, "charging">, PrecompiledScope {
  readonly rules: ChainRules;
  /** Absent when nobody is charged. */
  readonly charging: GasCharging | undefined;
}

/** Opens a block, or a call, on committed rows. */
export function openBlockScope(rules: ChainRules, position: BlockPosition): BlockScope {
  const { suite, registry } = rules;
  const { source, parentNumber } = position;
  const overlay = new Overlay({
    source,
    version: rules.version,
    parentNumber,
    reconfirmCommittee: rules.reconfirmCommittee ?? false,
  });
  const accounts = new Accounts(overlay, suite);
  const charging = position.charging ? new GasCharging(accounts, source) : undefined;
  // Roll-back does not take them away. Source: precompiles 1
  const objects = new Map<Address, PrecompiledContract>();
  return {
    ...position,
    rules,
    suite,
    overlay,
    accounts,
    charging,
    register(object) {
      const address = addressOfNumber(OBJECT_BASE + objects.size + 1);
      objects.set(address, object);
      return address;
    },
    find: (address) => registry.get(address) ?? objects.get(address),
  };
}
