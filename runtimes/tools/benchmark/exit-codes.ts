/** How a run ends. Source: benchmark 1 (exit status) */
export const EXIT = {
  done: 0,
  /** The engine failed: a command, the chain, the workers. */
  engine: 1,
  usage: 2,
  /** At least one round failed, or an assertion does not hold. */
  rounds: 3,
} as const;

/**
 * Numbers of the steps as messages have them. A command has three: it is blank, it could not be
 * started, it ended with a failure. Source: benchmark 1 (engine codes)
 */
export const ENGINE_CODES = { start: 1, init: 4, install: 5, test: 6, end: 7 } as const;
