/** How large and how slow a development chain may be. */

/** Most nodes that one process runs. */
export const MOST_NODES = 16;
/** A block time of a second or more would collide with the pace of idle rounds. Source: pbft 4 */
export const LONGEST_BLOCK_TIME_MS = 999;
