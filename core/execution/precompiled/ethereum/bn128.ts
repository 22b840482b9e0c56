/** Points of the curve alt_bn128 as the contracts 0x06 to 0x08 read and write them. */
import { bn254 } from "@noble/curves/bn254.js";
import { concatBytes, fixedUintBytes } from "../../../bytes/bytes.ts";
import { slice, toInteger } from "./contract.ts";

/** Points of the first group. */
const G1 = bn254.G1.Point;
/** Points of the second group, over the field's quadratic extension. */
const G2 = bn254.G2.Point;
/** A point of the first group. */
export type G1Point = ReturnType<typeof G1.fromAffine>;
/** A point of the second group. */
export type G2Point = ReturnType<typeof G2.fromAffine>;

/** Order of both groups. */
export const ORDER = bn254.fields.Fr.ORDER;
const FIELD = bn254.fields.Fp.ORDER;

/** The point x y at the offset, (0, 0) at infinity; undefined when it is none of the group. */
export function readG1(input: Uint8Array, offset: number): G1Point | undefined {
  const x = toInteger(slice(input, offset, 32));
  const y = toInteger(slice(input, offset + 32, 32));
  if (x >= FIELD || y >= FIELD) return undefined;
  if (x === 0n && y === 0n) return G1.ZERO;
  const { Fp } = bn254.fields;
  const isOnCurve = Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), 3n));
  return isOnCurve ? G1.fromAffine({ x, y }) : undefined;
}

/** The same of x y that have their imaginary parts first. */
export function readG2(input: Uint8Array, offset: number): G2Point | undefined {
  const part = (i: number): bigint => toInteger(slice(input, offset + 32 * i, 32));
  const [xi, xr, yi, yr] = [part(0), part(1), part(2), part(3)];
  if ([xi, xr, yi, yr].some((value) => value >= FIELD)) return undefined;
  if ([xi, xr, yi, yr].every((value) => value === 0n)) return G2.ZERO;
  const { Fp2 } = bn254.fields;
  const x = Fp2.create({ c0: xr, c1: xi });
  const y = Fp2.create({ c0: yr, c1: yi });
  const isOnCurve = Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b));
  if (!isOnCurve) return undefined;
  const point = G2.fromAffine({ x, y });
  return point.isTorsionFree() ? point : undefined;
}

/** Writes x y; the point at infinity is (0, 0). */
export function writeG1(point: G1Point): Uint8Array {
  if (point.is0()) return new Uint8Array(64);
  const { x, y } = point.toAffine();
  return concatBytes(fixedUintBytes(x, 32), fixedUintBytes(y, 32));
}
