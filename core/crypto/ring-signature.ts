/** Linkable ring signatures (LSAG) as the reference checks them. Source: precompiles 16 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type ByteString, bytesOf, parseDecimal } from "../bytes/byte-string.ts";
import { bigintOfBytes } from "../bytes/bytes.ts";
import { readTextFields, type TextFields } from "./json-fields.ts";
import { bitLength, modularPower, stepWork } from "./modular-power.ts";

/** The group of a ring. */
interface RingGroup {
  readonly g: bigint;
  readonly p: bigint;
  readonly q: bigint;
}

/** One member's key and answer. */
interface RingMember {
  readonly publicKey: bigint;
  readonly s: bigint;
}

interface RingSignature {
  readonly group: RingGroup;
  readonly challenge: bigint;
  /** The link: equal for all signatures of one member. */
  readonly image: bigint;
  readonly members: readonly RingMember[];
}

/** The longest number that is read: some 8,300 bits, four times what rings use. */
const MAX_DIGITS = 2_500;
const NUMBER = /^[0-9]+\.?$/;

/** What a contract is given: base64 of JSON objects whose members are decimal numbers. */
interface RingSignatureTexts {
  readonly signature: ByteString;
  readonly parameters: ByteString;
}

/** Reads signature and parameters; undefined when they are malformed. Source: precompiles 16 */
export function readRingSignature(texts: RingSignatureTexts): RingSignature | undefined {
  const signature = readTextFields(texts.signature);
  const parameters = readTextFields(texts.parameters);
  if (signature === undefined || parameters === undefined) return undefined;
  const [g, p, q] = ["g", "p", "q"].map((name) => readNumber(parameters, name));
  const [challenge, image, count] = ["C", "Y", "num"].map((name) => readNumber(signature, name));
  if (g === undefined || p === undefined || q === undefined || p < 2n || q < 1n) return undefined;
  if (challenge === undefined || image === undefined || count === undefined) return undefined;
  const members: RingMember[] = [];
  for (let i = 0; i < count; i++) {
    const publicKey = readNumber(signature, `pk${i}`);
    const s = readNumber(signature, `s${i}`);
    if (publicKey === undefined || s === undefined) return undefined;
    members.push({ publicKey, s });
  }
  return { group: { g, p, q }, challenge, image, members };
}

function readNumber(fields: TextFields, name: string): bigint | undefined {
  const text = fields.get(name);
  if (text === undefined || text.length > MAX_DIGITS || !NUMBER.test(text)) return undefined;
  return parseDecimal(text.endsWith(".") ? text.slice(0, -1) : text);
}

/** Bits of the exponents that come from a hash. */
const HASH_BITS = 256;

/** What checking the signature takes, in units of 5 ns, known before anything is computed. */
export function ringSignatureWork({ group, challenge, members }: RingSignature): number {
  let bits = bitLength(group.q) + 2 * bitLength(challenge);
  for (const { s } of members) bits += 2 * (bitLength(s) + HASH_BITS);
  return stepWork(bitLength(group.p)) * bits;
}

/** Whether the ring signed the message. Source: precompiles 16 */
export function verifyRingSignature(signature: RingSignature, message: ByteString): boolean {
  const { group, image, members, challenge } = signature;
  const { g, p, q } = group;
  const ring = members.map(({ publicKey }) => decimal(publicKey)).join("");
  const h = modularPower(g, hashNumber(ring) % q, p);
  // Hashed once: a ring of n members would be hashed n times otherwise.
  const head = keccak_256.create().update(bytesOf(`${ring}${decimal(image)}${message}`));
  let c = challenge;
  for (const { publicKey, s } of members) {
    const z = (modularPower(g, s, p) * modularPower(publicKey, c, p)) % p;
    const linked = (modularPower(h, s, p) * modularPower(image, c, p)) % p;
    const tail = bytesOf(`${decimal(z)}${decimal(linked)}`);
    c = bigintOfBytes(head.clone().update(tail).digest());
  }
  return c === challenge;
}

/** A number as the library prints it. */
function decimal(value: bigint): string {
  return `${value}.`;
}

/** Keccak-256 on every suite. */
function hashNumber(text: ByteString): bigint {
  return bigintOfBytes(keccak_256(bytesOf(text)));
}
