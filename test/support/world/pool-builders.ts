/** Transactions and pools for the pool's tests: real fields, no real signatures. */
import type { Address, Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { SignedTransaction } from "../../../core/model/transaction.ts";
import type { ImportContext } from "../../../core/txpool/admission.ts";
import type { PoolLimits } from "../../../core/txpool/limits.ts";
import { addBlockNonces, createNonceWindow } from "../../../core/txpool/nonce-window.ts";
import { createPool, type TxPool } from "../../../core/txpool/state.ts";

/** Limits of a group whose ini file names none. Source: txpool 1 */
export const DEFAULT_POOL_LIMITS: PoolLimits = {
  count: 102_400,
  memoryBytes: 512 * 1024 * 1024,
  expiryMs: 600_000,
};

/** A hash that distinguishes transactions by a number. */
export function hashOfNumber(value: number): Hash {
  return `0x${value.toString(16).padStart(64, "0")}` as Hash;
}

/** A node ID that distinguishes nodes by a number. */
export function nodeIdOfNumber(value: number): NodeId {
  return value.toString(16).padStart(128, "0") as NodeId;
}

const SENDER = `0x${"11".repeat(20)}` as Address;

/** A transaction of chain 1, group 1, valid at head 100; `id` gives hash and nonce. */
export function buildTransaction(
  id: number,
  changes: Partial<SignedTransaction> = {},
): SignedTransaction {
  return {
    nonce: BigInt(id) + 1_000_000n,
    gasPrice: 0n,
    gas: 0n,
    blockLimit: 600n,
    to: null,
    value: 0n,
    input: new Uint8Array(4),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
    signature: new Uint8Array(65),
    raw: Uint8Array.of(id & 255, (id >> 8) & 255, (id >> 16) & 255, 1, 2, 3),
    hash: hashOfNumber(id),
    from: SENDER,
    ...changes,
  };
}

/** Admission on chain 1, group 1. */
export function contextAt(head: number, now = 0): ImportContext {
  return { head, chainId: 1, groupId: 1, now };
}

/** An empty pool whose window stands at a head with these nonces in its last block. */
export function buildPool(
  head = 100,
  limits: Partial<PoolLimits> = {},
  nonces: readonly bigint[] = [],
): TxPool {
  const window = createNonceWindow(7);
  addBlockNonces(window, head, nonces);
  return createPool({ ...DEFAULT_POOL_LIMITS, ...limits }, window);
}
