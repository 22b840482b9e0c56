/**
 * Makes group signatures (BBS04) over a small type A pairing, so that tests have some of their
 * own. Source: precompiles 16
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import {
  createTypeAPairing,
  type CurvePoint,
  type TargetElement,
} from "../../../core/crypto/type-a-pairing.ts";

/** h r - 1 is a prime that is 3 modulo 4. */
const Q = 175585701331204247147101297434792397110263n;
const H = 1032n;
const R = (1n << 127n) - 1n;
const Q_BYTES = 18;
const R_BYTES = 16;
const pairing = createTypeAPairing({ q: Q, h: H, r: R });

/** The texts before base64. */
export interface GroupSignatureParts {
  readonly signature: Record<string, string>;
  readonly group: Record<string, string>;
  readonly parameters: string;
}

/** The pairing's text. */
export const PAIRING_TEXT = `type a\nq ${Q}\nh ${H}\nr ${R}\nexp2 127\nexp1 1\nsign1 -1\nsign0 1\n`;

const modR = (value: bigint): bigint => ((value % R) + R) % R;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = modR(result * result);
    if (bit === "1") result = modR(result * base);
  }
  return result;
}

const inverse = (value: bigint): bigint => power(modR(value), R - 2n);
const times = (scalar: bigint, point: CurvePoint): CurvePoint =>
  pairing.sum([{ scalar: modR(scalar), point }]);
const plus = (left: CurvePoint, right: CurvePoint): CurvePoint =>
  pairing.sum([
    { scalar: 1n, point: left },
    { scalar: 1n, point: right },
  ]);

function number(value: bigint, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, "0");
}

function pointText(point: CurvePoint): string {
  return number(point?.x ?? 0n, Q_BYTES) + number(point?.y ?? 0n, Q_BYTES);
}

function elementText({ real, imaginary }: TargetElement): string {
  return number(real, Q_BYTES) + number(imaginary, Q_BYTES);
}

/** The number of a text: the text and a counter in turn until the limit's length is full. */
function hashTo(limit: bigint, bytes: number, data: Uint8Array): bigint {
  const filled: number[] = [];
  for (let counter = 0; filled.length < bytes; counter++) filled.push(...data, counter);
  let value = bigintOfBytes(Uint8Array.from(filled.slice(0, bytes)));
  while (value > limit) value /= 2n;
  return value;
}

function messagePoint(message: string): CurvePoint {
  for (let x = hashTo(Q, Q_BYTES, bytesOf(message)); ; x = (x * x + 1n) % Q) {
    const y = pairing.ordinate(x);
    if (y !== undefined) return pairing.sum([{ scalar: H, point: { x, y: y % 2n ? y : Q - y } }]);
  }
}

/** Some point of order r. */
function base(start: bigint): CurvePoint {
  for (let x = start; ; x++) {
    const y = pairing.ordinate(x);
    if (y !== undefined) return pairing.sum([{ scalar: H, point: { x, y } }]);
  }
}

/** Signs as the one member of a group; every secret is a constant. */
export function signForGroup(message: string): GroupSignatureParts {
  const [gamma, xi1, xi2, x] = [1_234_567n, 7_654_321n, 99_991n, 31_337n];
  const [g1, g2, h] = [base(5n), base(50n), base(500n)];
  const [u, v, w] = [times(inverse(xi1), h), times(inverse(xi2), h), times(gamma, g2)];
  const [alpha, beta] = [4_711n, 8_150_815n];
  const t1 = times(alpha, u);
  const t2 = times(beta, v);
  const t3 = plus(times(inverse(gamma + x), g1), times(alpha + beta, h));
  const [ka, kb, kx, k1, k2] = [11n ** 20n, 13n ** 20n, 17n ** 20n, 19n ** 20n, 23n ** 20n];
  const r3 = [
    pairing.power(pairing.pair(t3, g2), modR(kx)),
    pairing.power(pairing.pair(h, w), modR(-ka - kb)),
    pairing.power(pairing.pair(h, g2), modR(-k1 - k2)),
  ].reduce(pairing.multiply);
  const text = [
    ...[t1, t2, t3, times(ka, u), times(kb, v)].map(pointText),
    elementText(r3),
    pointText(plus(times(kx, t1), times(-k1, u))),
    pointText(plus(times(kx, t2), times(-k2, v))),
    pointText(messagePoint(message)),
  ].join("");
  const c = hashTo(R, R_BYTES, keccak_256(bytesOf(text)));
  const scalar = (blind: bigint, secret: bigint): string =>
    number(modR(blind + c * secret), R_BYTES);
  const pair = (left: CurvePoint, right: CurvePoint) => elementText(pairing.pair(left, right));
  const points = { g1, g2, h, u, v, w };
  return {
    signature: {
      T1: pointText(t1),
      T2: pointText(t2),
      T3: pointText(t3),
      c: number(c % R, R_BYTES),
      ralpha: scalar(ka, alpha),
      rbeta: scalar(kb, beta),
      rx: scalar(kx, x),
      rdelta1: scalar(k1, x * alpha),
      rdelta2: scalar(k2, x * beta),
    },
    group: {
      ...Object.fromEntries(Object.entries(points).map(([name, p]) => [name, pointText(p)])),
      pr_g1_g2: pair(g1, g2),
      pr_g1_g2_inv: elementText(pairing.power(pairing.pair(g1, g2), R - 1n)),
      pr_h_g2: pair(h, g2),
      pr_h_w: pair(h, w),
    },
    parameters: PAIRING_TEXT,
  };
}
