/** How far the time of a block that is voted for may be ahead. Source: decision 27 */

/** The time of a proposal, as a node sees it that is to vote for it. */
export interface BlockTime {
  /** Of the header, in milliseconds since the epoch. */
  readonly timestamp: number;
  /** Reference time of this node when the proposal came, in the same. */
  readonly reference: number;
}

/** What holds for the next height. */
export interface TimeBound {
  /** `[consensus] max_future_ms`. */
  readonly maxFutureMs: number;
  /** Timestamp of the block below. */
  readonly parent: number;
}

/**
 * Whether a first proposal is too far ahead to be voted for. Its parent's time plus one is not,
 * wherever that is: a chain whose time is ahead goes on, and time catches up with it.
 * @param time absent: no node votes on it, or nothing is known of clocks
 * Source: decision 27
 */
export function isFromFuture(time: BlockTime | undefined, bound: TimeBound | undefined): boolean {
  if (!time || !bound || time.timestamp === bound.parent + 1) return false;
  return time.timestamp > time.reference + bound.maxFutureMs;
}
