/** Behaviour of the ABI codec: types, encoding, strict and lenient decoding. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { byteString } from "../../../core/bytes/byte-string.ts";
import { concatBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { addressOf, hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { InvariantFault } from "../../../core/fault/invariant.ts";
import { decodeAbi, decodeAbiLeniently, zeroValue } from "../../../core/abi/decode.ts";
import {
  type AbiValue,
  encodeAbi,
  encodeCall,
  encodeRevert,
  fitsAbiType,
  selectorOf,
} from "../../../core/abi/encode.ts";
import {
  type AbiType,
  abiTypeText,
  headBytes,
  parseAbiType,
  parseAbiTypes,
  parseSignature,
} from "../../../core/abi/type.ts";
import { cases } from "../../support/runner/cases.ts";

const { hash } = createStandardSuite();

function typesOf(...texts: readonly string[]): AbiType[] {
  const types = parseAbiTypes(texts);
  assert.ok(types, texts.join());
  return types;
}

const word = (value: bigint | number) => fixedUintBytes(BigInt.asUintN(256, BigInt(value)), 32);

interface Typed {
  readonly type: AbiType;
  readonly value: AbiValue;
}

const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);
const leaf: fc.Arbitrary<Typed> = fc.oneof(
  bits.chain((size) =>
    fc
      .bigInt({ min: 0n, max: 2n ** BigInt(size) - 1n })
      .map((value): Typed => ({ type: { kind: "uint", bits: size }, value })),
  ),
  bits.chain((size) =>
    fc
      .bigInt({ min: -(2n ** BigInt(size - 1)), max: 2n ** BigInt(size - 1) - 1n })
      .map((value): Typed => ({ type: { kind: "int", bits: size }, value })),
  ),
  fc.boolean().map((value): Typed => ({ type: { kind: "bool" }, value })),
  fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes): Typed => ({ type: { kind: "address" }, value: addressOf(bytes) })),
  fc.uint8Array({ maxLength: 70 }).map((value): Typed => ({ type: { kind: "bytes" }, value })),
  fc
    .uint8Array({ maxLength: 70 })
    .map((bytes): Typed => ({ type: { kind: "string" }, value: byteString(bytes) })),
  fc
    .uint8Array({ minLength: 1, maxLength: 32 })
    .map((value): Typed => ({ type: { kind: "fixedBytes", size: value.length }, value })),
);
const { typed } = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.tuple(tie("typed"), fc.nat(3), fc.boolean()).map(
      ([{ type, value }, count, fixed]): Typed => ({
        type: { kind: "array", element: type, length: fixed ? count : undefined },
        value: Array.from({ length: count }, () => value),
      }),
    ),
    fc.array(tie("typed"), { maxLength: 3 }).map(
      (members): Typed => ({
        type: { kind: "tuple", components: members.map(({ type }) => ({ name: "", type })) },
        value: members.map(({ value }) => value),
      }),
    ),
  ),
}));

test("any value of any type survives encoding, and its type survives its text", () => {
  fc.assert(
    fc.property(fc.array(typed, { maxLength: 4 }), (list) => {
      const types = list.map(({ type }) => type);
      const values = list.map(({ value }) => value);
      const bytes = encodeAbi(types, values);
      assert.equal(bytes.length % 32, 0);
      assert.deepEqual(decodeAbi(types, bytes), { ok: true, values });
      for (const type of types) assert.deepEqual(parseAbiType(abiTypeText(type)), type);
    }),
    { numRuns: cases(300) },
  );
});

test("every value of a real encoding is needed: truncated data is too short", () => {
  const types = typesOf("string", "uint256[]", "(bytes,address)[2]");
  const address = ZERO_ADDRESS;
  const pair = [Uint8Array.of(1), address];
  const bytes = encodeAbi(types, ["abc", [1n, 2n], [pair, pair]]);
  for (let words = 0; words < bytes.length / 32; words++) {
    assert.deepEqual(decodeAbi(types, bytes.subarray(0, words * 32)), {
      ok: false,
      reason: "tooShort",
    });
  }
});

test("random data decodes or is refused, and never takes long", () => {
  const types = typesOf("string[][][]", "(uint8,bytes)[]", "uint256[0][]");
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 40 }), (words) => {
      const data = concatBytes(...words.map((value) => word(value)));
      const decoded = decodeAbi(types, data);
      const lenient = decodeAbiLeniently(types, data);
      assert.ok(decoded.ok || decoded.reason.length > 0);
      assert.equal(lenient.length, types.length);
    }),
  );
});

test("data that refers to itself again and again is refused before it multiplies", () => {
  // Each of 63 offsets points back to the same list of 63 offsets: 63^4 values in 2 kB.
  const list = [word(63), ...Array.from({ length: 63 }, () => word(2n ** 256n - 32n))];
  const looping = concatBytes(word(32), ...list);
  assert.ok(!decodeAbi(typesOf("uint256[][][][]"), looping).ok);
  const zeros = concatBytes(word(32), word(64), ...Array.from({ length: 64 }, () => word(0)));
  const decoded = decodeAbi(typesOf("uint256[][][][][][]"), zeros);
  assert.ok(decoded.ok || decoded.reason === "tooMany");
  const countless = concatBytes(word(32), word(2n ** 40n));
  assert.deepEqual(decodeAbi(typesOf("uint256[0][]"), countless), {
    ok: false,
    reason: "tooMany",
  });
});

const OUT_OF_RANGE = [
  { type: "uint8", data: word(256) },
  { type: "int8", data: word(128) },
  { type: "bool", data: word(2) },
  { type: "address", data: word(2n ** 160n) },
  { type: "bytes31", data: word(1) },
] as const;
for (const { type, data } of OUT_OF_RANGE) {
  test(`bits outside a ${type} are refused strictly and dropped leniently`, () => {
    assert.deepEqual(decodeAbi(typesOf(type), data), { ok: false, reason: "outOfRange" });
    assert.equal(decodeAbiLeniently(typesOf(type), data).length, 1);
  });
}

test("lenient decoding ignores the high bytes of an address", () => {
  const data = new Uint8Array(32).fill(0xee);
  assert.deepEqual(decodeAbiLeniently(typesOf("address"), data), [`0x${"ee".repeat(20)}`]);
});

const INTS = [
  { first: 0x7f, negative: false },
  { first: 0x80, negative: false },
  { first: 0x8f, negative: false },
  { first: 0x90, negative: true },
  { first: 0xff, negative: true },
] as const;
for (const { first, negative } of INTS) {
  const sign = negative ? "negative" : "positive";
  test(`an int256 word from 0x${first.toString(16)} on is ${sign} leniently`, () => {
    const [value] = decodeAbiLeniently(typesOf("int256"), new Uint8Array(32).fill(first));
    assert.equal((value as bigint) < 0n, negative);
  });
}

test("lenient decoding stops at the first argument that is not there", () => {
  const types = typesOf("uint256", "string", "uint256", "address", "bytes32", "string[]");
  const full = encodeAbi(types, [
    7n,
    "abc",
    9n,
    addressOf(new Uint8Array(20).fill(1)),
    new Uint8Array(32).fill(2),
    ["x"],
  ]);
  const broken = full.slice();
  broken.set(word(10_000), 32);
  const zeros = ["", 0n, ZERO_ADDRESS, new Uint8Array(32), []];
  assert.deepEqual(decodeAbiLeniently(types, broken), [7n, ...zeros]);
  assert.deepEqual(decodeAbiLeniently(types, full.subarray(0, 31)), [0n, ...zeros]);
  assert.deepEqual(decodeAbiLeniently(types, new Uint8Array(0)), [0n, ...zeros]);
});

test("a string needs its declared bytes but not its padding", () => {
  const data = concatBytes(word(32), word(3), Uint8Array.of(97, 98, 99));
  assert.deepEqual(decodeAbiLeniently(typesOf("string"), data), ["abc"]);
  assert.deepEqual(decodeAbi(typesOf("string"), data), { ok: true, values: ["abc"] });
  assert.deepEqual(decodeAbiLeniently(typesOf("string"), data.subarray(0, 66)), [""]);
});

test("zero values of nested types are nested", () => {
  const [type] = typesOf("(uint8,string[2],bool[])");
  assert.ok(type);
  assert.deepEqual(zeroValue(type), [0n, ["", ""], []]);
});

const NO_TYPES = [
  "",
  "uint7",
  "uint264",
  "uint0",
  "bytes0",
  "bytes33",
  "uint256[",
  "uint256[-1]",
  "uint256[01]",
  "(uint256",
  "(uint256,)",
  "uint256 ",
  "Uint256",
  "mapping",
  `${"(".repeat(40)}${")".repeat(40)}`,
];
for (const text of NO_TYPES) {
  test(`${JSON.stringify(text)} is no type`, () => {
    assert.equal(parseAbiType(text), undefined);
  });
}

test("integers without a size are 256 bits wide, in types and in selectors", () => {
  assert.deepEqual(parseAbiType("uint"), { kind: "uint", bits: 256 });
  assert.equal(parseSignature("f(uint,int[])")?.text, "f(uint256,int256[])");
});

test("tuples may be written with names and the word tuple", () => {
  const named = parseSignature("f(tuple(string name, uint256 count)[] rows, address)");
  assert.equal(named?.text, "f((string,uint256)[],address)");
});

for (const text of ["", "f", "f(", "(uint256)", "f(uint25)", "f()x", "1f()", "f(uint256,)"]) {
  test(`${JSON.stringify(text)} is no signature`, () => {
    assert.equal(parseSignature(text), undefined);
  });
}

test("fixed arrays of static members are in the head", () => {
  const [type] = typesOf("(uint8,bytes4[2])[3]");
  assert.ok(type);
  assert.equal(headBytes(type), 288);
});

test("a call is its selector and its arguments", () => {
  const call = encodeCall("set(string)", ["abc"], hash);
  assert.equal(toHex(call.subarray(0, 4)), "4ed3885e");
  assert.deepEqual(call.subarray(0, 4), selectorOf("set(string)", hash));
  assert.deepEqual(call.subarray(4), encodeAbi(typesOf("string"), ["abc"]));
  assert.deepEqual(encodeCall("get()", [], hash), hexBytes("6d4ce63c"));
});

test("a revert text is a call of Error(string)", () => {
  assert.deepEqual(encodeRevert("no", hash), encodeCall("Error(string)", ["no"], hash));
});

const MISFITS: readonly { readonly type: string; readonly value: AbiValue }[] = [
  { type: "uint8", value: 256n },
  { type: "uint8", value: -1n },
  { type: "int8", value: 128n },
  { type: "bool", value: 1n },
  { type: "address", value: "0x12" },
  { type: "string", value: "\u0100" },
  { type: "bytes", value: "00" },
  { type: "bytes2", value: Uint8Array.of(1) },
  { type: "uint8[2]", value: [1n] },
  { type: "uint8[]", value: [1n, 256n] },
  { type: "(uint8,bool)", value: [1n] },
];
for (const { type, value } of MISFITS) {
  test(`a value that is no ${type} does not fit and is not encoded`, () => {
    const [parsed] = typesOf(type);
    assert.ok(parsed);
    assert.equal(fitsAbiType(parsed, value), false);
    assert.throws(() => encodeAbi([parsed], [value]), InvariantFault);
  });
}

const STRINGS = typesOf("string", "string");
const SECOND = [word(2), Uint8Array.of(120, 121)];

/** Recorded on a ledger: offsets and lengths of 64 bits, sums that wrap. */
const WRAPPED = [
  { what: "offset 2^64 + 64", offset: 2n ** 64n + 64n, length: 3n, read: ["abc", "xy"] },
  { what: "offset 2^255 + 64", offset: 2n ** 255n + 64n, length: 3n, read: ["abc", "xy"] },
  { what: "offset 2^256 - 1", offset: 2n ** 256n - 1n, length: 3n, read: ["", "xy"] },
  { what: "offset 2^64 - 31", offset: 2n ** 64n - 31n, length: 3n, read: ["", "xy"] },
  { what: "offset 2^64 - 32", offset: 2n ** 64n - 32n, length: 3n, read: ["", ""] },
  { what: "offset 2^53 + 64", offset: 2n ** 53n + 64n, length: 3n, read: ["", ""] },
  { what: "length 2^64 + 1", offset: 64n, length: 2n ** 64n + 1n, read: ["a", "xy"] },
  { what: "length 2^256 - 1", offset: 64n, length: 2n ** 256n - 1n, read: ["", "xy"] },
  { what: "length 2^64 - 32", offset: 64n, length: 2n ** 64n - 32n, read: ["", "xy"] },
  { what: "length 2^64 - 96", offset: 64n, length: 2n ** 64n - 96n, read: ["", ""] },
  { what: "length 2^63", offset: 64n, length: 2n ** 63n, read: ["", ""] },
] as const;
for (const { what, offset, length, read } of WRAPPED) {
  test(`leniently, ${what} counts modulo 2^64`, () => {
    const first = [word(length), Uint8Array.of(97, 98, 99, ...new Uint8Array(29))];
    const data = concatBytes(word(offset), word(128), ...first, ...SECOND);
    assert.deepEqual(decodeAbiLeniently(STRINGS, data), [...read]);
    // Strictly there is nothing of the kind.
    assert.deepEqual(decodeAbi(STRINGS, data), { ok: false, reason: "tooShort" });
  });
}

test("leniently, a partial word is not there", () => {
  const data = concatBytes(word(64), word(7), word(3), Uint8Array.of(97, 98, 99));
  assert.deepEqual(decodeAbiLeniently(typesOf("string", "uint256"), data), ["abc", 7n]);
  assert.deepEqual(decodeAbiLeniently(typesOf("uint256"), data.subarray(0, 31)), [0n]);
  // A length of which only 31 bytes are there.
  assert.deepEqual(decodeAbiLeniently(STRINGS, data.subarray(0, 95)), ["", ""]);
});
