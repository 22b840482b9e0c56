/**
 * Multiplication, division and powers of words (see words.ts for the layout). Division works on
 * 16-bit digits, so that every product and estimate is an exact 32-bit number.
 */
import { isSmall, isZero, setNumber, setSmall, shiftLeft, toNumber, type Words } from "./words.ts";

/** Digits of 16 bits in a word. */
const DIGITS = 16;
const BASE = 0x10000;

/** Scratch of the functions below; none of them calls back out while it is in use. */
const numerator = new Uint16Array(2 * DIGITS + 2);
const denominator = new Uint16Array(DIGITS);
const quotient = new Uint16Array(2 * DIGITS + 2);
const product = new Uint32Array(16);
const power = new Uint32Array(16);

/**
 * Adds the 512-bit product of two words to `product`, which it clears first; `limbs` of it are
 * exact.
 */
function multiplyInto(w: Words, a: number, b: number, limbs: number): void {
  product.fill(0);
  for (let i = 0; i < 8; i++) {
    const x = w[a + i] as number;
    if (x === 0) continue;
    const xl = x & 0xffff;
    const xh = x >>> 16;
    let carry = 0;
    const end = Math.min(8, limbs - i);
    for (let j = 0; j < end; j++) {
      const y = w[b + j] as number;
      const yl = y & 0xffff;
      const yh = y >>> 16;
      const low = Math.imul(xl, yl) >>> 0;
      const mid = (Math.imul(xh, yl) + (low >>> 16)) >>> 0;
      const cross = (Math.imul(xl, yh) + (mid & 0xffff)) >>> 0;
      const high = (Math.imul(xh, yh) + (mid >>> 16) + (cross >>> 16)) >>> 0;
      const sum = (((cross << 16) | (low & 0xffff)) >>> 0) + (product[i + j] as number) + carry;
      product[i + j] = sum;
      carry = high + (sum > 0xffffffff ? Math.floor(sum / 0x100000000) : 0);
    }
    if (i + end < 16) product[i + end] = carry;
  }
}

/** MUL. */
export function mul(w: Words, at: number): void {
  const to = at - 8;
  const a = toNumber(w, at);
  const b = toNumber(w, to);
  if (a * b <= Number.MAX_SAFE_INTEGER) return setNumber(w, to, a * b);
  multiplyInto(w, at, to, 8);
  for (let i = 0; i < 8; i++) w[to + i] = product[i] as number;
}

/** Copies the digits of `limbs` limbs; returns how many digits are left without leading zeros. */
function takeDigits(w: Words, at: number, limbs: number, into: Uint16Array): number {
  for (let i = 0; i < limbs; i++) {
    const limb = w[at + i] as number;
    into[2 * i] = limb;
    into[2 * i + 1] = limb >>> 16;
  }
  let length = 2 * limbs;
  while (length > 0 && into[length - 1] === 0) length--;
  return length;
}

/** Writes the low 16 digits as a word. */
function putDigits(w: Words, at: number, digits: Uint16Array): void {
  for (let i = 0; i < 8; i++) {
    w[at + i] = (digits[2 * i] as number) | ((digits[2 * i + 1] as number) << 16);
  }
}

/**
 * Divides `numerator` (n digits) by `denominator` (d digits, the highest not zero): `quotient` is
 * complete, the remainder replaces the low 16 digits of `numerator`. Schoolbook division with a
 * normalised divisor.
 */
function divide(n: number, d: number): void {
  quotient.fill(0);
  if (n >= d) {
    if (d === 1) divideByDigit(n);
    else divideByMany(n, d);
  }
  numerator.fill(0, d, DIGITS);
}

function divideByDigit(n: number): void {
  const divisor = denominator[0] as number;
  let rest = 0;
  for (let i = n - 1; i >= 0; i--) {
    const value = rest * BASE + (numerator[i] as number);
    const digit = Math.floor(value / divisor);
    quotient[i] = digit;
    rest = value - digit * divisor;
  }
  numerator[0] = rest;
}

function divideByMany(n: number, d: number): void {
  const shift = Math.clz32(denominator[d - 1] as number) - 16;
  shiftDigitsLeft(denominator, d, shift);
  numerator[n] = 0;
  shiftDigitsLeft(numerator, n + 1, shift);
  const first = denominator[d - 1] as number;
  const second = denominator[d - 2] as number;
  for (let j = n - d; j >= 0; j--) {
    const top = (numerator[j + d] as number) * BASE + (numerator[j + d - 1] as number);
    const third = numerator[j + d - 2] as number;
    let digit = Math.floor(top / first);
    let rest = top - digit * first;
    while (rest < BASE && (digit >= BASE || digit * second > rest * BASE + third)) {
      digit--;
      rest += first;
    }
    quotient[j] = subtractMultiple(j, d, digit);
  }
  shiftDigitsRight(numerator, d, shift);
}

/**
 * Takes digit * denominator from the numerator at place j; returns the digit, one less where it was
 * too large.
 */
function subtractMultiple(j: number, d: number, digit: number): number {
  let carry = 0;
  for (let i = 0; i < d; i++) {
    const multiple = digit * (denominator[i] as number) + carry;
    const rest = (numerator[i + j] as number) - (multiple & 0xffff);
    numerator[i + j] = rest;
    carry = (multiple >>> 16) + (rest < 0 ? 1 : 0);
  }
  const top = (numerator[j + d] as number) - carry;
  numerator[j + d] = top;
  if (top >= 0) return digit;
  carry = 0;
  for (let i = 0; i < d; i++) {
    const sum = (numerator[i + j] as number) + (denominator[i] as number) + carry;
    numerator[i + j] = sum;
    carry = sum >>> 16;
  }
  numerator[j + d] = (numerator[j + d] as number) + carry;
  return digit - 1;
}

function shiftDigitsLeft(digits: Uint16Array, length: number, bits: number): void {
  for (let i = length - 1; i > 0; i--) {
    digits[i] = ((digits[i] as number) << bits) | ((digits[i - 1] as number) >>> (16 - bits));
  }
  digits[0] = (digits[0] as number) << bits;
}

function shiftDigitsRight(digits: Uint16Array, length: number, bits: number): void {
  for (let i = 0; i < length - 1; i++) {
    digits[i] = ((digits[i] as number) >>> bits) | ((digits[i + 1] as number) << (16 - bits));
  }
  digits[length - 1] = (digits[length - 1] as number) >>> bits;
}

/** DIV; by zero it is zero. */
export function div(w: Words, at: number): void {
  const to = at - 8;
  const a = toNumber(w, at);
  const b = toNumber(w, to);
  if (b === 0) return;
  if (a < Infinity) return setNumber(w, to, b < Infinity ? Math.floor(a / b) : 0);
  divide(takeDigits(w, at, 8, numerator), takeDigits(w, to, 8, denominator));
  putDigits(w, to, quotient);
}

/** MOD; by zero it is zero. */
export function mod(w: Words, at: number): void {
  const to = at - 8;
  const a = toNumber(w, at);
  const b = toNumber(w, to);
  if (b === 0) return;
  if (a < Infinity) return setNumber(w, to, b < Infinity ? a - b * Math.floor(a / b) : a);
  divide(takeDigits(w, at, 8, numerator), takeDigits(w, to, 8, denominator));
  putDigits(w, to, numerator);
}

function isNegative(w: Words, at: number): boolean {
  return (w[at + 7] as number) > 0x7fffffff;
}

function negate(w: Words, at: number): void {
  let carry = 1;
  for (let i = at; i < at + 8; i++) {
    const limb = (~(w[i] as number) >>> 0) + carry;
    w[i] = limb;
    carry = limb > 0xffffffff ? 1 : 0;
  }
}

/** SDIV; the quotient is cut towards zero. */
export function sdiv(w: Words, at: number): void {
  const a = isNegative(w, at);
  const b = isNegative(w, at - 8);
  if (a) negate(w, at);
  if (b) negate(w, at - 8);
  div(w, at);
  if (a !== b) negate(w, at - 8);
}

/** SMOD; the result has the sign of the first operand. */
export function smod(w: Words, at: number): void {
  const a = isNegative(w, at);
  if (a) negate(w, at);
  if (isNegative(w, at - 8)) negate(w, at - 8);
  mod(w, at);
  if (a) negate(w, at - 8);
}

/**
 * ADDMOD: the sum has 257 bits before it is reduced. The modulus lies two below the top, as the
 * result.
 */
export function addMod(w: Words, at: number): void {
  const to = at - 16;
  const n = toNumber(w, to);
  if (n === 0) return;
  const sum = toNumber(w, at) + toNumber(w, at - 8);
  if (sum <= Number.MAX_SAFE_INTEGER) {
    return setNumber(w, to, n < Infinity ? sum - n * Math.floor(sum / n) : sum);
  }
  let carry = 0;
  for (let i = 0; i < 8; i++) {
    const limb = (w[at + i] as number) + (w[at - 8 + i] as number) + carry;
    product[i] = limb;
    carry = limb > 0xffffffff ? 1 : 0;
  }
  product[8] = carry;
  divide(takeDigits(product, 0, 9, numerator), takeDigits(w, to, 8, denominator));
  putDigits(w, to, numerator);
}

/**
 * MULMOD: the product has 512 bits before it is reduced. The modulus lies two below the top, as the
 * result.
 */
export function mulMod(w: Words, at: number): void {
  const to = at - 16;
  const n = toNumber(w, to);
  if (n === 0) return;
  const small = toNumber(w, at) * toNumber(w, at - 8);
  if (small <= Number.MAX_SAFE_INTEGER) {
    return setNumber(w, to, n < Infinity ? small - n * Math.floor(small / n) : small);
  }
  multiplyInto(w, at, at - 8, 16);
  divide(takeDigits(product, 0, 16, numerator), takeDigits(w, to, 8, denominator));
  putDigits(w, to, numerator);
}

/** Bytes of the word without leading zeros; what EXP is priced by. */
export function byteLength(w: Words, at: number): number {
  for (let i = 7; i >= 0; i--) {
    const limb = w[at + i] as number;
    if (limb !== 0) return 4 * i + 4 - (Math.clz32(limb) >> 3);
  }
  return 0;
}

/** EXP: base at the top, exponent below. */
export function exp(w: Words, at: number): void {
  const to = at - 8;
  if (w[at] === 2 && isSmall(w, at)) {
    // Powers of two are what compilers write for shifts below Constantinople.
    w.copyWithin(at, to, at);
    setSmall(w, to, 1);
    return shiftLeft(w, at);
  }
  // power: result, base.
  setSmall(power, 0, 1);
  for (let i = 0; i < 8; i++) power[8 + i] = w[at + i] as number;
  while (!isZero(w, to)) {
    if ((w[to] as number) & 1) mul(power, 8);
    for (let i = to; i < to + 7; i++) {
      w[i] = ((w[i] as number) >>> 1) | ((w[i + 1] as number) << 31);
    }
    w[to + 7] = (w[to + 7] as number) >>> 1;
    squareBase();
  }
  for (let i = 0; i < 8; i++) w[to + i] = power[i] as number;
}

function squareBase(): void {
  const small = toNumber(power, 8);
  if (small * small <= Number.MAX_SAFE_INTEGER) return setNumber(power, 8, small * small);
  multiplyInto(power, 8, 8, 8);
  for (let i = 0; i < 8; i++) power[8 + i] = product[i] as number;
}
