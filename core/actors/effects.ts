/** Performs effects strictly in order: behind a persist they wait. Source: pbft 16.2 */

/** Performs one effect; a promise holds back everything behind it. */
export type Perform<Effect> = (effect: Effect) => Promise<void> | undefined;

/** An ordered queue of effects with one performer. */
export interface EffectRunner<Effect> {
  push(effects: readonly Effect[]): void;
  /** Resolves when everything pushed so far is done; nothing further is performed after it. */
  stop(): Promise<void>;
}

/**
 * Creates a runner. Effects that need no waiting are performed in the caller's turn; the first one
 * that returns a promise holds back the rest. A failed effect stops the runner for good: what
 * depends on it must not happen.
 */
export function createEffectRunner<Effect>(
  perform: Perform<Effect>,
  onError: (cause: unknown, effect: Effect) => void,
): EffectRunner<Effect> {
  const queue: Effect[] = [];
  let running: Promise<void> | undefined;
  let halted = false;
  let performing = false;
  let head = 0;

  function performNext(): Promise<void> | undefined {
    performing = true;
    const waiting = performUntilWait();
    performing = false;
    return waiting;
  }

  function performUntilWait(): Promise<void> | undefined {
    while (!halted && head < queue.length) {
      const effect = queue[head++] as Effect;
      try {
        const done = perform(effect);
        if (done) return done.catch((cause: unknown) => fail(cause, effect));
      } catch (cause) {
        fail(cause, effect);
      }
    }
    queue.length = 0;
    head = 0;
    return undefined;
  }

  function fail(cause: unknown, effect: Effect): void {
    halted = true;
    onError(cause, effect);
  }

  async function drain(first: Promise<void>): Promise<void> {
    for (let waiting: Promise<void> | undefined = first; waiting; waiting = performNext())
      await waiting;
    running = undefined;
  }

  return {
    push(effects) {
      if (halted) return;
      for (const effect of effects) queue.push(effect);
      if (running || performing) return;
      const waiting = performNext();
      if (waiting) running = drain(waiting);
    },
    async stop() {
      await running;
      halted = true;
    },
  };
}
