/** 0x04: the input itself. Source: precompiles 17 */
import { type EthereumPrecompile, wordPrice } from "./contract.ts";

/** The contract. */
export const identity: EthereumPrecompile = {
  cost: wordPrice(15, 3),
  work: (input) => input.length,
  run: (input) => input.slice(),
};
