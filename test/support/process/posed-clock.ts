/**
 * Wrong clocks for processes of their own: a module that Node loads before the program puts another
 * `Date` in place, in each thread. Steady clocks and timers stay as they are. The program knows
 * nothing of it.
 */
import type { ProgramOptions } from "./dev-process.ts";

/** How a clock is wrong. */
export interface PosedClock {
  /** Ahead of the true one. */
  readonly offsetMs?: number;
  /** How many seconds go by in one. */
  readonly rate?: number;
  /** Added in turns, each for so long. */
  readonly jumps?: { readonly everyMs: number; readonly offsetsMs: readonly number[] };
}

/** How far a clock that was posed at `since` is ahead at a true time. */
export function posedAheadMs(clock: PosedClock, since: number, now: number): number {
  const { offsetMs = 0, rate = 1, jumps } = clock;
  const turn = jumps ? Math.floor((now - since) / jumps.everyMs) : 0;
  const jump = jumps?.offsetsMs[turn % jumps.offsetsMs.length] ?? 0;
  return offsetMs + (rate - 1) * (now - since) + jump;
}

/** In JavaScript, as the process reads it; `aheadMs` is the function above. */
function moduleOf(clock: PosedClock, since: number): string {
  return `const True = Date;
const aheadMs = ${posedAheadMs.toString()};
const posed = () => {
  const now = True.now();
  return Math.floor(now + aheadMs(${JSON.stringify(clock)}, ${since}, now));
};
globalThis.Date = class Date extends True {
  constructor(...given) {
    if (given.length === 0) super(posed());
    else super(...given);
  }
  static now() {
    return posed();
  }
};`;
}

/** How a process is run whose clock is wrong from `since` on. */
export function withClock(clock: PosedClock, since: number): ProgramOptions {
  const url = `data:text/javascript,${encodeURIComponent(moduleOf(clock, since))}`;
  const before = process.env["NODE_OPTIONS"];
  const options = `--import=${url}`;
  return { env: { NODE_OPTIONS: before === undefined ? options : `${before} ${options}` } };
}
