/**
 * The crypto suite of the theatre: the hash of the standard suite, and signatures without curves,
 * which are quick, deterministic, and sound as long as nobody signs with a key that is not his own.
 * A signature names its key and carries a tag of digest and key.
 */
import { nodeIdOf } from "../../../../core/bytes/hex.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import { MAX_NODES } from "../scenario.ts";

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
/** Where a signature names its key, and where its tag begins. */
const KEY_AT = 33;
const TAG_AT = 37;
const TAG_END = 64;
/** Keys of clients come after those of nodes. */
const CLIENT_KEY = 1_000;

/** The private key of a number. */
export function privateKeyOf(number: number): Uint8Array {
  const key = new Uint8Array(DIGEST_BYTES).fill(7);
  new DataView(key.buffer).setUint32(0, number);
  return key;
}

function numberAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at);
}

/** The number of the key that a signature names, which need not be that of who made it. */
export function namedBy(signature: Uint8Array): number {
  return numberAt(signature, KEY_AT);
}

function signatureWith(number: number, tag: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  // Neither half may be zero or above half the order of the group: see isScalar of the codec.
  signature.set(tag.subarray(0, DIGEST_BYTES));
  signature[0] = 1;
  new DataView(signature.buffer).setUint32(KEY_AT, number);
  signature.set(tag.subarray(0, TAG_END - TAG_AT), TAG_AT);
  signature[DIGEST_BYTES] = 1;
  return signature;
}

/** A signature that names the key of a number without having it: valid only where nobody looks. */
export function forgedSignature(number: number): Uint8Array {
  return signatureWith(number, new Uint8Array(DIGEST_BYTES).fill(9));
}

/**
 * Signatures that name their keys, over any hash.
 *
 * @param derive gives the public key of a number, 64 bytes
 */
export function namedSignatures(
  hash: CryptoSuite["hash"],
  derive: (number: number) => Uint8Array,
): Pick<CryptoSuite, "sign" | "recover" | "publicKey" | "signatureBytes"> {
  const publicKeys = new Map<number, Uint8Array>();
  const tagged = new Uint8Array(DIGEST_BYTES + 4);
  const taggedNumber = new DataView(tagged.buffer);
  const publicKeyOf = (number: number): Uint8Array => {
    const key = publicKeys.get(number) ?? derive(number);
    publicKeys.set(number, key);
    return key;
  };
  const tagOf = (digest: Uint8Array, number: number): Uint8Array => {
    tagged.set(digest);
    taggedNumber.setUint32(DIGEST_BYTES, number);
    return hash(tagged);
  };
  return {
    signatureBytes: SIGNATURE_BYTES,
    sign: (digest, privateKey) => {
      const number = numberAt(privateKey, 0);
      return signatureWith(number, tagOf(digest, number));
    },
    recover: (digest, signature) => {
      if (signature.length !== SIGNATURE_BYTES) return undefined;
      const number = namedBy(signature);
      const tag = tagOf(digest, number);
      for (let at = TAG_AT; at < TAG_END; at++)
        if (signature[at] !== tag[at - TAG_AT]) return undefined;
      return publicKeyOf(number);
    },
    publicKey: (privateKey) => publicKeyOf(numberAt(privateKey, 0)),
  };
}

/** The key of the client that sends transactions. */
export const CLIENT = privateKeyOf(CLIENT_KEY);

interface Identity {
  readonly privateKey: Uint8Array;
  readonly nodeId: NodeId;
}

/** The suite, and the identities of the nodes: ascending, so that sealer n is node n. */
export interface StageSuite extends CryptoSuite {
  readonly identities: readonly Identity[];
  /** A signature that names the key of a node without having it: nobody takes it. */
  forged(node: number): Uint8Array;
}

/** Makes the suite of a stage. */
export function createStageSuite(): StageSuite {
  const standard = createStandardSuite();
  const signatures = namedSignatures(standard.hash, (number) => {
    const key = new Uint8Array(2 * DIGEST_BYTES);
    key.set(standard.hash(privateKeyOf(number)));
    key.set(standard.hash(key.subarray(0, DIGEST_BYTES)), DIGEST_BYTES);
    return key;
  });
  const identities = Array.from({ length: MAX_NODES }, (_, number) => {
    const privateKey = privateKeyOf(number);
    return { number, privateKey, nodeId: nodeIdOf(signatures.publicKey(privateKey)) };
  }).sort((left, right) => (left.nodeId < right.nodeId ? -1 : 1));
  const forged = (node: number) => forgedSignature(identities[node]?.number ?? 0);
  return { ...standard, ...signatures, identities, forged };
}
