/** Behaviour of the transaction codec. */
// rules: tx-block-codec 2.1, tx-block-codec 2.2, tx-block-codec 2.3, rpc-semantics 8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { addressOf, hashOf, hexBytes, toHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { encodeRlp, type RlpInput } from "../../../core/bytes/rlp.ts";
import { SECP256K1_ORDER } from "../../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";
import {
  dataBytesOf,
  decodeTransaction,
  encodeTransaction,
  recoverSender,
  signingDigest,
  signTransaction,
  type Transaction,
  type TransactionFields,
  withSender,
} from "../../../core/model/transaction.ts";
import { cases } from "../../support/runner/cases.ts";
import { decodeRlp, type RlpItem } from "../../support/codecs/rlp-tree.ts";

const suite = STANDARD_SUITE;
const KEY = hexBytes("11".repeat(32));
const FIELDS: TransactionFields = {
  nonce: 12345678901234567890n,
  gasPrice: 300_000_000n,
  gas: 300_000_000n,
  blockLimit: 500n,
  to: "0x00112233445566778899aabbccddeeff00112233" as Address,
  value: 0n,
  input: hexBytes("6d4ce63c"),
  chainId: 1n,
  groupId: 1n,
  extraData: new Uint8Array(0),
};
const SIGNED = signTransaction(FIELDS, KEY, suite);

/** All fields as a plain object: most of them are read from the bytes when they are asked for. */
function fieldsOf(transaction: Transaction): Transaction {
  const { nonce, gasPrice, gas, blockLimit, to, value, input, chainId, groupId } = transaction;
  const { extraData, signature, raw, hash } = transaction;
  const content = { nonce, gasPrice, gas, blockLimit, to, value, input, chainId, groupId };
  return { ...content, extraData, signature, raw, hash };
}

test("the worked example signs to its bytes, digest, hash and sender", () => {
  assert.equal(
    toHex(SIGNED.raw),
    "f87788ab54a98ceb1f0ad28411e1a3008411e1a3008201f49400112233445566778899aabbccddeeff001122" +
      "3380846d4ce63c0101801ca00a3544a240cf8a8d80b2bd50a89ef3800e74a43e0ce54139098e7a8f891239b6" +
      "a03a3604778e1756b39e0e58c25cce7ff7d3cf7c3076d1f624000d7a6bad0322d2",
  );
  assert.equal(
    toHex(signingDigest(SIGNED.raw, suite)),
    "05c99e74127bdb019ec8fd5244cc5ceeb869cabd4af503ddd82c7bc18586310a",
  );
  assert.equal(SIGNED.hash, "0x7aa807ae4868103159eb926a2a598b181aeda829faf366c05c229f097c6a5f79");
  assert.equal(recoverSender(SIGNED, suite), "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a");
});

const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const bytes = fc.uint8Array({ maxLength: 90 });
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(addressOf);
const anyFields = fc.record({
  nonce: uint256,
  gasPrice: uint256,
  gas: uint256,
  blockLimit: uint256,
  to: fc.option(address),
  value: uint256,
  input: bytes,
  chainId: uint256,
  groupId: uint256,
  extraData: bytes,
});

test("any signed fields decode to themselves and to their sender", () => {
  fc.assert(
    fc.property(anyFields, (fields) => {
      const signed = signTransaction(fields, KEY, suite);
      const decoded = decodeTransaction(signed.raw, suite);
      assert.ok(decoded.ok);
      const { signature, raw, hash } = signed;
      assert.deepEqual(fieldsOf(decoded.transaction), { ...fields, signature, raw, hash });
      assert.deepEqual(encodeTransaction(fields, signature), raw);
      assert.equal(recoverSender(signed, suite), suite.address(suite.publicKey(KEY)));
    }),
    { numRuns: 25 },
  );
});

test("the sender is kept next to the transaction", () => {
  const from = suite.address(suite.publicKey(KEY));
  const known = withSender(SIGNED, from);
  assert.equal(known.from, from);
  assert.deepEqual(fieldsOf(known), fieldsOf(SIGNED));
  // Nothing is lost from one that did not come out of the decoder either.
  assert.deepEqual(withSender(fieldsOf(SIGNED), from), { ...fieldsOf(SIGNED), from });
});

test("a transaction signed with another key has another sender", () => {
  const other = signTransaction(FIELDS, hexBytes("12".repeat(32)), suite);
  assert.notEqual(recoverSender(other, suite), recoverSender(SIGNED, suite));
});

/** The items of the example, with some replaced. */
function variant(changes: Readonly<Record<number, RlpInput>>): Uint8Array {
  const items = decodeRlp(SIGNED.raw) as readonly RlpItem[];
  return encodeRlp(items.map((item, index) => changes[index] ?? item));
}

test("a receiver of 20 zero bytes is a call, an empty one a creation", () => {
  const zero = decodeTransaction(variant({ 4: new Uint8Array(20) }), suite);
  const none = decodeTransaction(variant({ 4: new Uint8Array(0) }), suite);
  assert.ok(zero.ok && none.ok);
  assert.equal(zero.transaction.to, `0x${"00".repeat(20)}`);
  assert.equal(none.transaction.to, null);
});

const LISTS = [
  { what: "an empty list as receiver is a creation", item: 4 },
  { what: "a list as extra data is no extra data", item: 9 },
] as const;
for (const { what, item } of LISTS) {
  test(`${what}, and the hash is that of the only form`, () => {
    const content = item === 4 ? [] : [1, [2]];
    const loose = decodeTransaction(variant({ [item]: content }), suite);
    const strict = decodeTransaction(variant({ [item]: new Uint8Array(0) }), suite);
    assert.ok(loose.ok && strict.ok);
    assert.deepEqual(loose, strict);
    assert.equal(loose.transaction.hash, hashOf(suite.hash(loose.transaction.raw)));
  });
}

test("extra data of one zero byte is accepted", () => {
  const decoded = decodeTransaction(variant({ 9: Uint8Array.of(0) }), suite);
  assert.ok(decoded.ok);
  assert.deepEqual(decoded.transaction.extraData, Uint8Array.of(0));
});

const ORDER = SECP256K1_ORDER;
const LEADING_ZERO = Uint8Array.of(0, 1);
const REFUSED: readonly {
  readonly what: string;
  readonly raw: Uint8Array;
  readonly reason: string;
}[] = [
  { what: "no bytes", raw: new Uint8Array(0), reason: "InvalidTransactionFormat" },
  { what: "a string", raw: hexBytes("83616263"), reason: "InvalidTransactionFormat" },
  { what: "a single byte", raw: hexBytes("01"), reason: "InvalidTransactionFormat" },
  { what: "a string with bytes after it", raw: hexBytes("8161ff"), reason: "BadRLP" },
  { what: "an empty list", raw: hexBytes("c0"), reason: "BadRLP" },
  { what: "three items", raw: hexBytes("c3010203"), reason: "BadRLP" },
  { what: "ten items", raw: hexBytes("ca0102030405060708090a"), reason: "BadRLP" },
  { what: "a longer form than needed", raw: hexBytes("f800"), reason: "BadRLP" },
  { what: "a nonce of 33 bytes", raw: variant({ 0: 2n ** 256n }), reason: "BadRLP" },
  { what: "a leading zero", raw: variant({ 0: LEADING_ZERO }), reason: "BadRLP" },
  { what: "a zero as one byte", raw: variant({ 5: Uint8Array.of(0) }), reason: "BadRLP" },
  { what: "a list as integer", raw: variant({ 7: [1] }), reason: "BadRLP" },
  { what: "a receiver of 19 bytes", raw: variant({ 4: new Uint8Array(19) }), reason: "BadRLP" },
  { what: "a receiver of 21 bytes", raw: variant({ 4: new Uint8Array(21) }), reason: "BadRLP" },
  { what: "a receiver that is a list", raw: variant({ 4: [1] }), reason: "BadRLP" },
  { what: "data as a list", raw: variant({ 6: [1, 2] }), reason: "InvalidTransactionFormat" },
  { what: "v of two bytes", raw: variant({ 10: 256 }), reason: "BadRLP" },
  { what: "v 0", raw: variant({ 10: 0 }), reason: "InvalidSignature" },
  { what: "v 1", raw: variant({ 10: 1 }), reason: "InvalidSignature" },
  { what: "v 26", raw: variant({ 10: 26 }), reason: "InvalidSignature" },
  { what: "v 29", raw: variant({ 10: 29 }), reason: "InvalidSignature" },
  { what: "r zero", raw: variant({ 11: 0 }), reason: "InvalidSignature" },
  { what: "r at the order", raw: variant({ 11: ORDER }), reason: "InvalidSignature" },
  { what: "s zero", raw: variant({ 12: 0 }), reason: "InvalidSignature" },
  { what: "s above half", raw: variant({ 12: ORDER / 2n + 1n }), reason: "InvalidSignature" },
];
for (const { what, raw, reason } of REFUSED) {
  test(`${what} is refused as ${reason}`, () => {
    assert.deepEqual(decodeTransaction(raw, suite), { ok: false, reason });
  });
}

test("s at exactly half the order is well-formed", () => {
  assert.ok(decodeTransaction(variant({ 12: ORDER / 2n }), suite).ok);
});

test("more or fewer than 13 items are refused", () => {
  const items = decodeRlp(SIGNED.raw) as readonly RlpItem[];
  const more = decodeTransaction(encodeRlp([...items, 1]), suite);
  assert.deepEqual(more, { ok: false, reason: "InvalidTransactionFormat" });
  const fewer = decodeTransaction(encodeRlp(items.slice(0, 12)), suite);
  assert.deepEqual(fewer, { ok: false, reason: "BadRLP" });
});

test("every truncation and every trailing byte is refused", () => {
  for (let length = 0; length < SIGNED.raw.length; length++) {
    assert.ok(!decodeTransaction(SIGNED.raw.subarray(0, length), suite).ok);
  }
  assert.ok(!decodeTransaction(Uint8Array.of(...SIGNED.raw, 0), suite).ok);
});

test("a changed byte never passes as the same transaction", () => {
  const position = fc.nat(SIGNED.raw.length - 1);
  fc.assert(
    fc.property(position, fc.integer({ min: 1, max: 255 }), (at, change) => {
      const raw = SIGNED.raw.slice();
      raw[at] = (raw[at] ?? 0) ^ change;
      const decoded = decodeTransaction(raw, suite);
      if (decoded.ok) assert.notEqual(decoded.transaction.hash, SIGNED.hash);
    }),
    { numRuns: cases(300) },
  );
});

/** A suite that carries keys; nothing here verifies with it. */
const CARRYING: CryptoSuite = { ...suite, name: "national", signatureBytes: 128 };

test("a carried key shorter than 64 bytes is right-aligned and re-encoded in full", () => {
  const key = fixedUintBytes(2n ** 400n + 5n, 64);
  const signature = new Uint8Array(128).fill(1);
  signature.set(key, 64);
  const full = encodeTransaction(FIELDS, signature);
  const items = decodeRlp(full) as readonly RlpItem[];
  const short = encodeRlp(items.map((item, i) => (i === 10 ? 2n ** 400n + 5n : item)));
  const decoded = decodeTransaction(short, CARRYING);
  assert.ok(decoded.ok);
  assert.deepEqual(decoded.transaction.signature, signature);
  assert.deepEqual(decoded.transaction.raw, full);
});

test("a carried key of zeros or of 65 bytes is refused", () => {
  const signature = new Uint8Array(128).fill(1);
  const items = decodeRlp(encodeTransaction(FIELDS, signature)) as readonly RlpItem[];
  const withKey = (key: Uint8Array) =>
    decodeTransaction(encodeRlp(items.map((item, i) => (i === 10 ? key : item))), CARRYING);
  assert.deepEqual(withKey(new Uint8Array(64)), { ok: false, reason: "InvalidSignature" });
  assert.deepEqual(withKey(new Uint8Array(65).fill(1)), { ok: false, reason: "BadRLP" });
});

test("a signature that was read stays as it was while others are read", () => {
  const many = Array.from({ length: 600 }, (_, i) =>
    signTransaction({ ...FIELDS, nonce: BigInt(i) }, KEY, suite),
  );
  const read = many.map(({ signature }) => signature);
  const again = many.map(({ signature }) => signature.slice());
  const texts = read.map((bytes) => toHex(bytes));
  assert.deepEqual(
    texts,
    again.map((bytes) => toHex(bytes)),
  );
  assert.equal(new Set(texts).size, many.length);
});

for (const inputBytes of [0, 1, 55, 56, 300, 5_000]) {
  test(`the data of a transaction with ${inputBytes} bytes of input is counted, and signed`, () => {
    const fields = { ...FIELDS, input: new Uint8Array(inputBytes).fill(7) };
    const transaction = signTransaction(fields, KEY, suite);
    assert.equal(dataBytesOf(transaction), inputBytes + FIELDS.extraData.length);
    assert.equal(dataBytesOf({ ...fields }), inputBytes + FIELDS.extraData.length);
    const from = suite.address(suite.publicKey(KEY));
    assert.equal(recoverSender(transaction, suite), from);
  });
}
