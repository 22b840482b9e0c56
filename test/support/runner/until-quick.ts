/** Work that must be quick on a machine that may be busy. */

/** Calls a step; how many milliseconds it took. */
export async function tookMs(step: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await step();
  return performance.now() - began;
}

/**
 * Repeats a measurement until one is below a bound. A busy machine makes that take longer, and
 * nothing fails for it; what is slow by its nature goes on until the runner ends the test.
 */
export async function untilQuick(limitMs: number, measureMs: () => Promise<number>): Promise<void> {
  while ((await measureMs()) >= limitMs);
}
