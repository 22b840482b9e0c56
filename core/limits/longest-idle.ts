/** Who gives up its place where there are too many. */

/** Something that has a place. */
export interface Placed {
  /** Whose it is. */
  readonly address: string;
  /** Nothing is lost with it but a place. */
  readonly isIdle: boolean;
  /** When it was busy last, in any unit that grows. */
  readonly usedAt: number;
}

/**
 * The one that is idle longest, of the address that has most of them: whoever holds many places
 * keeps out nobody but itself.
 *
 * @returns undefined when nobody is idle
 */
export function longestIdle<Place extends Placed>(places: Iterable<Place>): Place | undefined {
  const counts = new Map<string, number>();
  const oldest = new Map<string, Place>();
  for (const place of places) {
    if (!place.isIdle) continue;
    const { address } = place;
    counts.set(address, (counts.get(address) ?? 0) + 1);
    const before = oldest.get(address);
    if (!before || place.usedAt < before.usedAt) oldest.set(address, place);
  }
  let found: Place | undefined;
  let most = 0;
  for (const [address, place] of oldest) {
    const count = counts.get(address) ?? 0;
    const isOlder = count === most && place.usedAt < (found?.usedAt ?? 0);
    if (count > most || isOlder) [most, found] = [count, place];
  }
  return found;
}
