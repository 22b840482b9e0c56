/** Hexadecimal digits by the platform's own code, many times faster than by ours. */
import type { HexEngine } from "../../../core/bytes/hex.ts";

/** On Node. */
export const NATIVE_HEX: HexEngine = {
  digits: (bytes, start, end) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("hex"),
  bytes(digits) {
    // It reads the low eight bits of a character only: others would pass for digits.
    if (/[^\0-\x7f]/.test(digits)) return undefined;
    const bytes = Buffer.from(digits, "hex");
    // It ends where there is no digit.
    if (2 * bytes.length !== digits.length) return undefined;
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  },
};
