/**
 * What a call of a precompiled contract costs: operations and the largest memory noted.
 * Source: precompiles 2
 */

/** Operations with a price. Source: precompiles 2 */
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

const WORD = 32;
const MEMORY_WORD_GAS = 3;
const MEMORY_SQUARE_DIVISOR = 512;

/** Counts the gas of one call. */
export interface GasMeter {
  /** Charges an operation, `count` times. */
  add(operation: PrecompiledOperation, count?: number): void;
  /** Notes a memory size; the largest counts. */
  noteMemory(bytes: number): void;
  /** Notes a memory size that replaces what was noted before. */
  setMemory(bytes: number): void;
  /** Total, once the size of the output is known. */
  total(outputBytes: number): number;
}

/**
 * Opens a meter. @param freeStorage the genesis flag; it selects the second column of the prices
 */
export function createGasMeter(freeStorage: boolean): GasMeter {
  let operations = 0;
  let memory = 0;
  const column = freeStorage ? 1 : 0;
  return {
    add(operation, count = 1) {
      operations += PRECOMPILED_GAS[operation][column] * count;
    },
    noteMemory(bytes) {
      memory = Math.max(memory, bytes);
    },
    setMemory(bytes) {
      memory = bytes;
    },
    total: (outputBytes) => operations + memoryGas(Math.max(memory, outputBytes)),
  };
}

function memoryGas(bytes: number): number {
  const words = Math.ceil(bytes / WORD);
  return MEMORY_WORD_GAS * words + Math.floor((words * words) / MEMORY_SQUARE_DIVISOR);
}
