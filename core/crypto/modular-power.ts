/** Powers modulo a number, and what they cost. */

/** Bits of an exponent that one table look-up covers. */
const WINDOW = 4;

/** base^exponent mod modulus; the exponent is not negative, the modulus at least 2. */
export function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const table = [1n];
  const start = base % modulus;
  for (let i = 1; i < 1 << WINDOW; i++) table.push(((table[i - 1] ?? 1n) * start) % modulus);
  let power = 1n;
  for (const digit of exponent.toString(16)) {
    for (let i = 0; i < WINDOW; i++) power = (power * power) % modulus;
    const step = table[Number.parseInt(digit, 16)] ?? 1n;
    power = (power * step) % modulus;
  }
  return power;
}

/**
 * What one bit of an exponent takes by {@link modularPower} for a modulus of this many bits, in
 * units of 5 ns: squares of words, and what every multiplication takes besides. Measured.
 */
export function stepWork(modulusBits: number): number {
  const words = Math.ceil(modulusBits / 64);
  return words * words + 15 * words + 30;
}

/** How many bits a number that is not negative takes. */
export function bitLength(value: bigint): number {
  const digits = value.toString(16);
  return (digits.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(digits[0] ?? "0", 16)));
}
