import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import * as arithmetic from "../../../../core/execution/evm/arithmetic.ts";
import * as words from "../../../../core/execution/evm/words.ts";
import { cases } from "../../../support/runner/cases.ts";
import { reference, word } from "../../../support/execution/word-reference.ts";

const RUNS = { numRuns: cases(3_000) };

/**
 * Runs an operation on a stack of the operands, first operand at the top; returns the word left.
 */
function run(operation: (w: Uint32Array, at: number) => void, operands: readonly bigint[]): bigint {
  const stack = new Uint32Array(8 * (operands.length + 1));
  operands.forEach((operand, i) => words.setBigInt(stack, 8 * (operands.length - i), operand));
  operation(stack, 8 * operands.length);
  assert.equal(words.toBigInt(stack, 0), 0n, "the word below the operands is not touched");
  return words.toBigInt(stack, 8);
}

function result(flag: boolean, w: Uint32Array, at: number): void {
  words.setSmall(w, at, flag ? 1 : 0);
}

const BINARY: Readonly<Record<string, (w: Uint32Array, at: number) => void>> = {
  add: words.add,
  mul: arithmetic.mul,
  sub: words.sub,
  div: arithmetic.div,
  sdiv: arithmetic.sdiv,
  mod: arithmetic.mod,
  smod: arithmetic.smod,
  exp: arithmetic.exp,
  signExtend: words.signExtend,
  byte: words.byteOf,
  shl: words.shiftLeft,
  shr: (w, at) => words.shiftRight(w, at, 0),
  sar: (w, at) => words.shiftRight(w, at, (w[at - 1] as number) > 0x7fffffff ? 0xffffffff : 0),
  lt: (w, at) => result(words.isBelow(w, at, at - 8), w, at - 8),
  gt: (w, at) => result(words.isBelow(w, at - 8, at), w, at - 8),
  slt: (w, at) => result(words.isBelowSigned(w, at, at - 8), w, at - 8),
  sgt: (w, at) => result(words.isBelowSigned(w, at - 8, at), w, at - 8),
  eq: (w, at) => result(words.isEqual(w, at, at - 8), w, at - 8),
};

for (const [name, operation] of Object.entries(BINARY)) {
  test(`${name} of limbs gives what it gives on integers`, () => {
    const expected = reference(name);
    fc.assert(
      fc.property(word(), word(), (a, b) => run(operation, [a, b]) === expected(a, b, 0n)),
      RUNS,
    );
  });
}

for (const [name, operation] of [
  ["addmod", arithmetic.addMod],
  ["mulmod", arithmetic.mulMod],
] as const) {
  test(`${name} of limbs gives what it gives on integers`, () => {
    const expected = reference(name);
    fc.assert(
      fc.property(
        word(),
        word(),
        word(),
        (a, b, n) => run(operation, [a, b, n]) === expected(a, b, n),
      ),
      RUNS,
    );
  });
}

test("adding a small number carries through all limbs", () => {
  const sum = (w: Uint32Array, at: number): void => words.addSmall(w, at, 0xffffffff);
  fc.assert(
    fc.property(word(), (a) => run(sum, [a]) === BigInt.asUintN(256, a + 0xffffffffn)),
    RUNS,
  );
});

test("bytes, numbers and bigints become the word they say and back", () => {
  fc.assert(
    fc.property(word(), fc.maxSafeNat(), (a, n) => {
      const w = new Uint32Array(24);
      words.setBigInt(w, 8, a);
      words.setBytes(w, 16, words.toBytes(w, 8));
      assert.equal(words.toBigInt(w, 16), a);
      assert.equal(words.toNumber(w, 8), a <= Number.MAX_SAFE_INTEGER ? Number(a) : Infinity);
      assert.equal(
        arithmetic.byteLength(w, 8),
        a === 0n ? 0 : Math.ceil(a.toString(16).length / 2),
      );
      words.setNumber(w, 16, n);
      assert.equal(words.toBigInt(w, 16), BigInt(n));
      assert.equal(words.isZero(w, 16), n === 0);
      assert.equal(words.isSmall(w, 16), n <= 0xffffffff);
    }),
    RUNS,
  );
});
