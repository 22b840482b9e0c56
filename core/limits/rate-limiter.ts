/** A limit of requests per second as a token bucket; time comes with every call. */

/** A limiter. Source: channel-protocol 10 */
export interface RateLimiter {
  /** More than 0; capacity and refill. */
  readonly perSecond: number;
  stored: number;
  refilledAt: number;
}

const SECOND_MS = 1_000;

/** A full one. */
export function createRateLimiter(perSecond: number, now: number): RateLimiter {
  return { perSecond, stored: perSecond, refilledAt: now };
}

/**
 * Takes one permit; the last part of one counts as one.
 *
 * @returns false when nothing is stored: nothing is taken and nobody waits
 * Source: channel-protocol 10
 */
export function takePermit(limiter: RateLimiter, now: number): boolean {
  const elapsed = Math.max(0, now - limiter.refilledAt);
  const gained = (elapsed / SECOND_MS) * limiter.perSecond;
  limiter.stored = Math.min(limiter.perSecond, limiter.stored + gained);
  limiter.refilledAt = Math.max(limiter.refilledAt, now);
  if (limiter.stored <= 0) return false;
  limiter.stored -= 1;
  return true;
}
