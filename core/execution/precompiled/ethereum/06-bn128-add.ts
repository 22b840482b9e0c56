/** 0x06: adds two points of alt_bn128. Source: precompiles 17 */
import { readG1, writeG1 } from "./bn128.ts";
import type { EthereumPrecompile } from "./contract.ts";

/** The contract. */
export const bn128Add: EthereumPrecompile = {
  cost: () => 150,
  work: () => 5_000,
  run(input) {
    const a = readG1(input, 0);
    const b = readG1(input, 64);
    return a === undefined || b === undefined ? undefined : writeG1(a.add(b));
  },
};
