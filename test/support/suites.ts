/** Both suites with the engines of Node: the bytes of noble in a small part of its time. */
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { createChainSuite } from "../../runtimes/node/machine/chain-suite.ts";

/** Signatures of a few hundred blocks of four sealers. */
const MOST_KNOWN = 8_192;

const latin = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** Nodes of one world verify the same signatures each by itself: the engine is asked once. */
function remembering(suite: CryptoSuite): CryptoSuite {
  const known = new Map<string, Uint8Array | undefined>();
  const recover: CryptoSuite["recover"] = (digest, signature) => {
    const question = `${digest.length} ${latin(digest)}${latin(signature)}`;
    let key = known.get(question);
    if (key === undefined && !known.has(question)) {
      if (known.size === MOST_KNOWN) known.clear();
      key = suite.recover(digest, signature);
      known.set(question, key);
    }
    return key?.slice();
  };
  return { ...suite, recover };
}

/** Made once for all files of a worker. */
export const STANDARD_SUITE = remembering(await createChainSuite("standard"));
/** Made once for all files of a worker. */
export const NATIONAL_SUITE = remembering(await createChainSuite("national"));
