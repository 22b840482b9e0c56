/** Private keys that a user brings along. */
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { type PemKey, readKeyText } from "../../formats/keys/key-pem.ts";
import { KeyFault } from "./key-fault.ts";

/**
 * The key of a PEM file or of 64 hexadecimal digits.
 *
 * @param hexSuite what digits alone are taken for
 * @throws KeyFault encrypted, unusable
 */
export function readPem(text: string, hexSuite: SuiteName = "standard"): PemKey {
  const found = readKeyText(text, hexSuite);
  if (typeof found === "string") throw new KeyFault(found);
  return found;
}
