/** Looks for what a row is good for: a schedule that fails without it. */
import { remember, refuseUndeclared, watchRows, withAdded, withoutRow } from "./rows.ts";
import type { Tested } from "./protocols.ts";

/** The first of this many schedules that is no good, and why. */
function firstFailure(
  protocol: Tested,
  seeds: Iterable<number>,
): { readonly seed: number; readonly text: string } | undefined {
  for (const seed of seeds) {
    try {
      const text = protocol.run(seed);
      if (text !== undefined) return { seed, text };
    } catch (cause) {
      return { seed, text: String(cause) };
    }
  }
  return undefined;
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Does something to a protocol that is undone in the end. */
function meanwhile<Result>(protocol: Tested, body: () => Result): Result {
  const restore = remember(protocol);
  try {
    return body();
  } finally {
    restore();
  }
}

/** The first of this many schedules that fails without a row. */
export function searchWithout(protocol: Tested, row: string, seeds: number) {
  return meanwhile(protocol, () => {
    refuseUndeclared(protocol);
    withoutRow(protocol, row);
    return firstFailure(protocol, upTo(seeds));
  });
}

/** The first of this many schedules that fails when a node does what the protocol forbids. */
export function searchWith(protocol: Tested, name: string, seeds: number) {
  return meanwhile(protocol, () => {
    withAdded(protocol, protocol.forbidden[name]?.rows ?? []);
    return firstFailure(protocol, upTo(seeds));
  });
}

/** Of so many seeds first those whose schedules take rows that few take. */
function* rareFirst(rare: readonly number[], count: number): Generator<number> {
  yield* rare;
  for (const seed of upTo(count)) if (!rare.includes(seed)) yield seed;
}

/**
 * How often each row is taken in schedules: in so many, or in as few of them as take every row that
 * has no reason to be missing.
 *
 * @throws Error when one fails
 */
export function countRows(
  protocol: Tested,
  most: number,
  fewest = most,
): ReadonlyMap<string, number> {
  return meanwhile(protocol, () => {
    const seen = watchRows(protocol);
    refuseUndeclared(protocol);
    let done = 0;
    for (const seed of rareFirst(protocol.rare, most)) {
      const failure = firstFailure(protocol, [seed]);
      if (failure) throw new Error(`seed ${failure.seed}: ${failure.text}`);
      done += 1;
      if (done >= fewest && [...seen].every(([row, count]) => count > 0 || row in protocol.unseen))
        break;
    }
    return seen;
  });
}
