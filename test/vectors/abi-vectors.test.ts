/** The vector files about the contract ABI, selectors and revert texts. */
import assert from "node:assert/strict";
import { afterAll } from "vitest";
import { byteString, utf8ByteString, utf8Bytes } from "../../core/bytes/byte-string.ts";
import { hexBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import { decodeAbi, decodeAbiLeniently } from "../../core/abi/decode.ts";
import {
  type AbiValue,
  encodeAbi,
  encodeCall,
  encodeRevert,
  selectorOf,
} from "../../core/abi/encode.ts";
import {
  type AbiType,
  abiTypeText,
  isDynamicType,
  parseAbiType,
  parseAbiTypes,
  parseSignature,
} from "../../core/abi/type.ts";
import { readVectors, tallyText, type VectorSuite, vectorTests } from "./shared-vectors.ts";
import { NATIONAL, STANDARD } from "./vector-suites.ts";

type RenderedValue = string | number | boolean | readonly RenderedValue[];

interface AbiRow {
  readonly id?: string;
  readonly name?: string;
  readonly kind?: "params" | "selector";
  readonly types?: readonly string[];
  readonly values?: readonly RenderedValue[];
  readonly encoded?: string;
  readonly decodedText?: readonly string[];
  readonly signature?: string;
  readonly selectorKeccak?: string;
  readonly selectorSm3?: string;
  readonly text?: string;
  readonly type?: string;
  readonly valid?: boolean;
  readonly dynamic?: boolean;
  readonly element?: string;
  readonly extents?: readonly number[];
  readonly functionName?: string;
}

function rowsOf(file: string): readonly AbiRow[] {
  return readVectors<{ cases: readonly AbiRow[] }>(file).cases;
}

function memberType(type: AbiType, index: number): AbiType {
  if (type.kind === "array") return type.element;
  assert.ok(type.kind === "tuple");
  const component = type.components[index];
  assert.ok(component);
  return component.type;
}

function abiValueOf(type: AbiType, value: RenderedValue): AbiValue {
  if (typeof value === "boolean") return value;
  if (typeof value === "object")
    return value.map((item, i) => abiValueOf(memberType(type, i), item));
  if (type.kind === "uint" || type.kind === "int") return BigInt(value);
  const text = `${value}`;
  if (type.kind === "string") return utf8ByteString(text);
  return type.kind === "address" ? (text as Address) : hexBytes(text);
}

function checkParameters({ types: texts = [], values = [], encoded = "" }: AbiRow): void {
  const types = parseAbiTypes(texts);
  assert.ok(types);
  const typed = types.map((type, i) => abiValueOf(type, values[i] ?? ""));
  const bytes = encodeAbi(types, typed);
  assert.equal(toHex(bytes), encoded.replace(/^0x/, ""));
  assert.deepEqual(decodeAbi(types, bytes), { ok: true, values: typed });
  assert.deepEqual(decodeAbiLeniently(types, bytes), typed);
}

function checkType({ type: text = "", valid, dynamic, element, extents }: AbiRow): void {
  let type = parseAbiType(text);
  assert.equal(type !== undefined, valid);
  if (!type) return;
  assert.equal(abiTypeText(type), text);
  assert.equal(isDynamicType(type), dynamic);
  const found: number[] = [];
  for (; type.kind === "array"; type = type.element) found.unshift(type.length ?? 0);
  assert.deepEqual([found, abiTypeText(type)], [extents, element]);
}

function checkSignature({ text = "", valid, functionName, signature }: AbiRow): void {
  const parsed = parseSignature(text);
  assert.equal(parsed !== undefined, valid);
  assert.equal(parsed?.name, functionName);
  assert.equal(parsed?.text, signature);
}

function checkSelector(signature: string, keccak: string, sm3: string): void {
  const text = parseSignature(signature)?.text;
  assert.equal(text, signature);
  assert.equal(toHex(selectorOf(signature, STANDARD.hash)), keccak.replace(/^0x/, ""));
  assert.equal(toHex(selectorOf(signature, NATIONAL.hash)), sm3.replace(/^0x/, ""));
}

function abiRows({ row }: VectorSuite): void {
  for (const abi of [...rowsOf("abi.json"), ...rowsOf("exec-abi.json")]) {
    const label = abi.id ?? abi.name ?? "";
    if (abi.kind === "selector") {
      const { signature = "", selectorKeccak = "", selectorSm3 = "" } = abi;
      row(`a signature has its selectors: ${signature}`, () =>
        checkSelector(signature, selectorKeccak, selectorSm3),
      );
    } else if (abi.encoded !== undefined) {
      row(`values have their published encoding and come back: ${label}`, () =>
        checkParameters(abi),
      );
    } else if (abi.type !== undefined) {
      row(`a type is parsed: ${abi.type}`, () => checkType(abi));
    } else {
      row(`a signature is parsed: ${abi.text}`, () => checkSignature(abi));
    }
  }
}

interface ContractRow {
  readonly contract: string;
  readonly methods: Readonly<Record<string, readonly [string, string]>>;
}

/** The one signature that is hashed as a literal text and is no ABI signature. */
const LITERAL = /std::string/;

function contractRows({ row }: VectorSuite): void {
  const file = readVectors<{ cases: readonly ContractRow[] }>("exec-selectors.json");
  for (const { contract, methods } of file.cases) {
    row(`the methods of ${contract} have their selectors`, () => {
      for (const [signature, [keccak, sm3]] of Object.entries(methods)) {
        if (LITERAL.test(signature)) {
          const text = utf8Bytes(signature);
          assert.equal(toHex(STANDARD.hash(text).subarray(0, 4)), keccak);
        } else checkSelector(signature, keccak, sm3);
      }
    });
  }
}

interface ErrorRow {
  readonly name: string;
  readonly text: string;
  readonly output: string;
  readonly outputSm: string;
}

function errorRows({ row }: VectorSuite): void {
  for (const { name, text, output, outputSm } of readVectors<{ cases: readonly ErrorRow[] }>(
    "exec-errors.json",
  ).cases) {
    row(`a revert text has its published output: ${name}`, () => {
      assert.equal(toPrefixedHex(encodeRevert(text, STANDARD.hash)), output);
      assert.equal(toPrefixedHex(encodeRevert(text, NATIONAL.hash)), outputSm);
      const call = encodeCall("Error(string)", [text], STANDARD.hash);
      const types = parseAbiTypes(["string"]) ?? [];
      assert.deepEqual(decodeAbi(types, call.subarray(4)), { ok: true, values: [text] });
      assert.equal(byteString(utf8Bytes(text)), text);
    });
  }
}

const tally = vectorTests((suite) => {
  abiRows(suite);
  contractRows(suite);
  errorRows(suite);
});

afterAll(() => {
  console.log(`abi: ${tallyText(tally)}`);
});
