import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { LIMBS } from "../../../core/execution/evm/words.ts";
import {
  decimalOfWord,
  equalsWord,
  wordKey,
  wordOfDecimal,
} from "../../../core/execution/slot-words.ts";
import { cases } from "../../support/runner/cases.ts";

// rules: storage 3

const MAX = 2n ** 256n - 1n;
const value = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX }),
  fc.bigInt({ min: 0n, max: 2n ** 66n }),
  fc.constantFrom(0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n, MAX),
);

function limbs(number: bigint): Uint32Array {
  return Uint32Array.from({ length: LIMBS }, (_, limb) =>
    Number((number >> BigInt(32 * limb)) & 0xffff_ffffn),
  );
}

test("a word and its decimal text are the same number, at any place of an array", () => {
  fc.assert(
    fc.property(value, fc.nat({ max: 3 }), (number, place) => {
      const words = new Uint32Array(LIMBS * 5).fill(0xffff_ffff);
      words.set(limbs(number), place * LIMBS);
      assert.equal(decimalOfWord(words, place * LIMBS), number.toString());
      const back = wordOfDecimal(number.toString());
      assert.deepEqual([...back], [...limbs(number)]);
      assert.ok(equalsWord(back, words, place * LIMBS));
    }),
    { numRuns: cases(500) },
  );
});

test("different words have different keys", () => {
  fc.assert(
    fc.property(value, value, (left, right) => {
      const equal = wordKey(limbs(left), 0) === wordKey(limbs(right), 0);
      assert.equal(equal, left === right);
    }),
    { numRuns: cases(500) },
  );
});

test("text that is no number reads as zero", () => {
  for (const text of ["", "x", "-1", "1e3", "0x10", " ", "12345678901234567890x"]) {
    assert.equal(decimalOfWord(wordOfDecimal(text)), "0", text);
  }
});
