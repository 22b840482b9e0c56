/** Private keys of nodes, agencies and chains as PEM text. Source: generator 5 */
import { nodeIdOf } from "../../core/bytes/hex.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import { CERTIFICATE_CRYPTO } from "../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import { InvariantFault } from "../../core/fault/invariant.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import { keyPem, readKeyText } from "../formats/keys/key-pem.ts";

/** A key pair. */
export interface KeyPair {
  /** Which kind of chain it is for: secp256k1 on a standard one, SM2 on a national one. */
  readonly suite: SuiteName;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  /** 64 bytes X and Y. */
  readonly publicKey: Uint8Array;
  readonly nodeId: NodeId;
}

const KEY_BYTES = 32;
/** Draws before the generator itself is held to be broken: one in 256 is refused. */
const MAX_DRAWS = 64;
const CURVE = "secp256k1";

/** The pair of a private key; undefined when the bytes are no key of the curve. */
export function keyPairOf(
  privateKey: Uint8Array,
  suite: SuiteName = "standard",
): KeyPair | undefined {
  try {
    const publicKey = CERTIFICATE_CRYPTO[suite].publicKey(privateKey);
    return { suite, privateKey, publicKey, nodeId: nodeIdOf(publicKey) };
  } catch {
    // Zero, or not below the curve's order.
    return undefined;
  }
}

/**
 * A new random key. Its first byte is not zero, because older tools cut hexadecimal text by column.
 * Source: generator 5
 */
export function createKeyPair(entropy: Entropy, suite: SuiteName = "standard"): KeyPair {
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    const bytes = entropy.bytes(KEY_BYTES);
    const pair = bytes[0] === 0 ? undefined : keyPairOf(bytes, suite);
    if (pair) return pair;
  }
  throw new InvariantFault("the source of randomness gives no usable key");
}

/** Unencrypted PKCS #8, the same bytes that openssl writes. Source: generator 5 */
export function privateKeyPem({ suite, privateKey, publicKey }: KeyPair): string {
  return keyPem(suite, privateKey, publicKey);
}

/** The curve of a suite's keys as messages name it. */
export function curveName(suite: SuiteName): string {
  return suite === "national" ? "SM2" : CURVE;
}

/** The key of a PEM text, PKCS #8 or SEC 1; undefined when it holds none of the suite's curve. */
export function parsePrivateKey(text: string, suite: SuiteName = "standard"): KeyPair | undefined {
  // Digits alone are no file of a key here.
  const found = text.includes("-----BEGIN ") ? readKeyText(text, suite) : "unusable";
  if (typeof found === "string" || found.suite !== suite) return undefined;
  return keyPairOf(found.privateKey, suite);
}
