/** Private keys of the national curve in PEM, which the platform reads but does not hand out. */
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { decodePem, encodePem } from "./pem.ts";

const KEY_DIGITS = 64;
/** What stands before the key in PKCS #8 of this curve as openssl writes it, and behind it. */
const PKCS8_HEAD = hexBytes(
  "308187020100301306072a8648ce3d020106082a811ccf5501822d046d306b0201010420",
);
const PKCS8_POINT = hexBytes("a14403420004");
/** Name of the curve in either structure. Source: sm-suite 4 */
const CURVE = "06082a811ccf5501822d";
/** Version and start of the key in either structure. */
const KEY_START = "0201010420";
const LABELS = new Set(["PRIVATE KEY", "EC PRIVATE KEY"]);

/** Unencrypted PKCS #8, the same bytes that openssl writes. */
export function sm2KeyPem(privateKey: Uint8Array, publicKey: Uint8Array): string {
  return encodePem("PRIVATE KEY", concatBytes(PKCS8_HEAD, privateKey, PKCS8_POINT, publicKey));
}

/** The 32 bytes of a PEM text, PKCS #8 or SEC 1; undefined when it holds no key of this curve. */
export function parseSm2Key(text: string): Uint8Array | undefined {
  const block = decodePem(text).find(({ label }) => LABELS.has(label));
  const digits = block === undefined ? "" : toHex(block.bytes);
  const start = digits.indexOf(KEY_START) + KEY_START.length;
  const key = digits.slice(start, start + KEY_DIGITS);
  const isOfCurve = digits.includes(CURVE) && digits.includes(KEY_START);
  return isOfCurve && key.length === KEY_DIGITS ? hexBytes(key) : undefined;
}
