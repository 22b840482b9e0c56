/** 0x05: powers modulo a number, of any length (EIP-198). Source: precompiles 17 */
import { EMPTY_BYTES, fixedUintBytes } from "../../../bytes/bytes.ts";
import { hexBytes } from "../../../bytes/hex.ts";
import { type EthereumPrecompile, slice, toInteger } from "./contract.ts";

/** Three lengths lead the input. */
const HEAD_BYTES = 96;
const GAS_DIVISOR = 20n;

/** The three lengths. */
type Lengths = ReturnType<typeof readLengths>;

function readLengths(input: Uint8Array) {
  return {
    base: toInteger(slice(input, 0, 32)),
    exponent: toInteger(slice(input, 32, 32)),
    modulus: toInteger(slice(input, 64, 32)),
  };
}

/** Price of multiplying numbers of that many bytes. */
function multiplicationComplexity(bytes: bigint): bigint {
  const square = bytes * bytes;
  if (bytes <= 64n) return square;
  if (bytes <= 1024n) return square / 4n + 96n * bytes - 3072n;
  return square / 16n + 480n * bytes - 199680n;
}

/** Place of the exponent's highest bit, estimated from its first 32 bytes when it is longer. */
function adjustedExponentLength(input: Uint8Array, lengths: Lengths): bigint {
  const at = BigInt(HEAD_BYTES) + lengths.base;
  const size = lengths.exponent < 32n ? lengths.exponent : 32n;
  const head = at < BigInt(input.length) ? toInteger(slice(input, Number(at), Number(size))) : 0n;
  const headBits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  return lengths.exponent <= 32n ? headBits : 8n * (lengths.exponent - 32n) + headBits;
}

/** The exact price, which may be larger than any gas limit. */
export function modexpGas(input: Uint8Array): bigint {
  const lengths = readLengths(input);
  const longest = larger(lengths.base, lengths.modulus);
  const adjusted = adjustedExponentLength(input, lengths);
  return (multiplicationComplexity(longest) * larger(adjusted, 1n)) / GAS_DIVISOR;
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

/** Long exponents of small numbers take longest for their price. Measured. */
const MODEXP_WORK_PER_GAS = 4;

/** The contract. */
export const modexp: EthereumPrecompile = {
  cost(input) {
    const gas = modexpGas(input);
    return gas > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(gas);
  },
  work(input) {
    return MODEXP_WORK_PER_GAS * modexp.cost(input);
  },
  run(input) {
    const lengths = readLengths(input);
    // The price is 0 only here; everywhere else it bounds the lengths.
    if (lengths.base === 0n && lengths.modulus === 0n) return EMPTY_BYTES;
    const exponentAt = HEAD_BYTES + Number(lengths.base);
    const modulusAt = exponentAt + Number(lengths.exponent);
    const modulusBytes = Number(lengths.modulus);
    const modulus = toInteger(slice(input, modulusAt, modulusBytes));
    if (modulus === 0n) return new Uint8Array(modulusBytes);
    const base = toInteger(slice(input, HEAD_BYTES, Number(lengths.base))) % modulus;
    // A modulus above zero lies behind the whole exponent, which therefore is all there.
    const exponent = input.subarray(exponentAt, modulusAt);
    const isShortcut = modulus <= SMALL && exponent.length > LONG_BYTES;
    const raise = isShortcut ? smallPower : largePower;
    const result = raise(base, exponent, modulus).toString(16);
    return hexBytes(result.padStart(2 * modulusBytes, "0"));
  },
};

/**
 * Moduli whose totient is found faster than an exponent of more than this many bytes is worked
 * through.
 */
const SMALL = 0xffffffffn;
const LONG_BYTES = 4_096;

/**
 * For a small modulus m an exponent e may be very long for its price. By Euler's theorem
 * a^e = a^(e mod phi + k phi) modulo m whenever both exponents are at least the bits of m.
 */
function smallPower(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  const phi = totient(Number(modulus));
  let rest = 0;
  let isReduced = false;
  for (const digit of exponent) {
    const next = rest * 256 + digit;
    isReduced ||= next >= phi;
    rest = next % phi;
  }
  // 64 laps cover the bits of a small modulus, where phi itself may be too small to do so.
  const lap = isReduced ? BigInt(phi) * 64n : 0n;
  return largePower(base, fixedUintBytes(BigInt(rest) + lap, 8), modulus);
}

/** How many numbers below n have no common factor with it. */
function totient(n: number): number {
  let rest = n;
  let result = n;
  for (let factor = 2; factor * factor <= rest; factor++) {
    if (rest % factor !== 0) continue;
    while (rest % factor === 0) rest /= factor;
    result -= result / factor;
  }
  return rest > 1 ? result - result / rest : result;
}

/** Digit by digit of four bits, so that the exponent never has to be one number. */
function largePower(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  const powers = [1n];
  for (let i = 1; i < 16; i++) powers.push(((powers[i - 1] as bigint) * base) % modulus);
  let result = 1n % modulus;
  const step = (digit: number): void => {
    if (result !== 1n) {
      for (let i = 0; i < 4; i++) result = (result * result) % modulus;
    }
    if (digit !== 0) result = (result * (powers[digit] as bigint)) % modulus;
  };
  for (const byte of exponent) {
    step(byte >> 4);
    step(byte & 15);
  }
  return result;
}
