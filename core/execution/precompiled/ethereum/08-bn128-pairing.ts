/** 0x08: whether a product of pairings on alt_bn128 is one. Source: precompiles 17 */
import { bn254 } from "@noble/curves/bn254.js";
import { type G1Point, type G2Point, readG1, readG2 } from "./bn128.ts";
import type { EthereumPrecompile } from "./contract.ts";

const PAIR_BYTES = 192;

/** The contract. */
export const bn128Pairing: EthereumPrecompile = {
  cost: (input) => 45_000 + 34_000 * Math.floor(input.length / PAIR_BYTES),
  work: (input) => 3_000_000 + 2_400_000 * Math.floor(input.length / PAIR_BYTES),
  run(input) {
    if (input.length % PAIR_BYTES !== 0) return undefined;
    const pairs: { g1: G1Point; g2: G2Point }[] = [];
    for (let at = 0; at < input.length; at += PAIR_BYTES) {
      const g1 = readG1(input, at);
      const g2 = readG2(input, at + 64);
      if (g1 === undefined || g2 === undefined) return undefined;
      // A pair with infinity contributes the factor one.
      if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 });
    }
    const { Fp12 } = bn254.fields;
    const isOne = pairs.length === 0 || Fp12.eql(bn254.pairingBatch(pairs), Fp12.ONE);
    const output = new Uint8Array(32);
    output[31] = isOne ? 1 : 0;
    return output;
  },
};
