/** The numbers of block sync, each with its reason. Source: sync 3, 4 */

/** Status goes out at least this often. Source: sync 3 */
export const STATUS_INTERVAL_MS = 5_000;
/** Requests under way at a time. Source: sync 4 (turn) */
export const SHARDS_PER_TURN = 4;
/** Blocks waiting for import, and how far ahead of the head blocks are asked for. Source: sync 4 */
export const QUEUE_LIMIT = 256;
/** Memory of a block that waits, as a multiple of its encoding. Source: sync 4 */
export const MEMORY_FACTOR = 3;
/** A request is waited for this long without a block of it, however few it asks for. */
export const REQUEST_TIMEOUT_MS = 6_400;
/** And this long per block. Source: sync 4 */
export const BLOCK_TIMEOUT_MS = 500;
/** Size of a block before any was seen. */
export const FIRST_BLOCK_BYTES = 16 * 1024;
/** Blocks in one `verify` and one `import`: enough to fill the workers, little to throw away. */
export const RUN_LIMIT = 32;
/** Blocks verified ahead of the import: two runs keep both stages busy. */
export const VERIFIED_AHEAD = 2 * RUN_LIMIT;
/** A run that was refused as busy is tried again after this. */
export const BUSY_RETRY_MS = 200;
/** A sealer one block behind waits so long for its votes before it asks. Source: sync 4 */
export const NEAR_DELAY_MS = 400;
/** Statuses this old of peers no longer count for a node that is in no list. Source: groups 5 */
export const FREE_STATUS_LIFE_MS = 3 * STATUS_INTERVAL_MS;
/** A node in no list tells members again after 5, 10, 20 and so on seconds, at last after these. */
export const LONGEST_FAREWELL_MS = 60_000;
/** Blocks that no node can prove are waited for this long before operators learn of it. */
export const UNPROVABLE_MS = 30_000;
/** First exclusion of a peer that did not answer; doubles with each missing answer in a row. */
export const SILENCE_EXCLUSION_MS = 1_000;
/** A peer may take back what it claimed once in this time: its messages may overtake each other. */
export const CROSSING_MS = 10_000;
/** First exclusion of a peer that lied; doubles with each lie. */
export const LIE_EXCLUSION_MS = 30_000;
/** No exclusion is longer. */
export const MAX_EXCLUSION_MS = 10 * 60_000;
/** Peers in the table; more are not entered. */
export const PEER_LIMIT = 1_024;
/** Ranges a peer was asked for too long ago: a late answer is still accepted. */
export const LATE_RANGE_LIMIT = 8;
/** Requests of one peer that wait to be served. Source: sync 4 (serving) */
export const SERVE_QUEUE_LIMIT = 1_000;
/**
 * Bytes of one packet, unless a single block is larger: both ends work on a packet in one turn, and
 * longer ones are not compressed.
 */
export const PACKET_BYTES = 1024 * 1024;
/** Blocks that are merged into one range at most. */
export const MERGED_RANGE_LIMIT = QUEUE_LIMIT;
