/** A suite for tests that look at the same signatures again and again. */
import type { CryptoSuite } from "../../../core/crypto/suite.ts";

/** The suite, which examines each signature once: most lies leave them as they are. */
export function remembering(suite: CryptoSuite): CryptoSuite {
  const known = new Map<string, Uint8Array | undefined>();
  const recover: CryptoSuite["recover"] = (digest, signature) => {
    const key = `${digest} ${signature}`;
    if (!known.has(key)) known.set(key, suite.recover(digest, signature));
    return known.get(key);
  };
  return { ...suite, recover };
}
