/** How a run ends. Source: benchmark 1 (exit status) */
export const EXIT = {
  /** All rounds fine. */
  done: 0,
  /** The engine failed: a command, the chain, the workers. */
  engine: 1,
  /** Command line, settings or files. */
  usage: 2,
  /** At least one round failed, or an assertion does not hold. */
  rounds: 3,
} as const;
