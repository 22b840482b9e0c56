/** Paillier at 0x5003: adds what two ciphers hide. Source: precompiles 16 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { stringsOutput } from "./contract.ts";
import { systemContract } from "./methods.ts";

/** Digits of the length field, which counts the bytes of the modulus. */
const LENGTH_DIGITS = 4;
/** The only lengths of a modulus, which also bound the work. Source: precompiles 16 */
const MODULUS_BYTES: ReadonlySet<number> = new Set([256, 512]);
const HEXADECIMAL = /^[0-9a-fA-F]+$/;

/** The contract. */
export const PAILLIER = systemContract({
  unknown: "unknownFunction",
  methods: {
    "paillierAdd(string,string)": (call) => {
      const sum = addCiphers(call.text(0), call.text(1));
      if (sum === undefined) return "invalidCiphers";
      call.gas.add("paillierAdd");
      return stringsOutput([sum]);
    },
  },
});

/** The cipher of the sum; undefined when the texts are no ciphers of one key. */
function addCiphers(left: ByteString, right: ByteString): ByteString | undefined {
  const modulusBytes = Number.parseInt(left.slice(0, LENGTH_DIGITS), 16);
  if (!MODULUS_BYTES.has(modulusBytes)) return undefined;
  const keyEnd = LENGTH_DIGITS + 2 * modulusBytes;
  const cipherDigits = 4 * modulusBytes;
  if (left.length !== keyEnd + cipherDigits || right.length !== left.length) return undefined;
  if (left.slice(0, keyEnd) !== right.slice(0, keyEnd)) return undefined;
  if (!HEXADECIMAL.test(left) || !HEXADECIMAL.test(right)) return undefined;
  const modulus = BigInt(`0x${left.slice(LENGTH_DIGITS, keyEnd)}`);
  if (modulus === 0n) return undefined;
  const [first, second] = [left, right].map((text) => BigInt(`0x${text.slice(keyEnd)}`));
  const product = ((first ?? 0n) * (second ?? 0n)) % (modulus * modulus);
  const digits = product.toString(16).toUpperCase().padStart(cipherDigits, "0");
  return left.slice(0, keyEnd) + digits;
}
