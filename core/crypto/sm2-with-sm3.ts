/**
 * Signatures of certificates on a national chain: SM2 with SM3 under the default user id, in DER.
 * Source: sm-suite 4, 7
 */
import { DER } from "@noble/curves/abstract/weierstrass.js";
import { bigintOfBytes, concatBytes, fixedUintBytes } from "../bytes/bytes.ts";
import { hexBytes } from "../bytes/hex.ts";
import { SM2_SIGNATURE_BYTES, sm2Sign, sm2Verify } from "./sm2.ts";

const SCALAR_BYTES = SM2_SIGNATURE_BYTES / 2;
/** More than two scalars with their tags and signs need; checked before anything is parsed. */
const MOST_DER_BYTES = 72;

/** The DER signature of a message by a 32-byte private key. */
export function signSm3(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const signature = sm2Sign(message, privateKey);
  const r = bigintOfBytes(signature, 0, SCALAR_BYTES);
  const s = bigintOfBytes(signature, SCALAR_BYTES, SM2_SIGNATURE_BYTES);
  return hexBytes(DER.hexFromSig({ r, s }));
}

/** Whether the DER signature of the message is by the 64-byte public key. */
export function verifySm3(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  const scalars = scalarsOf(signature);
  return scalars !== undefined && sm2Verify(message, scalars, publicKey);
}

/** r(32) s(32) of a DER signature; undefined when the bytes are none. */
function scalarsOf(signature: Uint8Array): Uint8Array | undefined {
  if (signature.length > MOST_DER_BYTES) return undefined;
  try {
    const { r, s } = DER.toSig(signature);
    return concatBytes(fixedUintBytes(r, SCALAR_BYTES), fixedUintBytes(s, SCALAR_BYTES));
  } catch {
    // The library throws for bytes that are not DER, ours for numbers of more than 32 bytes.
    return undefined;
  }
}
