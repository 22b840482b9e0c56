/** Rotation of 32-bit words, which the national algorithms are made of. */

/** The word turned left by 0 to 31 bits, as a signed 32-bit integer. */
export function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
