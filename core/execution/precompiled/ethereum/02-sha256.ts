/** 0x02: SHA-256 (SM3 on SM chains before 2.4.0). Source: precompiles 17 */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { type EthereumPrecompile, wordPrice } from "./contract.ts";

/** The contract, with another digest where a chain's version asks for it. */
export function sha256(digest: (data: Uint8Array) => Uint8Array = nobleSha256): EthereumPrecompile {
  return {
    cost: wordPrice(60, 12),
    work: (input) => 200 + 4 * input.length,
    run: (input) => digest(input),
  };
}
