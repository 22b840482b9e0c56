/** Which session gives way to a new one, or to less memory. Source: channel-protocol 2.1 */
import { chooseEvicted } from "../../limits/eviction.ts";
import type { HostedSession } from "./channel-session.ts";

/** Who gives way to a client of an address; undefined when nobody does. */
export function evictedFor(
  newcomer: string,
  all: Iterable<HostedSession>,
): HostedSession | undefined {
  const places = [...all].map((session) => {
    const { state, asker, unsentBytes } = session;
    const isIdle = state.requests.size === 0 && unsentBytes === 0;
    return { session, address: asker.address, isIdle, usedAt: state.lastActivityMs };
  });
  return chooseEvicted(places, newcomer)?.session;
}

/** Who holds most, and what its address holds; 0 bytes when nobody holds anything. */
interface Largest {
  readonly bytes: number;
  readonly session?: HostedSession;
}

/** Of those that have ended first: no caller waits for them. */
export function largestIn(
  ending: ReadonlyMap<number, HostedSession>,
  hosted: ReadonlyMap<number, HostedSession>,
): Largest {
  const ended = largestOf([...ending.values()]);
  return ended.session ? ended : largestOf([...hosted.values()]);
}

/** The session that holds most, of the address whose sessions do together. */
function largestOf(sessions: readonly HostedSession[]): Largest {
  const sums = new Map<string, number>();
  for (const { heldBytes, asker } of sessions)
    sums.set(asker.address, (sums.get(asker.address) ?? 0) + heldBytes);
  let largest: Largest = { bytes: 0 };
  for (const session of sessions) {
    const { heldBytes, asker } = session;
    if (heldBytes === 0) continue;
    const bytes = sums.get(asker.address) ?? 0;
    const { bytes: most, session: before } = largest;
    if (bytes < most || (bytes === most && heldBytes <= (before?.heldBytes ?? 0))) continue;
    largest = { bytes, session };
  }
  return largest;
}
