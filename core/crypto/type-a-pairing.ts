/**
 * The symmetric pairing of PBC's type A: y^2 = x^3 + x over a prime field of order q = 3 modulo 4,
 * into the field with i^2 = -1. Parameters come from callers: when q is no prime, functions give
 * undefined where an inverse is missing. Source: precompiles 16
 */
import { bitLength, modularPower, stepWork } from "./modular-power.ts";

/** q + 1 = h r; points of interest have order r. */
export interface TypeAParameters {
  readonly q: bigint;
  readonly h: bigint;
  readonly r: bigint;
}

interface Affine {
  readonly x: bigint;
  readonly y: bigint;
}

/** A point; undefined is the point at infinity. */
export type CurvePoint = Affine | undefined;

/** real + imaginary i */
export interface TargetElement {
  readonly real: bigint;
  readonly imaginary: bigint;
}

interface PointTerm {
  readonly scalar: bigint;
  readonly point: CurvePoint;
}

/** x = X / Z^2, y = Y / Z^3; Z = 0 at infinity. */
interface Projective extends Affine {
  readonly z: bigint;
}

/** What a step of the pairing gives: the point it comes to, and the line it went along. */
interface Step {
  readonly point: Projective;
  readonly line: TargetElement;
}

const INFINITY: Projective = { x: 1n, y: 1n, z: 0n };
const ONE: TargetElement = { real: 1n, imaginary: 0n };

/** Thrown inside when the field is none; the exported functions turn it into undefined. */
class NoInverse extends RangeError {}

/** The curve, its pairing and the target field. */
export interface TypeAPairing {
  isOnCurve(x: bigint, y: bigint): boolean;
  /** A root of x^3 + x; undefined when there is none. */
  ordinate(x: bigint): bigint | undefined;
  /** The sum of all terms. */
  sum(terms: readonly PointTerm[]): CurvePoint;
  pair(left: CurvePoint, right: CurvePoint): TargetElement;
  multiply(left: TargetElement, right: TargetElement): TargetElement;
  power(base: TargetElement, exponent: bigint): TargetElement;
}

/** Runs a computation over a field that may be none; undefined when it is none. */
export function overField<Result>(compute: () => Result): Result | undefined {
  try {
    return compute();
  } catch (reason) {
    if (reason instanceof NoInverse) return undefined;
    throw reason;
  }
}

/** The pairing of the parameters. */
export function createTypeAPairing({ q, h, r }: TypeAParameters): TypeAPairing {
  const field = createField(q);
  const curve = createCurve(field);
  const target = createTarget(field);
  /** The function of the order's multiple of the left point, where it meets the right one. */
  const miller = (left: Affine, right: Affine): TargetElement => {
    let value = ONE;
    let point: Projective = { ...left, z: 1n };
    for (const bit of r.toString(2).slice(1)) {
      const doubled = curve.double(point, right);
      value = target.multiply(target.multiply(value, value), doubled.line);
      point = doubled.point;
      if (bit === "0") continue;
      const added = curve.add(point, left, right);
      value = target.multiply(value, added.line);
      point = added.point;
    }
    return value;
  };
  return {
    isOnCurve: (x, y) => field.mod(y * y - x * x * x - x) === 0n,
    ordinate(x) {
      const square = field.mod(x * x * x + x);
      const root = modularPower(square, (q + 1n) / 4n, q);
      return field.mod(root * root) === square ? root : undefined;
    },
    sum: curve.sum,
    pair(left, right) {
      if (left === undefined || right === undefined) return ONE;
      const value = miller(left, right);
      const conjugate = { real: value.real, imaginary: field.mod(-value.imaginary) };
      return target.power(target.multiply(conjugate, target.inverse(value)), h);
    },
    multiply: target.multiply,
    power: target.power,
  };
}

type Field = ReturnType<typeof createField>;

function createField(q: bigint) {
  /** The rest from 0 to q - 1. */
  const mod = (value: bigint): bigint => {
    const rest = value % q;
    return rest < 0n ? rest + q : rest;
  };
  return {
    mod,
    inverse(value: bigint): bigint {
      let [high, low] = [q, mod(value)];
      let [before, factor] = [0n, 1n];
      while (low > 0n) {
        const quotient = high / low;
        [high, low] = [low, high - quotient * low];
        [before, factor] = [factor, before - quotient * factor];
      }
      if (high !== 1n) throw new NoInverse();
      return mod(before);
    },
  };
}

/**
 * Steps give the line through the points where they meet (-x, i y) of the point `at`. Factors in
 * the base field are left out of lines: the last power of the pairing takes them away.
 */
function createCurve({ mod, inverse }: Field) {
  const double = ({ x, y, z }: Projective, at?: CurvePoint): Step => {
    if (z === 0n || y === 0n) return { point: INFINITY, line: ONE };
    const z2 = mod(z * z);
    const y2 = mod(y * y);
    const slope = mod(3n * x * x + z2 * z2);
    const s = mod(4n * x * y2);
    const x3 = mod(slope * slope - 2n * s);
    const z3 = mod(2n * y * z);
    const point = { x: x3, y: mod(slope * (s - x3) - 8n * y2 * y2), z: z3 };
    if (at === undefined) return { point, line: ONE };
    const real = mod(slope * mod(z2 * at.x + x) - 2n * y2);
    return { point, line: { real, imaginary: mod(mod(z3 * z2) * at.y) } };
  };
  const add = ({ x, y, z }: Projective, affine: Affine, at?: CurvePoint): Step => {
    if (z === 0n) return { point: { ...affine, z: 1n }, line: ONE };
    const z2 = mod(z * z);
    const width = mod(affine.x * z2 - x);
    const height = mod(affine.y * mod(z2 * z) - y);
    if (width === 0n) {
      if (height === 0n) return double({ x, y, z }, at);
      return { point: INFINITY, line: ONE };
    }
    const width2 = mod(width * width);
    const width3 = mod(width2 * width);
    const v = mod(x * width2);
    const x3 = mod(height * height - width3 - 2n * v);
    const z3 = mod(z * width);
    const point = { x: x3, y: mod(height * (v - x3) - y * width3), z: z3 };
    if (at === undefined) return { point, line: ONE };
    const real = mod(height * (at.x + affine.x) - z3 * affine.y);
    return { point, line: { real, imaginary: mod(z3 * at.y) } };
  };
  const toAffine = ({ x, y, z }: Projective): CurvePoint => {
    if (z === 0n) return undefined;
    const factor = inverse(z);
    const square = mod(factor * factor);
    return { x: mod(x * square), y: mod(y * mod(square * factor)) };
  };
  const sum = (terms: readonly PointTerm[]): CurvePoint => {
    const digits = terms.flatMap(({ scalar, point }) =>
      point === undefined ? [] : [{ bits: scalar.toString(2), point }],
    );
    const length = Math.max(0, ...digits.map(({ bits }) => bits.length));
    let total = INFINITY;
    for (let left = length; left > 0; left--) {
      total = double(total).point;
      for (const { bits, point } of digits) {
        if (bits[bits.length - left] === "1") total = add(total, point).point;
      }
    }
    return toAffine(total);
  };
  return { double, add, sum };
}

function createTarget({ mod, inverse }: Field) {
  const multiply = (left: TargetElement, right: TargetElement): TargetElement => ({
    real: mod(left.real * right.real - left.imaginary * right.imaginary),
    imaginary: mod(left.real * right.imaginary + left.imaginary * right.real),
  });
  return {
    multiply,
    power(base: TargetElement, exponent: bigint): TargetElement {
      let power = ONE;
      for (const bit of exponent.toString(2)) {
        power = multiply(power, power);
        if (bit === "1") power = multiply(power, base);
      }
      return power;
    },
    inverse({ real, imaginary }: TargetElement): TargetElement {
      const factor = inverse(real * real + imaginary * imaginary);
      return { real: mod(real * factor), imaginary: mod(-imaginary * factor) };
    },
  };
}

/** What a sum of two points and a pairing take per bit, as parts of a step of a power. */
const SUM_STEPS = 14;
const PAIR_STEPS = 20;

/** What this many sums and pairings take, in units of 5 ns, known before anything is computed. */
export function pairingWork(
  { q, h, r }: TypeAParameters,
  count: { readonly sums: number; readonly pairs: number },
): number {
  const steps = count.sums * SUM_STEPS + count.pairs * PAIR_STEPS;
  return stepWork(bitLength(q)) * Math.max(bitLength(r), bitLength(h)) * steps;
}
