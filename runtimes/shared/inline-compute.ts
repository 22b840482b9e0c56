/** The Compute port in place: the reference for every other implementation, and their fallback. */
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { Compute } from "../../core/ports/compute.ts";

/** Items recovered before the caller's thread gets a turn. */
const SLICE_ITEMS = 32;

/** What the in-place implementation needs besides the suite. */
export interface InlineComputeOptions {
  /** Runs a function in a later turn of the event loop; without it a batch is done in one turn. */
  readonly schedule?: (run: () => void) => void;
}

/** Recovers on the calling thread, a slice of the batch per turn. */
export function createInlineCompute(
  suite: CryptoSuite,
  options: InlineComputeOptions = {},
): Compute {
  const { schedule } = options;
  return {
    async recover(items) {
      const keys: (Uint8Array | undefined)[] = [];
      for (let start = 0; start < items.length; start += SLICE_ITEMS) {
        if (start > 0 && schedule) await new Promise<void>((resume) => schedule(resume));
        for (const { digest, signature } of items.slice(start, start + SLICE_ITEMS)) {
          keys.push(suite.recover(digest, signature));
        }
      }
      return keys;
    },
    close: async () => {},
  };
}
