/** Base64 with padding, the standard alphabet. Source: precompiles 16 */
import { type ByteString, bytesOf } from "./byte-string.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** What the value of a character outside the alphabet reads as. */
const NONE = 0xff;

const VALUES = new Uint8Array(256).fill(NONE);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** The bytes of a text in base64; undefined when it is none. */
export function fromBase64(text: ByteString): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const codes = bytesOf(text).subarray(0, text.length - padding);
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let to = 0;
  for (const [index, code] of codes.entries()) {
    const value = VALUES[code] ?? NONE;
    if (value === NONE) return undefined;
    bits = ((bits << 6) | value) & 0xffffff;
    const pending = index % 4;
    if (pending > 0) bytes[to++] = bits >> (6 - 2 * pending);
  }
  return bytes;
}
