/** Every bound of the transaction pool, and what happens at it. Source: txpool 1, 2, 4, 6 */

/** A transaction is valid for at most this many blocks above the head; nonces are kept as long. */
export const BLOCK_LIMIT_WINDOW = 1_000;

/** Pause between two clean-up passes. Source: txpool 1 */
export const CLEANUP_PERIOD_MS = 3_000;

/** Entries examined by one clean-up pass, and removals made by one packing; the rest waits. */
export const CLEANUP_LIMIT = 10_000;

/** A node that is further behind than this refuses submissions. Source: txpool 3.1 */
export const FAR_BEHIND_BLOCKS = 20;

/** Peers remembered per transaction; the oldest is forgotten, at worst it is sent once more. */
export const KNOWN_BY_LIMIT = 128;

/** Transactions marked to be packed alone; the mark made first is forgotten. */
export const HEAVY_LIMIT = 1_000;

/** Ordinary proposals between two attempts at one transaction that keeps failing alone. */
export const HEAVY_REST_LIMIT = 64;

/**
 * Ordinary proposals that a leader tries for the block after a lone one: each that is lost finds at
 * least one more heavy transaction.
 */
export const LIGHT_TRIES = 8;

/**
 * Transaction bytes packed into one block; a single larger transaction goes alone. Our bound: a
 * block must fit into the messages that carry it (node-network 2), whatever tx_count_limit says.
 */
export const BLOCK_BYTES_LIMIT = 16 * 1024 * 1024;

/**
 * A transaction of this many bytes or more is not packed before the others can have it: who lacked
 * it would ask for the whole block, which then travels next to what was pushed, and the view ends
 * meanwhile.
 */
export const TRAVELLING_FROM_BYTES = 1024 * 1024;
/** So fast it is thought to travel. */
export const TRAVELLED_BYTES_PER_MS = 10_000;
/** Until it has travelled at this rate it is neither announced nor sent once more in a block. */
export const LEAST_BYTES_PER_MS = 4_000;

/** Pending for so long, a transaction is announced: its push may have been lost. */
export const STALE_AFTER_MS = 3_000;
/** This many are announced in one clean-up pass. */
export const ANNOUNCED_LIMIT = 2_000;

/** What an operator may set for the pool of a group. Source: groups 7 (tx_pool) */
export interface PoolLimits {
  /** `tx_pool.limit`: pending transactions; also bounds `dropped` and `hashFilter`. */
  readonly count: number;
  /** `tx_pool.memory_limit`, in bytes; a refusal beyond. */
  readonly memoryBytes: number;
  /** Age at which a transaction is dropped. */
  readonly expiryMs: number;
}
