/** 0x07: multiplies a point of alt_bn128 by a number. Source: precompiles 17 */
import { ORDER, readG1, writeG1 } from "./bn128.ts";
import { type EthereumPrecompile, slice, toInteger } from "./contract.ts";

/** The contract. */
export const bn128Mul: EthereumPrecompile = {
  cost: () => 6_000,
  work: () => 320_000,
  run(input) {
    const point = readG1(input, 0);
    if (point === undefined) return undefined;
    return writeG1(point.multiplyUnsafe(toInteger(slice(input, 64, 32)) % ORDER));
  },
};
