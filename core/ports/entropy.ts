/** Randomness as a port. */

/**
 * Fills and returns an array of random bytes; cryptographic quality on real runtimes, seeded in
 * simulation.
 */
export interface Entropy {
  bytes(count: number): Uint8Array;
}
