/** Addresses that callers give as text. Source: precompiles 5, 8, 9 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";

const HEX_TEXT = /^(?:0x)?[0-9a-fA-F]*$/;
const ADDRESS_DIGITS = /^(?:0x)?([0-9a-fA-F]{40})$/;

/** Only other characters than hexadecimal digits make a text unacceptable, not its length. */
export function isHexText(text: ByteString): boolean {
  return HEX_TEXT.test(text);
}

/** The address of a hexadecimal text; the zero address when it has another length. */
export function addressOfText(text: ByteString): Address {
  const digits = ADDRESS_DIGITS.exec(text)?.[1];
  return digits === undefined ? ZERO_ADDRESS : (`0x${digits.toLowerCase()}` as Address);
}
