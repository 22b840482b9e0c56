/**
 * Private keys of both curves in PEM, without the platform's keys: PKCS #8 and SEC 1 as openssl and
 * the consoles write them. Source: generator 5; sm-suite 4
 */
import { concatBytes, equalBytes } from "../../../core/bytes/bytes.ts";
import { fromHex, hexBytes } from "../../../core/bytes/hex.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { decodePem, encodePem } from "./pem.ts";

/** A key and its curve. */
export interface PemKey {
  readonly suite: SuiteName;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
}

/** Why a text has no key: it is encrypted, or there is none of a known curve. */
export type PemProblem = "encrypted" | "unusable";

const KEY_BYTES = 32;
/** What stands before the key in PKCS #8 as openssl writes it, by the curve, and behind it. */
const PKCS8_HEADS: Readonly<Record<SuiteName, Uint8Array>> = {
  standard: hexBytes("308184020100301006072a8648ce3d020106052b8104000a046d306b0201010420"),
  national: hexBytes("308187020100301306072a8648ce3d020106082a811ccf5501822d046d306b0201010420"),
};
const PKCS8_POINT = hexBytes("a14403420004");
/** Object identifiers, without tag and length. */
const SECP256K1 = hexBytes("2b8104000a");
const SM2 = hexBytes("2a811ccf5501822d");
const TAG = { octets: 0x04, oid: 0x06, sequence: 0x30, parameters: 0xa0 } as const;

/** Unencrypted PKCS #8, the same bytes that openssl writes. @param publicKey 64 bytes X and Y */
export function keyPem(suite: SuiteName, privateKey: Uint8Array, publicKey: Uint8Array): string {
  const der = concatBytes(PKCS8_HEADS[suite], privateKey, PKCS8_POINT, publicKey);
  return encodePem("PRIVATE KEY", der);
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The elements of a DER content; none when it does not decode. */
function elementsOf(bytes: Uint8Array): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    const more = first < 0x80 ? 0 : first - 0x80;
    if (more > 2) return [];
    let length = more === 0 ? first : 0;
    for (let index = 0; index < more; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0);
    const start = at + 2 + more;
    if (start + length > bytes.length) return [];
    found.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

function inside(elements: readonly Element[], tag: number): readonly Element[] {
  const found = elements.find((element) => element.tag === tag);
  return found ? elementsOf(found.content) : [];
}

function suiteOfOid(oid: Uint8Array | undefined): SuiteName | undefined {
  if (oid === undefined) return undefined;
  if (equalBytes(oid, SECP256K1)) return "standard";
  return equalBytes(oid, SM2) ? "national" : undefined;
}

function oidsOf(elements: readonly Element[]): readonly Uint8Array[] {
  return elements.filter(({ tag }) => tag === TAG.oid).map(({ content }) => content);
}

/** The key of the structure that SEC 1 names, in whose parameters or around which the curve is. */
function parseSec1(der: Uint8Array, outer: Uint8Array | undefined): PemKey | undefined {
  const parts = inside(elementsOf(der), TAG.sequence);
  const digits = parts.find(({ tag }) => tag === TAG.octets)?.content;
  const suite = suiteOfOid(outer ?? oidsOf(inside(parts, TAG.parameters))[0]);
  if (!digits || !suite || digits.length === 0 || digits.length > KEY_BYTES) return undefined;
  const privateKey = new Uint8Array(KEY_BYTES);
  privateKey.set(digits, KEY_BYTES - digits.length);
  return { suite, privateKey };
}

function parsePkcs8(der: Uint8Array): PemKey | undefined {
  const parts = inside(elementsOf(der), TAG.sequence);
  const curve = oidsOf(inside(parts, TAG.sequence))[1];
  const key = parts.find(({ tag }) => tag === TAG.octets)?.content;
  return key && curve && parseSec1(key, curve);
}

/**
 * The key of a text: PEM of either curve, or 64 hexadecimal digits, which are taken for a key of
 * `hexSuite`.
 */
export function readKeyText(text: string, hexSuite: SuiteName): PemKey | PemProblem {
  const digits = text.trim();
  const hex = /^(0x)?[0-9a-fA-F]{64}$/.test(digits) ? fromHex(digits) : undefined;
  if (hex) return { suite: hexSuite, privateKey: hex };
  const blocks = decodePem(text);
  for (const { label, bytes } of blocks) {
    if (label === "ENCRYPTED PRIVATE KEY") return "encrypted";
    const key = label === "PRIVATE KEY" ? parsePkcs8(bytes) : undefined;
    const found = label === "EC PRIVATE KEY" ? parseSec1(bytes, undefined) : key;
    if (found) return found;
  }
  return /Proc-Type: 4,ENCRYPTED/.test(text) ? "encrypted" : "unusable";
}
