/** The type A pairing on a curve small enough to look at, and its behaviour where there is none. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  createTypeAPairing,
  type CurvePoint,
  overField,
  pairingWork,
} from "../../../core/crypto/type-a-pairing.ts";

// rules: precompiles 16

/** 12 * 1021 - 1 is a prime and 3 modulo 4. */
const SMALL = { q: 12_251n, h: 12n, r: 1_021n };
const pairing = createTypeAPairing(SMALL);

/** A point of order r. */
function generator(): CurvePoint {
  for (let x = 2n; ; x++) {
    const y = pairing.ordinate(x);
    const point = y === undefined ? undefined : multiple(SMALL.h, { x, y });
    if (point !== undefined) return point;
  }
}

function multiple(scalar: bigint, point: CurvePoint): CurvePoint {
  return pairing.sum([{ scalar, point }]);
}

const G = generator();
const scalar = fc.bigInt(0n, SMALL.r - 1n);

test("the order takes every point to infinity", () => {
  assert.ok(G !== undefined && pairing.isOnCurve(G.x, G.y));
  assert.equal(multiple(SMALL.r, G), undefined);
  assert.equal(multiple(0n, G), undefined);
  assert.deepEqual(multiple(SMALL.r + 1n, G), G);
});

test("sums of multiples are multiples of sums", () => {
  fc.assert(
    fc.property(scalar, scalar, (a, b) => {
      const sum = pairing.sum([
        { scalar: a, point: G },
        { scalar: b, point: multiple(3n, G) },
      ]);
      assert.deepEqual(sum, multiple((a + 3n * b) % SMALL.r, G));
    }),
  );
});

test("the pairing is bilinear and symmetric", () => {
  const base = pairing.pair(G, G);
  assert.notDeepEqual(base, { real: 1n, imaginary: 0n });
  assert.deepEqual(pairing.power(base, SMALL.r), { real: 1n, imaginary: 0n });
  fc.assert(
    fc.property(scalar, scalar, (a, b) => {
      const both = pairing.pair(multiple(a, G), multiple(b, G));
      assert.deepEqual(both, pairing.power(base, (a * b) % SMALL.r));
    }),
  );
});

test("infinity pairs to one", () => {
  assert.deepEqual(pairing.pair(undefined, G), { real: 1n, imaginary: 0n });
  assert.deepEqual(pairing.pair(G, undefined), { real: 1n, imaginary: 0n });
});

test("a root is found exactly where there is one", () => {
  const squares = new Set(
    Array.from({ length: 12_251 }, (_, i) => (BigInt(i) * BigInt(i)) % SMALL.q),
  );
  for (let x = 0n; x < 200n; x++) {
    const isSquare = squares.has((x * x * x + x) % SMALL.q);
    assert.equal(pairing.ordinate(x) !== undefined, isSquare, `x = ${x}`);
  }
});

test("a missing inverse is no result, and other faults are not hidden", () => {
  const broken = createTypeAPairing({ q: 15n, h: 4n, r: 4n });
  const compute = () => broken.sum([{ scalar: 2n, point: { x: 4n, y: 5n } }]);
  assert.equal(overField(compute), undefined);
  assert.throws(() =>
    overField(() => {
      throw new TypeError("other");
    }),
  );
});

test("the counted work grows with field, order and cofactor", () => {
  const count = { sums: 1, pairs: 1 };
  const work = (q: bigint, h: bigint, r: bigint) => pairingWork({ q, h, r }, count);
  const base = work(1n << 511n, 12n, 1n << 159n);
  assert.equal(base, (8 * 8 + 15 * 8 + 30) * 160 * 34);
  assert.ok(work(1n << 1_023n, 12n, 1n << 159n) > base);
  assert.ok(work(1n << 511n, 12n, 1n << 160n) > base);
  assert.ok(work(1n << 511n, 1n << 200n, 1n << 159n) > base);
});
