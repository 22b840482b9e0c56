/**
 * Public keys as text: what a browser tab hands out so that its key never leaves it. Pure: runs on
 * every platform. Source: node-network 1; generator 5
 */
import { concatBytes, equalBytes } from "../../../core/bytes/bytes.ts";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { CERTIFICATE_CRYPTO } from "../../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { decodePem, encodePem } from "./pem.ts";

const LABEL = "PUBLIC KEY";
/** What stands before X and Y in a SubjectPublicKeyInfo of the curve, as openssl writes it. */
const HEADS: Readonly<Record<SuiteName, Uint8Array>> = {
  standard: hexBytes("3056301006072a8648ce3d020106052b8104000a03420004"),
  national: hexBytes("3059301306072a8648ce3d020106082a811ccf5501822d03420004"),
};
const KEY_BYTES = 64;
const POINT_TAG = Uint8Array.of(4);
const NODE_ID = /^(?:0x)?([0-9a-fA-F]{128})$/;

/** The key in PEM, the same bytes that openssl writes. */
export function publicKeyPem(suite: SuiteName, publicKey: Uint8Array): string {
  return encodePem(LABEL, concatBytes(HEADS[suite], publicKey));
}

/** The 64 bytes of a PEM text or of a node ID; undefined when it is no key of the suite's curve. */
export function parsePublicKey(text: string, suite: SuiteName): Uint8Array | undefined {
  const [, digits] = NODE_ID.exec(text.trim()) ?? [];
  const key = digits === undefined ? ofPem(text, suite) : hexBytes(digits.toLowerCase());
  return key && CERTIFICATE_CRYPTO[suite].publicKeyOfPoint(concatBytes(POINT_TAG, key));
}

function ofPem(text: string, suite: SuiteName): Uint8Array | undefined {
  const head = HEADS[suite];
  const block = decodePem(text).find(({ label }) => label === LABEL);
  if (block?.bytes.length !== head.length + KEY_BYTES) return undefined;
  const isOfCurve = equalBytes(block.bytes.subarray(0, head.length), head);
  return isOfCurve ? block.bytes.slice(head.length) : undefined;
}
