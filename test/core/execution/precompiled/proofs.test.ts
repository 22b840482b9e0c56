/** Paillier, RingSig and Crypto: what a well-formed text is, and what their calls cost. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { type AbiValue, encodeCall } from "../../../../core/abi/encode.ts";
import { byteString, type ByteString, bytesOf } from "../../../../core/bytes/byte-string.ts";
import { fromBase64 } from "../../../../core/bytes/base64.ts";
import { bigintOfBytes, concatBytes } from "../../../../core/bytes/bytes.ts";
import { addressOfNumber, toHex } from "../../../../core/bytes/hex.ts";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bitLength, modularPower } from "../../../../core/crypto/modular-power.ts";
import { sm2PublicKey, sm2Sign } from "../../../../core/crypto/sm2.ts";
import { version } from "../../../../core/model/version.ts";
import { openTestChain, SUITE } from "../../../support/execution/test-chain.ts";

// rules: precompiles 1, 2, 16, README 21

interface Sent {
  readonly to: number;
  readonly method: string;
  readonly values: readonly AbiValue[];
}

/** The receipt, and what the call costs without operations. */
async function send({ to, method, values }: Sent) {
  const input = encodeCall(method, values, SUITE.hash);
  const chain = await openTestChain();
  const receipt = await chain.send({ to: addressOfNumber(to), input });
  const data = input.reduce((sum, byte) => sum + (byte === 0 ? 4 : 68), 21_000);
  const words = Math.ceil(input.length / 32);
  const memory = 3 * words + Math.floor(words ** 2 / 512);
  return { receipt, base: BigInt(data), plain: BigInt(data + memory) };
}

function number(output: Uint8Array): bigint {
  return BigInt.asIntN(256, BigInt(`0x${toHex(output)}`));
}

const HASH = "f1".repeat(32);
const modulus = (bytes: number): string => "c7".repeat(bytes);
/** A cipher of a key of this many bytes. */
function cipher(bytes: number, value: bigint, key = modulus(bytes)): string {
  return bytes.toString(16).padStart(4, "0") + key + value.toString(16).padStart(4 * bytes, "0");
}

const paillier = (left: string, right: string) =>
  send({ to: 0x5003, method: "paillierAdd(string,string)", values: [left, right] });

test("ciphers of 256 and 512 bytes multiply modulo the square of the key", async () => {
  for (const bytes of [256, 512]) {
    const key = BigInt(`0x${modulus(bytes)}`);
    const [left, right] = [key * key - 2n, key * key - 3n];
    const { receipt, plain } = await paillier(cipher(bytes, left), cipher(bytes, right));
    const length = Number(number(receipt.output.subarray(32, 64)));
    const text = byteString(receipt.output.subarray(64, 64 + length));
    assert.equal(text, cipher(bytes, 6n));
    assert.equal(receipt.gasUsed, plain + 20_000n);
  }
});

const FINE = cipher(256, 5n);
const BAD_CIPHERS: Readonly<Record<string, readonly [string, string]>> = {
  nothing: ["", ""],
  "a key of 128 bytes": [cipher(128, 5n), cipher(128, 5n)],
  "a key of 1024 bytes": [cipher(1_024, 5n), cipher(1_024, 5n)],
  "ciphers of different lengths": [FINE, `${FINE}00`],
  "a cipher that is too long": [`${FINE}00`, `${FINE}00`],
  "different keys": [FINE, cipher(256, 5n, "c8".repeat(256))],
  "keys in different cases": [FINE, cipher(256, 5n, "C7".repeat(256))],
  "no number": [FINE, FINE.replace(/5$/, "x")],
  "a key of zero": [cipher(256, 5n, "00".repeat(256)), cipher(256, 5n, "00".repeat(256))],
};
for (const [what, [left, right]] of Object.entries(BAD_CIPHERS)) {
  test(`${what}: -51600 for its memory only`, async () => {
    const { receipt, plain } = await paillier(left, right);
    assert.deepEqual([receipt.status, number(receipt.output)], [0, -51_600n]);
    assert.equal(receipt.gasUsed, plain);
  });
}

/** p = 2 q + 1; 4 has order q. */
const GROUP = { p: 2_039n, q: 1_019n, g: 4n };
const KEYS = [77n, 501n, 900n];

function ringTexts(message: ByteString) {
  const { p, q, g } = GROUP;
  const power = (base: bigint, exponent: bigint) => modularPower(base, exponent, p);
  const hash = (text: string) => bigintOfBytes(keccak_256(bytesOf(text)));
  const keys = KEYS.map((x) => power(g, x));
  const ring = keys.map((key) => `${key}.`).join("");
  const h = power(g, hash(ring) % q);
  const [signer, secret] = [1, KEYS[1] ?? 0n];
  const image = power(h, secret);
  const challenge = (z: bigint, linked: bigint) =>
    hash(`${ring}${image}.${message}${z}.${linked}.`);
  const answers = [333n, 0n, 444n];
  const challenges: bigint[] = [];
  const blind = 555n;
  let c = challenge(power(g, blind), power(h, blind));
  for (const i of [2, 0]) {
    challenges[i] = c;
    const s = answers[i] ?? 0n;
    const z = (power(g, s) * power(keys[i] ?? 0n, c)) % p;
    c = challenge(z, (power(h, s) * power(image, c)) % p);
  }
  answers[signer] = (((blind - secret * c) % q) + q) % q;
  const members = keys.flatMap((key, i) => [
    [`pk${i}`, `${key}.`],
    [`s${i}`, `${answers[i]}.`],
  ]);
  const head = { C: `${challenges[0]}.`, Y: `${image}.`, num: "3" };
  return {
    signature: { ...head, ...Object.fromEntries(members) } as Record<string, string>,
    parameters: { g: `${g}.`, p: `${p}.`, q: `${q}.` } as Record<string, string>,
  };
}

const json = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");
const RING = ringTexts("vote");

function ring(change: {
  message?: string;
  signature?: Record<string, string>;
  parameters?: Record<string, string>;
}) {
  const { message = "vote", signature = RING.signature, parameters = RING.parameters } = change;
  return send({
    to: 0x5005,
    method: "ringSigVerify(string,string,string)",
    values: [json(signature), message, json(parameters)],
  });
}

test("a signature of one of three verifies, and only for its message", async () => {
  const fine = await ring({});
  assert.equal(number(fine.receipt.output), 1n);
  assert.equal(fine.receipt.gasUsed, fine.plain + 20_000n);
  const other = await ring({ message: "veto" });
  assert.equal(number(other.receipt.output), 0n);
  assert.equal(other.receipt.gasUsed, other.plain + 20_000n);
});

const { s2: _s2, ...incomplete } = RING.signature;
const BAD_RINGS: Readonly<Record<string, Parameters<typeof ring>[0]>> = {
  "a missing answer": { signature: incomplete },
  "more members than there are": { signature: { ...RING.signature, num: "4" } },
  "an endless number of members": { signature: { ...RING.signature, num: "9".repeat(2_500) } },
  "a negative number": { signature: { ...RING.signature, s0: "-1." } },
  "a number of 2501 digits": { signature: { ...RING.signature, s0: "1".repeat(2_501) } },
  "a modulus of 1": { parameters: { ...RING.parameters, p: "1." } },
  "an order of 0": { parameters: { ...RING.parameters, q: "0." } },
  "parameters without g": { parameters: { p: "7.", q: "3." } },
};
for (const [what, change] of Object.entries(BAD_RINGS)) {
  test(`${what}: -51800 for its memory only`, async () => {
    const { receipt, plain } = await ring(change);
    assert.deepEqual([receipt.status, number(receipt.output)], [0, -51_800n]);
    assert.equal(receipt.gasUsed, plain);
  });
}

const nested = (depth: number): string => {
  const rest = JSON.stringify(RING.signature).slice(1);
  return Buffer.from(`{"x":${"[".repeat(depth)}${"]".repeat(depth)},${rest}`).toString("base64");
};
for (const { depth, expected } of [
  { depth: 999, expected: 1n },
  { depth: 1_000, expected: -51_800n },
]) {
  test(`lists nested ${depth} deep next to the texts give ${expected}`, async () => {
    const { receipt } = await send({
      to: 0x5005,
      method: "ringSigVerify(string,string,string)",
      values: [nested(depth), "vote", json(RING.parameters)],
    });
    assert.equal(number(receipt.output), expected);
  });
}

test("braces and escapes within texts are not nesting", async () => {
  const signature = { ...RING.signature, x: `"${"{[".repeat(2_000)}\\` };
  assert.equal(number((await ring({ signature })).receipt.output), 1n);
});

test("numbers too large for the work of the transaction end it before the check", async () => {
  const large = `${"9".repeat(2_499)}.`;
  const answers = { s0: large, s1: large, s2: large, s3: large };
  const signature = { ...RING.signature, ...answers, num: "4", pk3: "5." };
  const change = { signature, parameters: { ...RING.parameters, p: large } };
  const { receipt, base } = await ring(change);
  assert.deepEqual([receipt.status, receipt.gasUsed], [12, base]);
});

test("powers agree with repeated multiplication", () => {
  const small = fc.bigInt(0n, 300n);
  fc.assert(
    fc.property(fc.bigInt(0n, 1n << 80n), small, fc.bigInt(2n, 1n << 70n), (base, exponent, m) => {
      assert.equal(modularPower(base, exponent, m), base ** exponent % m);
      assert.equal(bitLength(base), base === 0n ? 0 : base.toString(2).length);
    }),
  );
});

test("base64 is read as it is written elsewhere, and nothing else is", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(fromBase64(Buffer.from(bytes).toString("base64")), bytes);
    }),
  );
  for (const text of ["a", "ab", "abc", "a===", "====", "ab=c", "abc\n", "ab-_", "=abc"]) {
    assert.equal(fromBase64(text), undefined, text);
  }
});

const SM2 = "sm2Verify(bytes32,bytes,bytes32,bytes32)";
const DIGEST = new Uint8Array(32).fill(9);
const SECRET = new Uint8Array(32).fill(3);

test("an SM2 signature verifies for its digest and key and costs memory", async () => {
  const [key, signature] = [sm2PublicKey(SECRET), sm2Sign(DIGEST, SECRET)];
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const fine = await send({ to: 0x5006, method: SM2, values: [DIGEST, key, r, s] });
  assert.equal(number(fine.receipt.output.subarray(0, 32)), 1n);
  assert.notEqual(number(fine.receipt.output.subarray(32)), 0n);
  assert.equal(fine.receipt.gasUsed, fine.plain);
  for (const values of [
    [DIGEST.map((byte) => byte + 1), key, r, s],
    [DIGEST, key, s, r],
    [DIGEST, concatBytes(key, key), r, s],
    [DIGEST, new Uint8Array(64), r, s],
  ]) {
    const { receipt } = await send({ to: 0x5006, method: SM2, values });
    assert.deepEqual(receipt.output, new Uint8Array(64));
  }
});

const VRF = "curve25519VRFVerify(string,string,string)";

test("texts that are no VRF statement give false and zero", async () => {
  const key = "e611c8efc66efc2a89a87ae436a51869003541d8f170c6f21db6375cc9eeb377";
  const order = "edd3f55c1a631258d69cf7a2def9de14".padEnd(62, "0");
  const proofs = [
    "",
    `${key}|${HASH}`,
    `${key}|${"00".repeat(32)}|${"00".repeat(32)}`,
    `${key}|${"00".repeat(32)}|${"00".repeat(32)}|`,
    `${key}|${order}10|${order}10`,
    `${"ff".repeat(32)}|${"00".repeat(32)}|${"00".repeat(32)}`,
    `${key.toUpperCase()}|${"00".repeat(32)}|${"00".repeat(32)}`,
  ];
  for (const proof of proofs) {
    const values = ["abcd", key, proof];
    const { receipt, plain } = await send({ to: 0x5006, method: VRF, values });
    assert.deepEqual(receipt.output, new Uint8Array(64), proof);
    assert.equal(receipt.gasUsed, plain);
  }
});

test("the contract of proofs answers an unknown method in 32 bits, from 2.8.0 on", async () => {
  for (const [chainVersion, status] of [
    [version(2, 7, 0), 26],
    [version(2, 8, 0), 0],
  ] as const) {
    const chain = await openTestChain({ version: chainVersion });
    const receipt = await chain.send({ to: addressOfNumber(0x5006), input: "61c09bf7" });
    assert.equal(receipt.status, status);
    if (status === 0) assert.equal(number(receipt.output), 4_294_917_195n);
  }
});

test("both hashes are there on a standard chain", async () => {
  const hash = (method: string) =>
    send({ to: 0x5006, method, values: [Uint8Array.of(0x61, 0x62, 0x63)] });
  const sm3 = await hash("sm3(bytes)");
  assert.match(toHex(sm3.receipt.output), /^66c7f0f462eeedd9d1f2d46bdc10e4e2/);
  const keccak = await hash("keccak256Hash(bytes)");
  assert.match(toHex(keccak.receipt.output), /^4e03657aea45a94fc7d47ba826c8d667/);
});
