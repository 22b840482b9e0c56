/**
 * The Ethereum precompiled contracts: prices, failures, and the same answers as an independent
 * implementation.
 */
// rules: precompiles 17
import assert from "node:assert/strict";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, getActivePrecompiles } from "@ethereumjs/evm";
import { bn254 } from "@noble/curves/bn254.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { test } from "vitest";
import type { Address } from "../../../../core/bytes/ids.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import type { EthereumPrecompile } from "../../../../core/execution/precompiled/ethereum/contract.ts";
import { createEthereumPrecompiles } from "../../../../core/execution/precompiled/ethereum/registry.ts";
import { NEWEST_VERSION, version } from "../../../../core/model/version.ts";
import { cases } from "../../../support/runner/cases.ts";
import { bytes, hex } from "../../../support/execution/evm-host.ts";

const contracts = createEthereumPrecompiles(createStandardSuite(), NEWEST_VERSION);

function contract(number: number): EthereumPrecompile {
  const found = contracts.get(`0x${number.toString(16).padStart(40, "0")}` as Address);
  assert.ok(found);
  return found;
}

/** A number as 32 bytes. */
function word(value: bigint | number): string {
  return value.toString(16).padStart(64, "0");
}

const common = new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul });
const evm = await createEVM({ common });
const oracles = getActivePrecompiles(common);

/** What the library answers; undefined for a failure. */
async function oracle(number: number, data: Uint8Array): Promise<string | undefined> {
  const run = oracles.get(number.toString(16).padStart(40, "0"));
  assert.ok(run);
  const gasLimit = 10n ** 12n;
  const result = await run({ data, gasLimit, common, _EVM: evm });
  return result.exceptionError === undefined ? hex(result.returnValue) : undefined;
}

async function assertSame(number: number, input: Uint8Array): Promise<void> {
  const output = contract(number).run(input);
  assert.equal(output && hex(output), await oracle(number, input), `${number}: ${hex(input)}`);
}

test("contracts 5 to 9 exist from 2.5.0 on", () => {
  assert.equal(createEthereumPrecompiles(createStandardSuite(), version(2, 4, 0)).size, 4);
  assert.equal(contracts.size, 9);
});

const PRICES: readonly (readonly [number, string, number])[] = [
  [1, "", 3_000],
  [1, "00".repeat(500), 3_000],
  [2, "", 60],
  [2, "00".repeat(32), 72],
  [2, "00".repeat(33), 84],
  [3, "", 600],
  [3, "00".repeat(33), 840],
  [4, "", 15],
  [4, "00".repeat(65), 24],
  [6, "", 150],
  [7, "", 6_000],
  [8, "", 45_000],
  [8, "00".repeat(191), 45_000],
  [8, "00".repeat(384), 113_000],
  [9, "", 0],
  [9, "01", 0],
  [9, "ffffff", 0],
  [9, "01000000", 0x01000000],
  [9, "ffffffff", 0xffffffff],
  [9, `0000000c${"00".repeat(209)}`, 12],
];

for (const [number, input, gas] of PRICES) {
  test(`contract ${number} costs ${gas} for ${input.length / 2} bytes ${input.slice(0, 8)}`, () => {
    assert.equal(contract(number).cost(bytes(input)), gas);
  });
}

test("modexp that no gas can pay has an infinite price", () => {
  const huge = word((1n << 255n) - 1n);
  assert.equal(contract(5).cost(bytes(huge + huge + huge)), Number.POSITIVE_INFINITY);
});

test("modexp without base and modulus gives nothing at once, however long its exponent", () => {
  const input = bytes(word(0) + word((1n << 255n) - 1n) + word(0));
  assert.equal(contract(5).cost(input), 0);
  assert.deepEqual(contract(5).run(input), new Uint8Array(0));
});

/** A plain power, as the definition says it. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

test("modexp of random numbers is the power", () => {
  const number = fc.uint8Array({ maxLength: 70 });
  fc.assert(
    fc.property(number, number, number, (base, exponent, modulus) => {
      const lengths = [base, exponent, modulus].map(({ length }) => word(length)).join("");
      const output = contract(5).run(bytes(lengths + hex(base) + hex(exponent) + hex(modulus)));
      const [b, e, m] = [base, exponent, modulus].map((part) => BigInt(`0x0${hex(part)}`)) as [
        bigint,
        bigint,
        bigint,
      ];
      const expected = m === 0n ? 0n : power(b, e, m);
      assert.equal(
        hex(output ?? bytes("")),
        modulus.length === 0 ? "" : expected.toString(16).padStart(2 * modulus.length, "0"),
      );
    }),
    { numRuns: cases(300) },
  );
});

test("modexp of a long exponent modulo a small number is the power", () => {
  const edges = fc.constantFrom(1, 2, 3, 4, 8, 0xffff, 0x10000, 0xfffffffb, 0xffffffff, 0x80000000);
  const number = fc.oneof(edges, fc.integer({ min: 1, max: 0xffffffff }));
  const exponents = fc.oneof(
    fc.uint8Array({ minLength: 5_000, maxLength: 5_000 }),
    // Long by its zeros only: no lap of the group is complete.
    fc.integer({ min: 0, max: 70 }).map((e) => bytes(e.toString(16).padStart(10_000, "0"))),
  );
  fc.assert(
    fc.property(number, number, exponents, (m, b, exponent) => {
      const [modulus, base] = [m, b].map((part) => part.toString(16).padStart(8, "0"));
      const lengths = word(4) + word(exponent.length) + word(4);
      const output = contract(5).run(bytes(lengths + base + hex(exponent) + modulus));
      const expected = power(BigInt(b), BigInt(`0x${hex(exponent)}`), BigInt(m));
      assert.equal(BigInt(`0x${hex(output ?? bytes(""))}`), expected);
    }),
    { numRuns: 40 },
  );
});

test("modexp of what the input does not hold is zero", () => {
  const output = contract(5).run(bytes(word(1) + word(10_000_000) + word(3) + "03"));
  assert.equal(hex(output ?? bytes("ff")), "000000");
});

test("ecrecover finds the signer for low and high s, and nobody for anything else", async () => {
  const order = secp256k1.Point.Fn.ORDER;
  for (let i = 1; i <= 12; i++) {
    const digest = keccak_256(Uint8Array.of(i));
    const key = keccak_256(Uint8Array.of(i, i));
    const signed = secp256k1.sign(digest, key, { prehash: false, format: "recovered" });
    const v = 27 + (signed[0] ?? 0);
    const r = hex(signed.subarray(1, 33));
    const s = BigInt(`0x${hex(signed.subarray(33))}`);
    const point = secp256k1.getPublicKey(key, false).subarray(1);
    const address = hex(keccak_256(point).subarray(12)).padStart(64, "0");
    const low = bytes(hex(digest) + word(v) + r + word(s));
    const high = bytes(hex(digest) + word(55 - v) + r + word(order - s));
    for (const input of [low, high]) {
      assert.equal(hex(contract(1).run(input) ?? bytes("")), address);
      await assertSame(1, input);
    }
    const wrong = [
      hex(digest) + word(v - 27) + r + word(s),
      hex(digest) + word(BigInt(v) + (1n << 200n)) + r + word(s),
      hex(digest) + word(v) + word(0) + word(s),
      hex(digest) + word(v) + r + word(0),
      hex(digest) + word(v) + r + word(order),
      hex(digest) + word(v) + word(order) + word(s),
      hex(digest) + word(v) + word(5 + i) + word(s),
    ];
    for (const input of wrong) await assertSame(1, bytes(input));
    assert.equal(contract(1).run(bytes(wrong[0] ?? ""))?.length, 0);
  }
});

test("hashes and identity agree with the library on any length", async () => {
  for (let length = 0; length < 200; length += 13) {
    const input = keccak_256(Uint8Array.of(length)).slice(0, 32);
    const long = new Uint8Array(length).map((_, i) => (input[i % 32] ?? 0) ^ i);
    for (const number of [2, 3, 4]) await assertSame(number, long);
  }
});

test("the identity is a copy", () => {
  const input = Uint8Array.of(1, 2, 3);
  const output = contract(4).run(input);
  input[0] = 9;
  assert.deepEqual(output, Uint8Array.of(1, 2, 3));
});

const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const G = word(1) + word(2);
const NEGATIVE_G = word(1) + word(P - 2n);
/** The generator of the second group, imaginary parts first. */
const G2 =
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2" +
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b" +
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";
/** A point on the curve of the second group, but not in the group of the pairing. */
function outsidePoint(): string {
  const { Fp2 } = bn254.fields;
  for (let i = 1n; ; i++) {
    const x = Fp2.create({ c0: i, c1: 1n });
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), bn254.G2.Point.CURVE().b);
    // Half of all numbers have a root.
    const root = Fp2.pow(square, (Fp2.ORDER - 1n) / 2n);
    if (!Fp2.eql(root, Fp2.ONE)) continue;
    const y = Fp2.sqrt(square);
    return word(x.c1) + word(x.c0) + word(y.c1) + word(y.c0);
  }
}

test("curve contracts agree with the library on good and bad points", async () => {
  const sums = [G + G, G + NEGATIVE_G, G, "", G + word(1) + word(3), word(P) + word(0), G.slice(2)];
  for (const input of sums) await assertSame(6, bytes(input));
  assert.equal(contract(6).run(bytes(G + word(1) + word(3))), undefined);
  const scalars = [0n, 1n, 2n, P, (1n << 256n) - 1n, (1n << 254n) + 12345n];
  for (const scalar of scalars) await assertSame(7, bytes(G + word(scalar)));
  await assertSame(7, bytes(word(1) + word(1) + word(5)));
  const outside = outsidePoint();
  const pairings = [
    "",
    G + G2,
    G + G2 + NEGATIVE_G + G2,
    word(0) + word(0) + G2,
    G + word(0).repeat(4),
    `${G}${G2}00`,
    G.slice(0, 64) + word(3) + G2,
    G + word(P) + G2.slice(64),
    G + outside,
  ];
  for (const input of pairings) await assertSame(8, bytes(input));
  assert.equal(contract(8).run(bytes(G + outside)), undefined);
});

test("blake2F with 12 rounds is what BLAKE2b is made of", () => {
  const initial = bytes(
    "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
      "d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b",
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), (message) => {
      const block = new Uint8Array(128);
      block.set(message);
      const length = Uint8Array.of(message.length, ...new Uint8Array(15));
      const input = bytes(`0000000c${hex(initial)}${hex(block)}${hex(length)}01`);
      assert.equal(hex(contract(9).run(input) ?? bytes("")), hex(blake2b(message, { dkLen: 64 })));
    }),
    { numRuns: 50 },
  );
});

test("blake2F agrees with the library on rounds, counters and flags", async () => {
  for (let i = 0; i < 40; i++) {
    const body = [0, 1, 2, 3, 4, 5, 6].map((j) => hex(keccak_256(Uint8Array.of(i, j)))).join("");
    const rounds = (i * 7).toString(16).padStart(8, "0");
    const input = `${rounds}${body.slice(0, 416)}${i % 3 === 0 ? "00" : i % 3 === 1 ? "01" : "02"}`;
    await assertSame(9, bytes(input));
    await assertSame(9, bytes(input.slice(2)));
  }
});
