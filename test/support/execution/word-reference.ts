/**
 * Word operations on bigints, as the yellow paper defines them: the oracle of the limb arithmetic.
 */
import fc from "fast-check";

const MOD = 1n << 256n;
const wrap = (value: bigint): bigint => BigInt.asUintN(256, value);
const signed = (value: bigint): bigint => BigInt.asIntN(256, value);
const bit = (flag: boolean): bigint => (flag ? 1n : 0n);

function pow(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % MOD;
    square = (square * square) % MOD;
  }
  return result;
}

type Operation = (a: bigint, b: bigint, c: bigint) => bigint;

const TABLE: Readonly<Record<string, Operation>> = {
  add: (a, b) => wrap(a + b),
  mul: (a, b) => wrap(a * b),
  sub: (a, b) => wrap(a - b),
  div: (a, b) => (b === 0n ? 0n : a / b),
  sdiv: (a, b) => (b === 0n ? 0n : wrap(signed(a) / signed(b))),
  mod: (a, b) => (b === 0n ? 0n : a % b),
  smod: (a, b) => (b === 0n ? 0n : wrap(signed(a) % signed(b))),
  addmod: (a, b, n) => (n === 0n ? 0n : (a + b) % n),
  mulmod: (a, b, n) => (n === 0n ? 0n : (a * b) % n),
  exp: pow,
  signExtend: (a, b) => (a > 30n ? b : wrap(BigInt.asIntN(8 * Number(a) + 8, b))),
  lt: (a, b) => bit(a < b),
  gt: (a, b) => bit(a > b),
  slt: (a, b) => bit(signed(a) < signed(b)),
  sgt: (a, b) => bit(signed(a) > signed(b)),
  eq: (a, b) => bit(a === b),
  isZero: (a) => bit(a === 0n),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => MOD - 1n - a,
  byte: (a, b) => (a > 31n ? 0n : (b >> (8n * (31n - a))) & 0xffn),
  shl: (a, b) => (a > 255n ? 0n : wrap(b << a)),
  shr: (a, b) => (a > 255n ? 0n : b >> a),
  sar: (a, b) => wrap(signed(b) >> (a > 255n ? 255n : a)),
};

/** The operation of that name. */
export function reference(name: string): Operation {
  const operation = TABLE[name];
  if (operation === undefined) throw new RangeError(`no reference for ${name}`);
  return operation;
}

/**
 * Words that lie where carries, signs and digits change, next to evenly spread ones of any length.
 */
export function word(): fc.Arbitrary<bigint> {
  const edges = [
    0n,
    1n,
    2n,
    3n,
    31n,
    32n,
    255n,
    256n,
    257n,
    (1n << 53n) - 1n,
    1n << 53n,
    MOD - 1n,
    MOD >> 1n,
  ];
  for (const bits of [16n, 32n, 48n, 64n, 96n, 128n, 160n, 192n, 224n, 240n, 255n]) {
    edges.push((1n << bits) - 1n, 1n << bits, (1n << bits) + 1n, MOD - (1n << bits));
  }
  return fc.oneof(
    fc.constantFrom(...edges),
    fc.bigInt({ min: 0n, max: MOD - 1n }),
    fc
      .integer({ min: 0, max: 256 })
      .chain((bits) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })),
    // Long runs of ones and zeros make quotient digits that are estimated too large.
    fc
      .array(fc.constantFrom(0n, 0xffffn, 0x8000n, 1n, 0xfffen), { minLength: 16, maxLength: 16 })
      .map((digits) => digits.reduce<bigint>((value, digit) => (value << 16n) | digit, 0n)),
  );
}
