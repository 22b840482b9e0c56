/** Which connection or session is evicted where there are too many. */

/** Something that may be evicted. */
export interface Evictable {
  /** Whose it is. */
  readonly address: string;
  /** Nothing is lost with it but a place. */
  readonly isIdle: boolean;
  /** When it was busy last, in any unit that grows. */
  readonly usedAt: number;
}

/** The one that was used least recently, of the address that has most; and how many that has. */
function oldestOfMost<Place extends Evictable>(places: readonly Place[]) {
  const counts = new Map<string, number>();
  const oldest = new Map<string, Place>();
  for (const place of places) {
    const { address } = place;
    counts.set(address, (counts.get(address) ?? 0) + 1);
    const before = oldest.get(address);
    if (!before || place.usedAt < before.usedAt) oldest.set(address, place);
  }
  let found: { readonly place: Place; readonly count: number } | undefined;
  for (const [address, place] of oldest) {
    const count = counts.get(address) ?? 0;
    const isOlder = count === found?.count && place.usedAt < found.place.usedAt;
    if (count > (found?.count ?? 0) || isOlder) found = { place, count };
  }
  return found;
}

/**
 * Whose place a newcomer gets: of the one that is idle longest, of the address that has most of
 * those; where nobody is idle, of the one that is busy longest, of an address that has more than
 * half of all places, unless it is the newcomer's. A caller that holds many places keeps out nobody
 * but itself.
 *
 * @returns undefined when nobody gives way
 */
export function chooseEvicted<Place extends Evictable>(
  places: Iterable<Place>,
  newcomer: string,
): Place | undefined {
  const all = [...places];
  const idle = oldestOfMost(all.filter(({ isIdle }) => isIdle));
  if (idle) return idle.place;
  const busy = oldestOfMost(all);
  if (!busy || busy.count <= all.length / 2 || busy.place.address === newcomer) return undefined;
  return busy.place;
}
