/** How many requests a listener answers in a second. Source: node-network 6; sync 10 */
import type { Clock } from "../../core/ports/clock.ts";
import type { Admit } from "../../core/rpc/dispatch.ts";
import { chargePermits, createBucket, takePermits } from "../../core/limits/token-bucket.ts";

/** Is never refused, but counts. Source: node-network 6 */
const EXEMPT = "getClientVersion";

/**
 * Admits this many requests a second, and up to a second's worth ahead of time.
 *
 * @param requestsPerSecond more than 0
 */
export function limitRequests(requestsPerSecond: number, clock: Clock): Admit {
  const bucket = createBucket(requestsPerSecond, clock.steady());
  return (method) => {
    if (method !== EXEMPT) return takePermits(bucket, 1, clock.steady());
    chargePermits(bucket, 1, clock.steady());
    return true;
  };
}
