/**
 * Multiplication, division and powers of words (see words.ts for the layout). Division is the
 * schoolbook method with 32-bit digits; quotient digits are estimated in floating point, with an
 * error that is bounded and corrected.
 */
import { isSmall, isZero, setNumber, setSmall, shiftLeft, toNumber, type Words } from "./words.ts";

const TWO_32 = 0x100000000;

/** Scratch of the functions below; none of them calls back out while it is in use. */
const numerator = new Uint32Array(18);
const denominator = new Uint32Array(8);
const quotient = new Uint32Array(18);
const product = new Uint32Array(16);
const power = new Uint32Array(16);

/** Makes `product` the 512-bit product of two words; `limbs` of it are exact. */
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
  put(w, to, product);
}

/** Copies limbs; returns how many are left without leading zeros. */
function take(w: Words, at: number, limbs: number, into: Uint32Array): number {
  let length = 0;
  for (let i = 0; i < limbs; i++) {
    const limb = w[at + i] as number;
    into[i] = limb;
    if (limb !== 0) length = i + 1;
  }
  return length;
}

/** Writes the low eight limbs as a word. */
function put(w: Words, at: number, limbs: Uint32Array): void {
  for (let i = 0; i < 8; i++) w[at + i] = limbs[i] as number;
}

/**
 * Divides `numerator` (n limbs) by `denominator` (d limbs, the highest not zero): `quotient` is
 * complete, the remainder replaces the low eight limbs of `numerator`.
 */
function divide(n: number, d: number): void {
  quotient.fill(0);
  if (n >= d) {
    if (d === 1) divideByLimb(n);
    else divideByMany(n, d);
  }
  for (let i = d; i < 8; i++) numerator[i] = 0;
}

/** By one limb, in halves: a remainder and 16 more bits are an exact number. */
function divideByLimb(n: number): void {
  const divisor = denominator[0] as number;
  let rest = 0;
  for (let i = n - 1; i >= 0; i--) {
    const limb = numerator[i] as number;
    const upper = rest * 0x10000 + (limb >>> 16);
    const high = Math.floor(upper / divisor);
    const lower = (upper - high * divisor) * 0x10000 + (limb & 0xffff);
    const low = Math.floor(lower / divisor);
    quotient[i] = high * 0x10000 + low;
    rest = lower - low * divisor;
  }
  numerator[0] = rest;
}

/** Keeps an estimate from being too small: far above its error, far below a whole quotient. */
const ESTIMATE_MARGIN = 2 ** -10;

function divideByMany(n: number, d: number): void {
  const shift = Math.clz32(denominator[d - 1] as number);
  shiftLimbsLeft(denominator, d, shift);
  numerator[n] = 0;
  shiftLimbsLeft(numerator, n + 1, shift);
  // At least 2^63, so that what the lower limbs would change in a quotient digit is below 2^-30.
  const top = (denominator[d - 1] as number) * TWO_32 + (denominator[d - 2] as number);
  for (let j = n - d; j >= 0; j--) {
    const high = (numerator[j + d] as number) * TWO_32 + (numerator[j + d - 1] as number);
    const value = high * TWO_32 + (numerator[j + d - 2] as number);
    const estimate = Math.floor(value / top + ESTIMATE_MARGIN);
    const digit = estimate < TWO_32 ? estimate : TWO_32 - 1;
    quotient[j] = digit === 0 ? 0 : subtractMultiple(j, d, digit);
  }
  shiftLimbsRight(numerator, d, shift);
}

/** Takes digit * denominator from the numerator at place j; returns the digit, or 1 less. */
function subtractMultiple(j: number, d: number, digit: number): number {
  const xl = digit & 0xffff;
  const xh = digit >>> 16;
  let carry = 0;
  for (let i = 0; i < d; i++) {
    const y = denominator[i] as number;
    const yl = y & 0xffff;
    const yh = y >>> 16;
    const low = Math.imul(xl, yl) >>> 0;
    const mid = (Math.imul(xh, yl) + (low >>> 16)) >>> 0;
    const cross = (Math.imul(xl, yh) + (mid & 0xffff)) >>> 0;
    const high = (Math.imul(xh, yh) + (mid >>> 16) + (cross >>> 16)) >>> 0;
    const sum = (((cross << 16) | (low & 0xffff)) >>> 0) + carry;
    const rest = (numerator[i + j] as number) - (sum >>> 0);
    numerator[i + j] = rest;
    carry = high + (sum > 0xffffffff ? 1 : 0) + (rest < 0 ? 1 : 0);
  }
  const top = (numerator[j + d] as number) - carry;
  numerator[j + d] = top;
  if (top >= 0) return digit;
  addBack(j, d);
  return digit - 1;
}

/** Undoes one subtraction too many. */
function addBack(j: number, d: number): void {
  let carry = 0;
  for (let i = 0; i < d; i++) {
    const sum = (numerator[i + j] as number) + (denominator[i] as number) + carry;
    numerator[i + j] = sum;
    carry = sum > 0xffffffff ? 1 : 0;
  }
  numerator[j + d] = (numerator[j + d] as number) + carry;
}

function shiftLimbsLeft(limbs: Uint32Array, length: number, bits: number): void {
  for (let i = length - 1; i > 0; i--) {
    // In two steps, because a shift by 32 is none.
    const low = ((limbs[i - 1] as number) >>> 1) >>> (31 - bits);
    limbs[i] = ((limbs[i] as number) << bits) | low;
  }
  limbs[0] = (limbs[0] as number) << bits;
}

function shiftLimbsRight(limbs: Uint32Array, length: number, bits: number): void {
  for (let i = 0; i < length - 1; i++) {
    const high = ((limbs[i + 1] as number) << 1) << (31 - bits);
    limbs[i] = ((limbs[i] as number) >>> bits) | high;
  }
  limbs[length - 1] = (limbs[length - 1] as number) >>> bits;
}

/** DIV; by zero it is zero. */
export function div(w: Words, at: number): void {
  const to = at - 8;
  const a = toNumber(w, at);
  const b = toNumber(w, to);
  if (b === 0) return;
  if (a < Infinity) return setNumber(w, to, b < Infinity ? Math.floor(a / b) : 0);
  divide(take(w, at, 8, numerator), take(w, to, 8, denominator));
  put(w, to, quotient);
}

/** MOD; by zero it is zero. */
export function mod(w: Words, at: number): void {
  const to = at - 8;
  const a = toNumber(w, at);
  const b = toNumber(w, to);
  if (b === 0) return;
  if (a < Infinity) return setNumber(w, to, b < Infinity ? a - b * Math.floor(a / b) : a);
  divide(take(w, at, 8, numerator), take(w, to, 8, denominator));
  put(w, to, numerator);
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

/** ADDMOD: the sum has 257 bits before it is reduced; modulus and result lie two below the top. */
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
  divide(take(product, 0, 9, numerator), take(w, to, 8, denominator));
  put(w, to, numerator);
}

/** MULMOD: the product has 512 bits before it is reduced; places as in {@link addMod}. */
export function mulMod(w: Words, at: number): void {
  const to = at - 16;
  const n = toNumber(w, to);
  if (n === 0) return;
  const small = toNumber(w, at) * toNumber(w, at - 8);
  if (small <= Number.MAX_SAFE_INTEGER) {
    return setNumber(w, to, n < Infinity ? small - n * Math.floor(small / n) : small);
  }
  multiplyInto(w, at, at - 8, 16);
  divide(take(product, 0, 16, numerator), take(w, to, 8, denominator));
  put(w, to, numerator);
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
  put(w, to, power);
}

function squareBase(): void {
  const small = toNumber(power, 8);
  if (small * small <= Number.MAX_SAFE_INTEGER) return setNumber(power, 8, small * small);
  multiplyInto(power, 8, 8, 8);
  put(power, 8, product);
}
