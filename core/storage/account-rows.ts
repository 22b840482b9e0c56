/** Text forms of the code rows of an account, by version. Source: storage 3 */
import { byteString, bytesOf, type ByteString } from "../bytes/byte-string.ts";
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { fromHex, toHex } from "../bytes/hex.ts";
import { version, type Version } from "../model/version.ts";

/** Row key of an account's code. */
export const CODE_KEY = "code";

/** From here on code and code hash are raw bytes; hexadecimal text before. */
const RAW_FROM = version(2, 5, 0);

/** The row value of a code or code hash. */
export function bytesToRow(bytes: Uint8Array, chainVersion: Version): ByteString {
  return chainVersion >= RAW_FROM ? byteString(bytes) : toHex(bytes);
}

/** The code or code hash of a row value; no bytes when the text is not hexadecimal. */
export function rowToBytes(text: ByteString, chainVersion: Version): Uint8Array {
  return chainVersion >= RAW_FROM ? bytesOf(text) : (fromHex(text) ?? EMPTY_BYTES);
}
