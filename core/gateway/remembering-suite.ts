/** A suite that knows the signatures that it has examined: checks ask for each several times. */
import { toHex } from "../bytes/hex.ts";
import type { CryptoSuite } from "../crypto/suite.ts";

/** About 300 bytes each. */
const MOST_SIGNATURES = 4_096;

/** The suite; who signed is found out once for each of the last signatures. */
export function rememberingSuite(suite: CryptoSuite): CryptoSuite {
  const known = new Map<string, Uint8Array | undefined>();
  return {
    ...suite,
    recover(digest, signature) {
      // Longer ones are of Byzantine nodes, and would not be small.
      if (signature.length !== suite.signatureBytes) return suite.recover(digest, signature);
      const key = `${toHex(digest)}${toHex(signature)}`;
      if (known.has(key)) return known.get(key);
      const found = suite.recover(digest, signature);
      if (known.size >= MOST_SIGNATURES) known.delete(known.keys().next().value ?? "");
      known.set(key, found);
      return found;
    },
  };
}
