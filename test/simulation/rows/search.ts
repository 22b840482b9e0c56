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

/** How often each row is taken in this many schedules. @throws Error when one fails */
export function countRows(protocol: Tested, seeds: number): ReadonlyMap<string, number> {
  return meanwhile(protocol, () => {
    const seen = watchRows(protocol);
    refuseUndeclared(protocol);
    const failure = firstFailure(protocol, upTo(seeds));
    if (failure) throw new Error(`seed ${failure.seed}: ${failure.text}`);
    return seen;
  });
}
