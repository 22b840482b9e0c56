/**
 * Which session gives up its place when there are too many, and which when they hold too much.
 * Source: channel-protocol 2.1
 */
import { chooseEvicted } from "../../limits/eviction.ts";
import type { HostedSession } from "./channel-session.ts";

/** Who gives way to a client of an address; undefined when nobody does. */
export function evictedFor<Hosted extends { readonly session: HostedSession }>(
  newcomer: string,
  all: Iterable<Hosted>,
): Hosted | undefined {
  const places = [...all].map((hosted) => {
    const { state, asker, unsentBytes } = hosted.session;
    const isIdle = state.requests.size === 0 && unsentBytes === 0;
    return { hosted, address: asker.address, isIdle, usedAt: state.lastActivityMs };
  });
  return chooseEvicted(places, newcomer)?.hosted;
}

/**
 * The session that holds most, of the address whose sessions do together; undefined when nobody
 * holds anything.
 */
export function largestOf(sessions: readonly HostedSession[]): HostedSession | undefined {
  const sums = new Map<string, number>();
  for (const { heldBytes, asker } of sessions)
    sums.set(asker.address, (sums.get(asker.address) ?? 0) + heldBytes);
  let largest: HostedSession | undefined;
  let most = 0;
  for (const session of sessions) {
    const { heldBytes, asker } = session;
    if (heldBytes === 0) continue;
    const sum = sums.get(asker.address) ?? 0;
    if (sum < most || (sum === most && heldBytes <= (largest?.heldBytes ?? 0))) continue;
    [most, largest] = [sum, session];
  }
  return largest;
}
