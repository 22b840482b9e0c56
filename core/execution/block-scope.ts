/** What the transactions of one block, or one call, share. */
import type { Hash } from "../bytes/ids.ts";
import { Overlay } from "../storage/overlay.ts";
import type { RowSource } from "../storage/table.ts";
import { Accounts } from "./accounts.ts";
import type { ChainRules } from "./chain-rules.ts";
import { GasCharging } from "./gas-charging.ts";
import type { PrecompiledScope } from "./precompiled/contract.ts";
import { createBlockObjects } from "./precompiled/registry.ts";

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
export interface BlockScope extends Omit<BlockPosition, "charging"> {
  readonly rules: ChainRules;
  readonly overlay: Overlay;
  readonly accounts: Accounts;
  readonly precompiled: PrecompiledScope;
  /** Absent when nobody is charged. */
  readonly charging: GasCharging | undefined;
}

/** Opens a block, or a call, on committed rows. */
export function openBlockScope(rules: ChainRules, position: BlockPosition): BlockScope {
  const overlay = new Overlay({
    source: position.source,
    version: rules.version,
    parentNumber: position.parentNumber,
    reconfirmCommittee: rules.reconfirmCommittee ?? false,
  });
  const accounts = new Accounts({ overlay, suite: rules.suite });
  const charging = position.charging ? new GasCharging(accounts, position.source) : undefined;
  return { ...position, rules, overlay, accounts, charging, precompiled: precompiledScope() };

  function precompiledScope(): PrecompiledScope {
    const objects = createBlockObjects();
    return {
      overlay,
      accounts,
      suite: rules.suite,
      parentNumber: position.parentNumber,
      parentHash: position.parentHash,
      register: objects.register,
      find: (address) => rules.registry.get(address) ?? objects.find(address),
    };
  }
}
