/**
 * Verification of SM2 signatures in WebAssembly: s G + t P by interleaved signed windows, with a
 * table of the base point made once. Gives the same answers as the reference, which also decides
 * the few cases that the formulas leave out. Source: sm-suite 4
 */
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import {
  SM2_CURVE,
  SM2_KEY_BYTES,
  SM2_SIGNATURE_BYTES,
  sm2BaseMultiples,
  sm2VerifyDigest,
} from "../../../core/crypto/sm2.ts";
import type { NationalBackend } from "../../../core/crypto/suite.ts";
import {
  FREE_NUMBER,
  LIMB_BITS,
  LIMBS,
  NUMBER_BYTES,
  POINT,
  sm2FieldModule,
} from "./sm2-field-wasm.ts";

const { p: PRIME, n: ORDER, a: A, b: B } = SM2_CURVE;
const SCALAR_BYTES = 32;
const SCALAR_BITS = 256;
/** Montgomery's R is 2 to this power. */
const R_BITS = BigInt(LIMBS * LIMB_BITS);
const LIMB = BigInt(LIMB_BITS);
const MASK = (1n << LIMB) - 1n;
/** Windows of the base point, whose table is made once, and of the key. */
const BASE_WINDOW = 8;
const KEY_WINDOW = 5;
/** Numbers of an entry: X, Y; and Z, Z^2, Z^3 besides. */
const AFFINE_NUMBERS = 2;
const ENTRY_NUMBERS = 5;

const U64 = 2n ** 64n - 1n;

/** Numbers in memory, by position. */
const CANDIDATE = FREE_NUMBER;
const SQUARE = FREE_NUMBER + 1;
const DOUBLE = FREE_NUMBER + 2;
const KEY_TABLE = DOUBLE + ENTRY_NUMBERS;
const KEY_ENTRIES = 2 ** (KEY_WINDOW - 2);
const BASE_TABLE = KEY_TABLE + KEY_ENTRIES * ENTRY_NUMBERS;
const BASE_ENTRIES = 2 ** (BASE_WINDOW - 2);

/** What the module exports; pointers are bytes from the start of memory. */
interface Field {
  readonly memory: { readonly buffer: ArrayBuffer };
  mul(target: number, left: number, right: number): void;
  sqr(target: number, number: number): void;
  dbl(): void;
  addAffine(entry: number, sign: number): void;
  add(entry: number, sign: number): void;
}

/** The field with its memory seen as limbs. */
interface Machine {
  readonly field: Field;
  readonly limbs: BigInt64Array;
}

const at = (number: number): number => number * NUMBER_BYTES;

function write({ limbs }: Machine, number: number, value: bigint): void {
  let rest = (value << R_BITS) % PRIME;
  for (let i = 0; i < LIMBS; i++) {
    limbs[number * LIMBS + i] = rest & MASK;
    rest >>= LIMB;
  }
}

/** The number in Montgomery form, from 0 to p - 1. */
function read({ limbs }: Machine, number: number): bigint {
  let value = 0n;
  for (let i = LIMBS - 1; i >= 0; i--) value = (value << LIMB) + (limbs[number * LIMBS + i] ?? 0n);
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}

/** Copies this many numbers. */
function copy({ limbs }: Machine, target: number, source: number, count: number): void {
  limbs.copyWithin(target * LIMBS, source * LIMBS, (source + count) * LIMBS);
}

/** The working point as an entry for `add`. */
function storePoint(machine: Machine, entry: number): void {
  const { field } = machine;
  copy(machine, entry, POINT.x, 3);
  field.sqr(at(entry + 3), at(POINT.z));
  field.mul(at(entry + 4), at(entry + 3), at(POINT.z));
}

/** The odd multiples of the base point, affine. */
function fillBaseTable(machine: Machine): void {
  for (const [i, [x, y]] of sm2BaseMultiples(BASE_ENTRIES).entries()) {
    write(machine, BASE_TABLE + i * AFFINE_NUMBERS, x);
    write(machine, BASE_TABLE + i * AFFINE_NUMBERS + 1, y);
  }
}

/** The odd multiples of a key. */
function fillKeyTable(machine: Machine, [x, y]: readonly [bigint, bigint]): void {
  write(machine, POINT.x, x);
  write(machine, POINT.y, y);
  write(machine, POINT.z, 1n);
  storePoint(machine, KEY_TABLE);
  machine.field.dbl();
  storePoint(machine, DOUBLE);
  copy(machine, POINT.x, KEY_TABLE, 3);
  for (let i = 1; i < KEY_ENTRIES; i++) {
    machine.field.add(at(DOUBLE), 1);
    storePoint(machine, KEY_TABLE + i * ENTRY_NUMBERS);
  }
}

/** Digits of a scalar, lowest first: odd below half a window and signed, with zeros between. */
function digitsOf(bytes: Uint8Array, window: number): Int8Array {
  const digits = new Int8Array(SCALAR_BITS + 1);
  const bit = (i: number): number =>
    i < SCALAR_BITS ? ((bytes[SCALAR_BYTES - 1 - (i >> 3)] ?? 0) >> (i & 7)) & 1 : 0;
  let carry = 0;
  for (let i = 0; i <= SCALAR_BITS; ) {
    if (bit(i) === carry) {
      i++;
      continue;
    }
    let digit = carry;
    for (let k = 0; k < window; k++) digit += bit(i + k) << k;
    carry = digit >> (window - 1);
    digits[i] = digit - (carry << window);
    i += window;
  }
  return digits;
}

function bytesOf(value: bigint): Uint8Array {
  const bytes = new Uint8Array(SCALAR_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 4; i++) view.setBigUint64(24 - 8 * i, (value >> BigInt(64 * i)) & U64);
  return bytes;
}

/** Adds the digit's multiple to the working point, or begins with it. */
type Adder = (digit: number, isFirst: boolean) => void;

function baseAdder(machine: Machine): Adder {
  return (digit, isFirst) => {
    const entry = BASE_TABLE + (Math.abs(digit) >> 1) * AFFINE_NUMBERS;
    if (!isFirst) return machine.field.addAffine(at(entry), Math.sign(digit));
    // The highest digit of a scalar is positive.
    copy(machine, POINT.x, entry, AFFINE_NUMBERS);
    write(machine, POINT.z, 1n);
  };
}

function keyAdder(machine: Machine): Adder {
  return (digit, isFirst) => {
    const entry = KEY_TABLE + (Math.abs(digit) >> 1) * ENTRY_NUMBERS;
    if (!isFirst) return machine.field.add(at(entry), Math.sign(digit));
    copy(machine, POINT.x, entry, 3);
  };
}

/** s G + t P in the working point. */
function addMultiples(machine: Machine, s: Uint8Array, t: Uint8Array): void {
  const [ofBase, ofKey] = [digitsOf(s, BASE_WINDOW), digitsOf(t, KEY_WINDOW)];
  const [addBase, addKey] = [baseAdder(machine), keyAdder(machine)];
  let isFirst = true;
  for (let i = SCALAR_BITS; i >= 0; i--) {
    if (!isFirst) machine.field.dbl();
    const [base, key] = [ofBase[i] ?? 0, ofKey[i] ?? 0];
    if (base !== 0) addBase(base, isFirst);
    if (base !== 0) isFirst = false;
    if (key !== 0) addKey(key, isFirst);
    if (key !== 0) isFirst = false;
  }
}

/** The coordinates of a key; undefined when they are no point of the curve. */
function coordinatesOf(publicKey: Uint8Array): readonly [bigint, bigint] | undefined {
  const x = bigintOfBytes(publicKey, 0, SCALAR_BYTES);
  const y = bigintOfBytes(publicKey, SCALAR_BYTES, SM2_KEY_BYTES);
  if (x >= PRIME || y >= PRIME) return undefined;
  return (y * y - ((x * x + A) * x + B)) % PRIME === 0n ? [x, y] : undefined;
}

/** Whether the working point, with Z not zero, has the affine coordinate x. */
function hasCoordinate(machine: Machine, x: bigint): boolean {
  const { field } = machine;
  write(machine, CANDIDATE, x);
  field.sqr(at(SQUARE), at(POINT.z));
  field.mul(at(CANDIDATE), at(CANDIDATE), at(SQUARE));
  return read(machine, CANDIDATE) === read(machine, POINT.x);
}

function verifier(machine: Machine): NationalBackend["verifyDigest"] {
  // Chains of the standard suite may never need the table.
  let hasBaseTable = false;
  return (digest, signature, publicKey) => {
    if (signature.length !== SM2_SIGNATURE_BYTES || publicKey.length !== SM2_KEY_BYTES)
      return false;
    const r = bigintOfBytes(signature, 0, SCALAR_BYTES);
    const s = bigintOfBytes(signature, SCALAR_BYTES, SM2_SIGNATURE_BYTES);
    if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) return false;
    const t = (r + s) % ORDER;
    const key = t === 0n ? undefined : coordinatesOf(publicKey);
    if (key === undefined) return false;
    if (!hasBaseTable) fillBaseTable(machine);
    hasBaseTable = true;
    fillKeyTable(machine, key);
    addMultiples(machine, signature.subarray(SCALAR_BYTES), bytesOf(t));
    // An addition of equal or opposite points leaves Z at zero for good: only made-up keys do that.
    if (read(machine, POINT.z) === 0n) return sm2VerifyDigest(digest, signature, publicKey);
    const difference = (r - bigintOfBytes(digest)) % ORDER;
    const x = difference < 0n ? difference + ORDER : difference;
    return hasCoordinate(machine, x) || (x + ORDER < PRIME && hasCoordinate(machine, x + ORDER));
  };
}

/** The part of WebAssembly that is used; not every platform's types have it, nor every platform. */
interface Compiler {
  instantiate(module: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>;
}

/** The verification; undefined where WebAssembly may not be compiled. */
export async function createWasmSm2(): Promise<NationalBackend["verifyDigest"] | undefined> {
  try {
    const compiler = Reflect.get(globalThis, "WebAssembly") as Compiler;
    const { instance } = await compiler.instantiate(sm2FieldModule());
    const field = instance.exports as Field;
    return verifier({ field, limbs: new BigInt64Array(field.memory.buffer) });
  } catch {
    return undefined;
  }
}
