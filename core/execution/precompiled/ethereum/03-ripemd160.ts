/** 0x03: RIPEMD-160, padded on the left to 32 bytes. Source: precompiles 17 */
import { ripemd160 as nobleRipemd160 } from "@noble/hashes/legacy.js";
import { type EthereumPrecompile, wordPrice } from "./contract.ts";

/** The contract. */
export const ripemd160: EthereumPrecompile = {
  cost: wordPrice(600, 120),
  work: (input) => 1_000 + 4 * input.length,
  run(input) {
    const output = new Uint8Array(32);
    output.set(nobleRipemd160(input), 12);
    return output;
  },
};
