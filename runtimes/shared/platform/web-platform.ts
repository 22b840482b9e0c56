/** Clock, entropy and log over what browsers and edge workers have in common. */
import type { Clock } from "../../../core/ports/clock.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { Log, LogLevel } from "../../../core/ports/log.ts";

/** The machine's wall clock and timers. */
export const webClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Random bytes of cryptographic quality. */
export const webEntropy: Entropy = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

const SEVERE: ReadonlySet<LogLevel> = new Set(["warning", "error"]);

/** Warnings and errors on the console, one line each. */
export const consoleLog: Log = {
  write(level, message, fields = {}) {
    if (SEVERE.has(level)) console.warn(level, message, JSON.stringify(fields));
  },
};

/** Runs a function in a later turn of the event loop. */
export function laterTurn(run: () => void): void {
  setTimeout(run, 0);
}
