/** 0x01: the address that signed a digest. Source: precompiles 17 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { EMPTY_BYTES, writeUint } from "../../../bytes/bytes.ts";
import type { CryptoSuite } from "../../../crypto/suite.ts";
import { type EthereumPrecompile, slice, toInteger } from "./contract.ts";

const ORDER = secp256k1.Point.Fn.ORDER;

/**
 * The contract. High s is valid here: (r, s, v) and (r, n - s, 1 - v) have the same key, so that a
 * recovery that knows only low s serves.
 *
 * @param recover that of the standard suite
 * @param hash of the public key: Keccak-256 from 2.5.0 on
 */
export function ecrecover(
  recover: CryptoSuite["recover"],
  hash: CryptoSuite["hash"],
): EthereumPrecompile {
  return {
    cost: () => 3_000,
    // As long as the slowest engine takes, or nearly; the others take a tenth or less.
    work: () => 250_000,
    run(input) {
      const v = toInteger(slice(input, 32, 32));
      const r = toInteger(slice(input, 64, 32));
      const s = toInteger(slice(input, 96, 32));
      const isValid = (v === 27n || v === 28n) && r > 0n && r < ORDER && s > 0n && s < ORDER;
      if (!isValid) return EMPTY_BYTES;
      const isHigh = s > ORDER / 2n;
      const signature = new Uint8Array(65);
      writeUint(signature, 32, r);
      writeUint(signature, 64, isHigh ? ORDER - s : s);
      signature[64] = (v === 28n) === isHigh ? 0 : 1;
      const key = recover(slice(input, 0, 32), signature);
      if (key === undefined) return EMPTY_BYTES;
      const address = new Uint8Array(32);
      address.set(hash(key).subarray(12), 12);
      return address;
    },
  };
}
