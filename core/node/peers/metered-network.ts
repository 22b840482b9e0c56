/**
 * Counts what leaves a group against the limits of outgoing bandwidth. Nothing is held back here:
 * consensus and transactions always leave, block serving asks the limiters itself.
 * Source: sync 4 (serving), 10
 */
import type { Clock } from "../../ports/clock.ts";
import type { Network } from "../../ports/network.ts";
import { chargePermits, permitsOfBytes, type TokenBucket } from "../../limits/token-bucket.ts";

/** The network itself when nothing is limited. */
export function meteredNetwork(
  network: Network,
  buckets: readonly TokenBucket[],
  clock: Clock,
): Network {
  if (buckets.length === 0) return network;
  return {
    self: network.self,
    peers: () => network.peers(),
    start: (events) => network.start(events),
    stop: () => network.stop(),
    penalise: (peer, reason) => network.penalise?.(peer, reason),
    send(to, message) {
      network.send(to, message);
      if (message.kind === "blocks") return;
      const permits = permitsOfBytes(message.bytes.length);
      for (const bucket of buckets) chargePermits(bucket, permits, clock.steady());
    },
  };
}
