/** Bounded waits whose timers end with what they wait for. */
import type { Clock } from "../ports/clock.ts";

/** The result of work; undefined when it takes longer, which goes on unheard then. */
export async function within<Result>(
  work: Promise<Result>,
  clock: Clock,
  ms: number,
): Promise<Result | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
