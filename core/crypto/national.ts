/** The national suite: SM3, and SM2 signatures that carry their key. Source: sm-suite 2-4 */
import { concatBytes, EMPTY_BYTES, equalBytes } from "../bytes/bytes.ts";
import { addressOf } from "../bytes/hex.ts";
import {
  SM2_KEY_BYTES,
  SM2_SIGNATURE_BYTES,
  sm2Digest,
  sm2PublicKey,
  sm2SignDigest,
  sm2VerifyDigest,
} from "./sm2.ts";
import { sm3 } from "./sm3.ts";
import type { CryptoSuite, NationalBackend } from "./suite.ts";

/** Serialised length: r(32) s(32) public key(64). Source: sm-suite 4 */
const SIGNATURE_BYTES = SM2_SIGNATURE_BYTES + SM2_KEY_BYTES;
const DIGEST_BYTES = 32;

/** The default backend: portable, over audited arithmetic, and the oracle for the faster ones. */
const NATIONAL_REFERENCE: NationalBackend = {
  sm3,
  signDigest: sm2SignDigest,
  verifyDigest: sm2VerifyDigest,
  publicKey: sm2PublicKey,
};

/**
 * The national suite over the given primitives; what is not given comes from the default backend.
 * To recover is to verify against the carried key and return it. Source: sm-suite 4
 */
export function createSmSuite(backend: Partial<NationalBackend> = {}): CryptoSuite {
  const primitives: NationalBackend = { ...NATIONAL_REFERENCE, ...backend };
  const { sm3: hash, signDigest, verifyDigest, publicKey } = primitives;
  // A signer's identity costs as much as its signature, and a node signs with one key.
  let signer: { readonly privateKey: Uint8Array; readonly key: Uint8Array } = {
    privateKey: EMPTY_BYTES,
    key: EMPTY_BYTES,
  };
  const keyOf = (privateKey: Uint8Array): Uint8Array => {
    if (!equalBytes(signer.privateKey, privateKey))
      signer = { privateKey: privateKey.slice(), key: publicKey(privateKey) };
    return signer.key;
  };
  return {
    name: "national",
    signatureBytes: SIGNATURE_BYTES,
    hash,
    sign(digest, privateKey) {
      const key = keyOf(privateKey);
      return concatBytes(signDigest(sm2Digest(digest, key, hash), privateKey), key);
    },
    recover(digest, signature) {
      if (digest.length !== DIGEST_BYTES || signature.length !== SIGNATURE_BYTES) return undefined;
      const key = signature.slice(SM2_SIGNATURE_BYTES);
      const scalars = signature.subarray(0, SM2_SIGNATURE_BYTES);
      return verifyDigest(sm2Digest(digest, key, hash), scalars, key) ? key : undefined;
    },
    publicKey,
    address: (key) => addressOf(hash(key).subarray(12)),
    verifySm2: verifyDigest,
  };
}
