/** The vector files about hashes, keys, signatures, RLP and parameter strings. */
// rules: tx-block-codec 1, sm-suite 3, sm-suite 4, sm-suite 8, rpc-semantics 3.1, rpc-semantics 3.2
import assert from "node:assert/strict";
import { afterAll } from "vitest";
import { utf8Bytes } from "../../core/bytes/byte-string.ts";
import { hexBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import {
  quantity,
  readBlockNumber,
  readHash,
  readHexBytes,
  readU256,
} from "../../core/bytes/quantity.ts";
import { encodeRlp, type RlpInput } from "../../core/bytes/rlp.ts";
import { SM4_BLOCK_BYTES, sm4CbcDecrypt, sm4CbcEncrypt } from "../support/codecs/sm4.ts";
import { sm2Verify } from "../../core/crypto/sm2.ts";
import { readVectors, tallyText, type VectorSuite, vectorTests } from "./shared-vectors.ts";
import { NATIONAL, STANDARD, suiteOf } from "./vector-suites.ts";
import { decodeRlp, type RlpItem } from "../support/codecs/rlp-tree.ts";

interface Cases<Row> {
  readonly cases: readonly Row[];
}

interface HashRow {
  readonly id: string;
  readonly algorithm: string;
  readonly inputUtf8?: string;
  readonly outputHex: string;
}

function hashRows({ row, skip }: VectorSuite): void {
  for (const { id, algorithm, inputUtf8, outputHex } of readVectors<Cases<HashRow>>("hash.json")
    .cases) {
    if (inputUtf8 === undefined) skip(id, "input is not text");
    else if (algorithm === "sha256") skip(id, "SHA-256 is not a chain hash");
    else {
      row(`${algorithm} gives the published digest: ${id}`, () => {
        const suite = algorithm === "sm3" ? NATIONAL : STANDARD;
        assert.equal(toHex(suite.hash(utf8Bytes(inputUtf8))), outputHex);
      });
    }
  }
}

interface KeyRow {
  readonly id: string;
  readonly suite: string;
  readonly privateKey?: string;
  readonly publicKey: string;
  readonly address: string;
}

function keyRows({ row }: VectorSuite): void {
  for (const key of readVectors<Cases<KeyRow>>("keys-addresses.json").cases) {
    row(`a public key has the published address: ${key.id}`, () => {
      assert.equal(suiteOf(key.suite).address(hexBytes(key.publicKey)), key.address);
    });
    const { privateKey } = key;
    if (privateKey === undefined) continue;
    row(`a private key has the published public key: ${key.id}`, () => {
      assert.equal(toHex(suiteOf(key.suite).publicKey(hexBytes(privateKey))), key.publicKey);
    });
  }
}

interface SignatureRow {
  readonly id: string;
  readonly suite: string;
  readonly hash: string;
  /** What an SM2 signature signs, in place of a hash. */
  readonly message: string;
  readonly signature: string;
  readonly publicKey?: string;
  readonly address?: string;
  readonly valid: boolean;
}

function signatureRows({ row }: VectorSuite): void {
  for (const sig of readVectors<Cases<SignatureRow>>("signatures.json").cases) {
    if (sig.suite === "sm") {
      row(`an SM2 signature is ${sig.valid ? "accepted" : "refused"}: ${sig.id}`, () => {
        const [message, signature] = [hexBytes(sig.message), hexBytes(sig.signature)];
        assert.equal(sm2Verify(message, signature, hexBytes(sig.publicKey ?? "")), sig.valid);
      });
    } else {
      row(`a signature is ${sig.valid ? "accepted" : "refused"}: ${sig.id}`, () => {
        const key = STANDARD.recover(hexBytes(sig.hash), hexBytes(sig.signature));
        if (sig.publicKey !== undefined) {
          assert.equal(key !== undefined && toHex(key) === sig.publicKey, sig.valid);
        }
        if (sig.address !== undefined) {
          assert.ok(key);
          assert.equal(STANDARD.address(key), `0x${sig.address}`);
        }
      });
    }
  }
}

type RlpValue = string | number | readonly RlpValue[];

interface RlpRow {
  readonly id: string;
  readonly kind: "valid" | "invalid";
  readonly value: RlpValue;
  readonly rlpHex: string;
}

function rlpInput(value: RlpValue): RlpInput {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return value.map(rlpInput);
  if (value.startsWith("#")) return BigInt(value.slice(1));
  return Uint8Array.from(Buffer.from(value, "latin1"));
}

/** The item that an input reads back as: integers are their bytes. */
function rlpItem(value: RlpInput): RlpItem {
  if (typeof value === "number" || typeof value === "bigint") {
    const digits = value.toString(16);
    return value === 0 ? new Uint8Array(0) : hexBytes(digits.length % 2 ? `0${digits}` : digits);
  }
  if (value instanceof Uint8Array) return value;
  return "rlp" in value ? value.rlp : value.map(rlpItem);
}

function rlpRows({ row }: VectorSuite): void {
  for (const { id, kind, value, rlpHex } of readVectors<Cases<RlpRow>>("rlp.json").cases) {
    const bytes = hexBytes(rlpHex);
    if (kind === "valid") {
      row(`RLP is written and read back: ${id}`, () => {
        assert.equal(toHex(encodeRlp(rlpInput(value))), rlpHex);
        assert.deepEqual(decodeRlp(bytes), rlpItem(rlpInput(value)));
      });
    } else {
      row(`malformed RLP is refused: ${id}`, () => {
        assert.equal(decodeRlp(bytes), undefined);
      });
    }
  }
}

interface StringRow {
  readonly id: string;
  readonly fn: string;
  readonly input: string;
  readonly expected?: string;
  readonly expectedError?: boolean;
}

/** Bytes of an input such as `8 bytes baadf00d` or `bytes ff 00`. */
function namedBytes(input: string): Uint8Array {
  return hexBytes(input.slice(input.indexOf("bytes") + 5).replaceAll(" ", ""));
}

const READERS: Readonly<Record<string, (input: string) => string | undefined>> = {
  hexFixed: (input) => toPrefixedHex(namedBytes(input)),
  toHexBytes: (input) => toPrefixedHex(namedBytes(input)),
  toHexNumber: (input) => quantity(BigInt(input)),
  jsToBytes: (input) => {
    const bytes = readHexBytes(input);
    return bytes && toHex(bytes);
  },
  jsToFixed32: (input) => readHash(input)?.slice(2),
  jsToInt: (input) => readBlockNumber(input)?.toString(),
  jsToU256: (input) => readU256(input)?.toString(),
  jsToInt32bytes: (input) => readU256(input)?.toString(),
  jsToInt16bytes: (input) => readU256(input)?.toString(),
};

function stringRows({ row }: VectorSuite): void {
  for (const { id, fn, input, expected, expectedError } of readVectors<Cases<StringRow>>(
    "js-values.json",
  ).cases) {
    row(`a JSON string converts as published: ${id}`, () => {
      const read = READERS[fn];
      assert.ok(read, fn);
      assert.equal(read(input), expectedError ? undefined : expected);
    });
  }
}

interface CipherRow {
  readonly id: string;
  readonly algorithm: string;
  readonly keyHex: string;
  readonly ivHex: string;
  readonly plainHex: string;
  readonly cipherHex: string;
}

function cipherRows({ row, skip }: VectorSuite): void {
  for (const cipher of readVectors<Cases<CipherRow>>("symmetric.json").cases) {
    const [key, iv] = [hexBytes(cipher.keyHex), hexBytes(cipher.ivHex)];
    const [plain, expected] = [hexBytes(cipher.plainHex), hexBytes(cipher.cipherHex)];
    if (cipher.algorithm === "aes-cbc") skip(cipher.id, "AES is the platform's");
    else if (cipher.algorithm === "sm4-ecb-nopad") {
      row(`SM4 encrypts a block as published: ${cipher.id}`, () => {
        const chained = sm4CbcEncrypt(key, new Uint8Array(SM4_BLOCK_BYTES), plain);
        assert.deepEqual(chained.slice(0, SM4_BLOCK_BYTES), expected);
      });
    } else {
      row(`SM4-CBC encrypts and decrypts as published: ${cipher.id}`, () => {
        assert.deepEqual(sm4CbcEncrypt(key, iv, plain), expected);
        assert.deepEqual(sm4CbcDecrypt(key, iv, expected), plain);
      });
    }
  }
}

interface SuiteRow {
  readonly name: string;
  readonly text?: string;
  readonly keccak256?: string;
  readonly sm3?: string;
  readonly privateKey?: string;
  readonly publicKey?: string;
  readonly addressStandard?: string;
  readonly addressSm?: string;
  readonly message?: string;
  readonly messageText?: string;
  readonly r?: string;
  readonly s?: string;
}

function checkSuiteRow(row: SuiteRow): void {
  const { text, privateKey, publicKey, addressStandard, addressSm, message, messageText } = row;
  if (text !== undefined) {
    assert.equal(toHex(STANDARD.hash(utf8Bytes(text))), row.keccak256);
    assert.equal(toHex(NATIONAL.hash(utf8Bytes(text))), row.sm3);
    return;
  }
  const key = hexBytes(publicKey ?? "");
  if (privateKey !== undefined) assert.deepEqual(NATIONAL.publicKey(hexBytes(privateKey)), key);
  if (addressStandard !== undefined) assert.equal(STANDARD.address(key), addressStandard);
  if (addressSm !== undefined) assert.equal(NATIONAL.address(key), addressSm);
  if (row.r === undefined) return;
  const signed = messageText === undefined ? hexBytes(message ?? "") : utf8Bytes(messageText);
  assert.ok(sm2Verify(signed, hexBytes(`${row.r}${row.s}`), key));
}

function suiteRows({ row }: VectorSuite): void {
  for (const published of readVectors<Cases<SuiteRow>>("exec-sm-suite.json").cases) {
    row(`both suites give what is published: ${published.name}`, () => checkSuiteRow(published));
  }
}

const tally = vectorTests((suite) => {
  hashRows(suite);
  cipherRows(suite);
  suiteRows(suite);
  keyRows(suite);
  signatureRows(suite);
  rlpRows(suite);
  stringRows(suite);
});

afterAll(() => {
  console.log(`codec: ${tallyText(tally)}`);
});
