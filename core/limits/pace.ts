/** Turns for long work: a caller that works for a while lets everything else have its turn. */
import { RpcFault } from "../fault/rpc-fault.ts";
import type { Asker } from "../ports/asker.ts";
import type { Clock } from "../ports/clock.ts";
import { FairLine } from "./fair-line.ts";

/**
 * Asked between two pieces of work; a promise is waited for before the next. It resolves at once
 * when the one for whom the work is done has gone.
 */
export type Pace = (asker?: Asker) => Promise<void> | undefined;

/** Long work holds up everything else for so long at a time. */
export const TURN_MS = 5;

/**
 * A pace that all share who ask it: together they have one turn at a time. Those who wait come one
 * after the other, in turns between addresses and their connections.
 */
export function createPace(clock: Pick<Clock, "steady" | "after">): Pace {
  const waiting = new FairLine<() => void>();
  let isTurn = false;
  let until = 0;
  const begin = (): void => {
    isTurn = true;
    until = clock.steady() + TURN_MS;
    clock.after(0, end);
  };
  const end = (): void => {
    isTurn = false;
    const next = waiting.next();
    if (!next) return;
    begin();
    next();
  };
  return (asker) => {
    if (!isTurn) begin();
    if (clock.steady() < until) return undefined;
    return new Promise((resolve) => {
      const place = { address: asker?.address ?? "", connection: asker };
      const go = (): void => {
        stay?.();
        resolve();
      };
      waiting.add(place, go);
      const leave = (): void => {
        if (waiting.remove(place, go)) resolve();
      };
      // Who has gone already waits like others: it would not wait at all.
      const stay = asker?.isGone === false ? asker.whenGone(leave) : undefined;
    });
  };
}

/** The pace of what is done for one asker: it rejects once that has gone, so that the work ends. */
export function paceOf(pace: Pace | undefined, asker: Asker | undefined): Pace | undefined {
  if (!pace || !asker) return pace;
  const requireThere = (): void => {
    if (asker.isGone) throw new RpcFault("internalError", "The client has gone");
  };
  return () => pace(asker)?.then(requireThere);
}
