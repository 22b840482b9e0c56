/** Time as a port: the only way time reaches the core. */

/**
 * A wall clock, a steady clock and one-shot timers. Protocol time is delivered as input; timers
 * only wake the shell.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back, whatever happens to the wall clock. */
  steady(): number;
  /** Calls back once after the delay; the function returned cancels. */
  after(delayMs: number, callback: () => void): () => void;
}
