/** JSON text: what is accepted, and finding the source text of numbers. */
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { test } from "vitest";
import {
  elementStarts,
  countValues,
  isWhole64Source,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  memberSource,
  parseJson,
} from "../../../core/rpc/json.ts";

const STRICT = [
  { text: "", why: "nothing" },
  { text: "  \n", why: "blanks" },
  { text: "{", why: "an open object" },
  { text: "{}{}", why: "a second value" },
  { text: "{}/* c */", why: "a comment" },
  { text: "[01]", why: "a leading zero" },
  { text: "[NaN]", why: "not a number" },
  { text: '"\n"', why: "a line feed in a string" },
  { text: "\ufeff{}", why: "a byte order mark" },
  { text: '"\\ud83d"', why: "a lone high surrogate" },
  { text: '"\\ude00"', why: "a lone low surrogate" },
  { text: '"\\ud83dx\\ude00"', why: "surrogates that are apart" },
  { text: '"\\ud83d\\ud83d\\ude00"', why: "a high surrogate before a pair" },
];
for (const { text, why } of STRICT) {
  test(`${why} is not JSON: ${JSON.stringify(text)}`, () => {
    assert.equal(parseJson(text), undefined);
  });
}

test("a pair of escaped surrogates is one character", () => {
  assert.equal(parseJson('"\\ud83d\\ude00"'), "\u{1f600}");
});

test("an escaped backslash before u is no surrogate", () => {
  assert.equal(parseJson('"\\\\ud83d"'), "\\ud83d");
});

test("white space around the value is fine", () => {
  assert.deepEqual(parseJson(" [1] \r\n"), [1]);
});

for (const { depth, isAccepted } of [
  { depth: MAX_JSON_DEPTH, isAccepted: true },
  { depth: MAX_JSON_DEPTH + 1, isAccepted: false },
  { depth: 100_000, isAccepted: false },
]) {
  test(`${depth} nested arrays are ${isAccepted ? "" : "not "}accepted`, () => {
    const text = "[".repeat(depth) + "]".repeat(depth);
    assert.equal(parseJson(text) !== undefined, isAccepted);
  });
}

test("the source of a member is found in any object, the last one winning", () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 3 }), fc.bigInt(), fc.bigInt(), (noise, first, last) => {
      const inside = JSON.stringify({ a: noise, '\\"id': 1, b: [noise, { id: 5 }] });
      const text = ` {"id":${first}, "n":${inside} ,"\\u0069d" : ${last} } `;
      assert.equal(memberSource(text, "id"), String(last));
    }),
  );
});

test("the source of a member is found in any element of a batch", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(), { minLength: 1 }), fc.jsonValue(), (ids, noise) => {
      const elements = ids.map((id) => `{"x":${JSON.stringify(noise)},"id": ${id}}`);
      const text = `\n[ ${elements.join(" ,\t")} ]`;
      const starts = elementStarts(text);
      assert.equal(starts.length, ids.length);
      for (const [index, id] of ids.entries()) {
        assert.equal(memberSource(text, "id", starts[index]), String(id));
      }
    }),
  );
});

test("values that are not objects take a place in a batch", () => {
  const text = '[1,"]",[{"id":1}],null,{"id":123456789012345678901}]';
  const starts = elementStarts(text);
  assert.equal(starts.length, 5);
  assert.equal(memberSource(text, "id", starts[4]), "123456789012345678901");
});

test("an absent member has no source", () => {
  assert.equal(memberSource('{"a":{"id":1}}', "id"), undefined);
});

test("an empty batch has no elements", () => {
  assert.deepEqual(elementStarts(" [ ] "), []);
});

test("brackets in strings count neither as depth nor as values", () => {
  const noise = '\\"[{,'.repeat(MAX_JSON_VALUES);
  const text = JSON.stringify([noise, "\\"]);
  assert.deepEqual(parseJson(text), [noise, "\\"]);
  assert.equal(countValues(text) > MAX_JSON_VALUES, false);
});

for (const [count, isTooMany] of [
  [MAX_JSON_VALUES - 2, false],
  [MAX_JSON_VALUES, true],
] as const) {
  test(`a list of ${count} values is ${isTooMany ? "" : "not "}too much`, () => {
    assert.equal(countValues(JSON.stringify(Array(count).fill(1))) > MAX_JSON_VALUES, isTooMany);
  });
}

test("an open string is walked over once", () => {
  assert.equal(parseJson(`["${"\\\\".repeat(100_000)}`), undefined);
  assert.equal(countValues(`"${"x".repeat(MAX_JSON_VALUES)}`) > MAX_JSON_VALUES, false);
});

const WHOLE = [
  ["1", true],
  ["-7", true],
  ["18446744073709551615", true],
  ["18446744073709551616", false],
  ["-9223372036854775808", true],
  ["-9223372036854775809", false],
  ["184467440737095516150e-1", true],
  ["1.8446744073709551616e19", false],
  ["000018446744073709551615", true],
  ["1e99999999999999999999", false],
  ["1e-99999999999999999999", false],
  ["1.0", true],
  ["1.50", false],
  ["1e0", true],
  ["15e-1", false],
  ["150e-1", true],
  ["1.5E+1", true],
  ["9007199254740993.5", false],
  ["0e-400", true],
  ["", false],
] as const;
for (const [source, isWhole] of WHOLE) {
  const name = source === "" ? "no text" : source;
  test(`${name} is ${isWhole ? "" : "not "}a whole number of 64 bits`, () => {
    assert.equal(isWhole64Source(source), isWhole);
  });
}

test("a number of a million digits is judged at once", () => {
  assert.equal(isWhole64Source(`1${"0".repeat(1_000_000)}e-999999`), true);
  assert.equal(isWhole64Source("9".repeat(1_000_000)), false);
  assert.equal(isWhole64Source(`0.${"0".repeat(1_000_000)}1e1000001`), true);
});
