/** Brings the store of an earlier version up to checksums, while its group runs. */
import type { Pause } from "./background-pass.ts";
import type { CheckedStore } from "./checked-store.ts";

/** What one step seals: some milliseconds of work. */
const STEP_BYTES = 256 * 1024;
/** A step is followed by a pause of this many times its length: blocks come first. */
const REST = 4;

/**
 * Seals what is left, step by step. Gives what stops it after the step at hand; a fault ends it,
 * and is met again by a caller that reads or writes there.
 */
export function sealInBackground(store: CheckedStore, pause: Pause): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const work = async () => {
    for (;;) {
      const start = performance.now();
      if (signal.aborted || !(await store.sealMore(STEP_BYTES))) return;
      await pause((performance.now() - start) * REST, signal);
    }
  };
  if (!store.isSealed) void work().catch(() => undefined);
  return () => stop.abort();
}
