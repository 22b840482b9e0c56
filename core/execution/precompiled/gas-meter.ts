/**
 * What a call of a precompiled contract costs: operations and the largest memory noted.
 * Source: precompiles 2
 */
import { memoryGas } from "../evm/gas.ts";

/** Operations with a price; the second one is that of free storage. Source: precompiles 2 */
export const PRECOMPILED_GAS = {
  eq: [3, 3],
  ge: [3, 3],
  gt: [3, 3],
  le: [3, 3],
  lt: [3, 3],
  ne: [3, 3],
  limit: [3, 3],
  getInt: [3, 3],
  getAddress: [3, 3],
  set: [3, 3],
  getString: [3, 3],
  getByte32: [96, 96],
  getByte64: [192, 192],
  createTable: [16_000, 500],
  openTable: [200, 200],
  select: [200, 200],
  insert: [10_000, 200],
  update: [10_000, 200],
  remove: [2_500, 200],
  paillierAdd: [20_000, 20_000],
  groupSigVerify: [20_000, 20_000],
  ringSigVerify: [20_000, 20_000],
} as const;

/** Name of a priced operation. */
export type PrecompiledOperation = keyof typeof PRECOMPILED_GAS;

/** Counts the gas of one call. */
export class GasMeter {
  readonly #column: 0 | 1;
  #operations = 0;
  #memory = 0;

  constructor(freeStorage: boolean) {
    this.#column = freeStorage ? 1 : 0;
  }

  /** Charges an operation, `count` times. */
  add(operation: PrecompiledOperation, count = 1): void {
    this.#operations += PRECOMPILED_GAS[operation][this.#column] * count;
  }

  /** Notes a memory size; the largest counts. */
  noteMemory(bytes: number): void {
    this.#memory = Math.max(this.#memory, bytes);
  }

  /** Notes a memory size that replaces what was noted before. */
  setMemory(bytes: number): void {
    this.#memory = bytes;
  }

  /** Total, once the size of the output is known. */
  total(outputBytes: number): number {
    return this.#operations + memoryGas(Math.ceil(Math.max(this.#memory, outputBytes) / 32));
  }
}
