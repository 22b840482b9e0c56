/** Turns for long work: a caller that works for a while lets everything else have its turn. */
import type { Clock } from "../ports/clock.ts";

/** Asked between two pieces of work; a promise is waited for before the next. */
export type Pace = () => Promise<void> | undefined;

/** Long work holds up everything else for so long at a time. */
export const TURN_MS = 5;

/**
 * A pace that all share who ask it: together they have one turn at a time, and those who wait come
 * one after the other.
 */
export function createPace(clock: Pick<Clock, "steady" | "after">): Pace {
  const waiting: (() => void)[] = [];
  let isTurn = false;
  let until = 0;
  const begin = (): void => {
    isTurn = true;
    until = clock.steady() + TURN_MS;
    clock.after(0, end);
  };
  const end = (): void => {
    isTurn = false;
    const next = waiting.shift();
    if (!next) return;
    begin();
    next();
  };
  return () => {
    if (!isTurn) begin();
    if (clock.steady() < until) return undefined;
    return new Promise((resolve) => void waiting.push(resolve));
  };
}
