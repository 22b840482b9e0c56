/** The nonces of the last 1000 blocks: what makes a transaction unrepeatable. Source: txpool 5 */
import { invariant } from "../fault/invariant.ts";
import { BLOCK_LIMIT_WINDOW } from "./limits.ts";
import {
  addNonce,
  createNonceIndex,
  findNonce,
  type NonceIndex,
  removeNonce,
} from "./nonce-index.ts";

/** Nonces of the blocks max(0, head - 1000) to head; bounded by 1001 blocks of tx_count_limit. */
export interface NonceWindow {
  readonly index: NonceIndex;
  /** Ids in the index, one array per block, oldest first. */
  blocks: Int32Array[];
  /** Number of the last block added; -1 before the first. */
  head: number;
}

/**
 * An empty window.
 *
 * @param seed random 32 bits; clients choose nonces and must not be able to choose collisions
 */
export function createNonceWindow(seed: number): NonceWindow {
  return { index: createNonceIndex(seed), blocks: [], head: -1 };
}

/** The first block whose nonces count at a head: where a rebuild starts. */
export function windowStart(head: number): number {
  return Math.max(0, head - BLOCK_LIMIT_WINDOW);
}

/**
 * Adds the nonces of the next block and drops the block that falls out. The first call may name
 * any number, so a rebuild is this for each block from {@link windowStart} to the head. A block
 * that is in already is ignored.
 */
export function addBlockNonces(
  window: NonceWindow,
  number: number,
  nonces: readonly bigint[],
): void {
  if (number <= window.head) return;
  invariant(window.head < 0 || number === window.head + 1, "blocks enter the window in order");
  const ids = new Int32Array(nonces.length);
  for (let i = 0; i < ids.length; i++) ids[i] = addNonce(window.index, nonces[i] ?? 0n);
  window.blocks.push(ids);
  window.head = number;
  while (window.blocks.length > BLOCK_LIMIT_WINDOW + 1) {
    for (const id of window.blocks.shift() ?? []) removeNonce(window.index, id);
  }
}

/** Whether a transaction of the window has this nonce. */
export function isNonceUsed(window: NonceWindow, nonce: bigint): boolean {
  return findNonce(window.index, nonce) >= 0;
}
