/**
 * Rate limits as token buckets without a clock of their own: time comes with every call.
 * Source: sync 10
 */

/** A limiter. One object may be shared by several users, such as the groups of a node. */
export interface TokenBucket {
  readonly ratePerSecond: number;
  /** Most permits that are ever in store. */
  readonly capacity: number;
  /** Below zero while the second ahead is borrowed. */
  stored: number;
  refilledAt: number;
}

/** Bandwidth buckets never store more than this. Source: sync 10 */
const BANDWIDTH_CAPACITY = (20 * 1024 * 1024) / 4;
/** Block bytes per permit: the compression to expect. Source: sync 4 (serving) */
const BYTES_PER_PERMIT = 4;
const BYTES_PER_MEGABIT = (1024 * 1024) / 8;
const SECOND_MS = 1_000;

/** A full bucket. The capacity is the rate unless it is given. Source: sync 10 */
export function createBucket(
  ratePerSecond: number,
  now: number,
  capacity = ratePerSecond,
): TokenBucket {
  return { ratePerSecond, capacity, stored: capacity, refilledAt: now };
}

/** The limiter of `flow_control.outgoing_bandwidth_limit` in Mbit/s. Source: sync 10 */
export function createBandwidthBucket(megabits: number, now: number): TokenBucket {
  const rate = megabits * BYTES_PER_MEGABIT;
  return createBucket(rate, now, Math.min(rate, BANDWIDTH_CAPACITY));
}

/** The permits that this many bytes of blocks cost. Source: sync 4 (serving) */
export function permitsOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_PERMIT);
}

/** Puts in what has come in since the last look. */
export function refill(bucket: TokenBucket, now: number): void {
  const elapsed = Math.max(0, now - bucket.refilledAt);
  const gained = (elapsed / SECOND_MS) * bucket.ratePerSecond;
  bucket.stored = Math.min(bucket.capacity, bucket.stored + gained);
  bucket.refilledAt = Math.max(bucket.refilledAt, now);
}

/** Whether nothing of it is used: a caller that has such a one may be forgotten. */
export function isFull(bucket: TokenBucket, now: number): boolean {
  refill(bucket, now);
  return bucket.stored >= bucket.capacity;
}

/** What is needed at most: a full bucket lets anything pass, or it would never leave. */
function priceOf(bucket: TokenBucket, permits: number): number {
  return Math.min(permits, bucket.capacity + bucket.ratePerSecond);
}

/**
 * Takes permits, borrowing up to one second ahead. Source: sync 10
 *
 * @returns false when there are not enough; nothing is taken then
 */
export function takePermits(bucket: TokenBucket, permits: number, now: number): boolean {
  refill(bucket, now);
  if (permits > bucket.stored + bucket.ratePerSecond) return false;
  bucket.stored -= permits;
  return true;
}

/**
 * Takes one permit without borrowing; the last part of one counts as one.
 *
 * @returns false when nothing is stored: nothing is taken and no caller waits
 * Source: channel-protocol 10
 */
export function takeOne(bucket: TokenBucket, now: number): boolean {
  refill(bucket, now);
  if (bucket.stored <= 0) return false;
  bucket.stored -= 1;
  return true;
}

/**
 * Takes what is asked for, or all there is: a debt does not grow, so a caller that stops has some
 * again as soon as anybody.
 *
 * @returns whether there was this much
 */
export function spendPermits(bucket: TokenBucket, permits: number, now: number): boolean {
  refill(bucket, now);
  const isEnough = permits <= bucket.stored;
  bucket.stored = Math.max(0, bucket.stored - permits);
  return isEnough;
}

/** Counts permits that are never refused: consensus, transactions. Source: sync 10 */
export function chargePermits(bucket: TokenBucket, permits: number, now: number): void {
  refill(bucket, now);
  bucket.stored = Math.max(-bucket.ratePerSecond, bucket.stored - permits);
}

/**
 * Takes permits from all of the buckets or from none. More than a bucket can ever give counts as
 * all it can give, so that a large block leaves a slow node at last.
 *
 * @returns undefined when taken, else the time from which on trying again makes sense
 * Source: sync 4 (serving), 10
 */
export function takeFromAll(
  buckets: readonly TokenBucket[],
  permits: number,
  now: number,
): number | undefined {
  let waitMs = 0;
  for (const bucket of buckets) {
    refill(bucket, now);
    const lacking = priceOf(bucket, permits) - bucket.stored - bucket.ratePerSecond;
    if (lacking > 0) waitMs = Math.max(waitMs, (lacking / bucket.ratePerSecond) * SECOND_MS);
  }
  // Rounded up: a timer of whole milliseconds must find enough in store.
  if (waitMs > 0) return now + Math.ceil(waitMs) + 1;
  for (const bucket of buckets) bucket.stored -= priceOf(bucket, permits);
  return undefined;
}
