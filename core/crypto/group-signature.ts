/**
 * Group signatures (BBS04) as the reference's library checks them: anybody sees that a member of
 * the group signed, nobody sees which. Source: precompiles 16
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type ByteString, bytesOf } from "../bytes/byte-string.ts";
import { bigintOfBytes, uintLength } from "../bytes/bytes.ts";
import type { GroupSignature } from "./group-signature-text.ts";
import { bitLength, stepWork } from "./modular-power.ts";
import {
  createTypeAPairing,
  type CurvePoint,
  overField,
  pairingWork,
  type TypeAPairing,
  type TypeAParameters,
} from "./type-a-pairing.ts";

/**
 * How many numbers are tried for the point of a message; each succeeds with one half, so nobody
 * finds a message that needs more, only parameters for which none succeeds.
 */
const MAX_TRIES = 64;

/** Told before a part of the check begins, in units of 5 ns. */
type StepCounter = (steps: number) => void;

/** Whether a member of the group signed the message. Source: precompiles 16 */
export function verifyGroupSignature(signature: GroupSignature, count: StepCounter): boolean {
  // Five sums and three powers in the target field, which take as long as one sum together.
  count(pairingWork(signature.parameters, { sums: 6, pairs: 1 }));
  return overField(() => verifyOverField(signature, count)) ?? false;
}

function verifyOverField(signature: GroupSignature, count: StepCounter): boolean {
  const { parameters, key, proof } = signature;
  const { q, r } = parameters;
  const pairing = createTypeAPairing(parameters);
  const { c, ralpha, rbeta, rx, rdelta1, rdelta2, T1, T2, T3 } = proof;
  const negative = (value: bigint): bigint => (r - (value % r)) % r;
  const sum = (...terms: readonly (readonly [bigint, CurvePoint])[]): CurvePoint =>
    pairing.sum(terms.map(([scalar, point]) => ({ scalar, point })));
  const message = messagePoint(signature, pairing, count);
  if (message === "none") return false;
  const powers = [
    pairing.pair(T3, sum([rx, key.g2], [c, key.w])),
    pairing.power(key.pr_g1_g2_inv, c),
    pairing.power(key.pr_h_w, negative(ralpha + rbeta)),
    pairing.power(key.pr_h_g2, negative(rdelta1 + rdelta2)),
  ];
  const r3 = powers.reduce(pairing.multiply);
  const digits = 2 * uintLength(q);
  const show = (...values: bigint[]): string =>
    values.map((value) => value.toString(16).padStart(digits, "0")).join("");
  const point = (value: CurvePoint): string => show(value?.x ?? 0n, value?.y ?? 0n);
  const text =
    [T1, T2, T3, sum([ralpha, key.u], [negative(c), T1])].map(point).join("") +
    point(sum([rbeta, key.v], [negative(c), T2])) +
    show(r3.real, r3.imaginary) +
    point(sum([rx, T1], [negative(rdelta1), key.u])) +
    point(sum([rx, T2], [negative(rdelta2), key.v])) +
    point(message);
  return hashTo(r, keccak_256(bytesOf(text))) % r === c;
}

/** A number up to the limit that follows from the data. Source: precompiles 16 */
function hashTo(limit: bigint, data: Uint8Array): bigint {
  const bytes = new Uint8Array(uintLength(limit));
  let at = 0;
  for (let counter = 0; at < bytes.length; counter++) {
    const part = data.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
    if (at < bytes.length) bytes[at++] = counter;
  }
  let value = bigintOfBytes(bytes);
  while (value > limit) value >>= 1n;
  return value;
}

/** The point of a message; "none" when the field has none for it. Source: precompiles 16 */
function messagePoint(
  { parameters, message }: { parameters: TypeAParameters; message: ByteString },
  pairing: TypeAPairing,
  count: StepCounter,
): CurvePoint | "none" {
  const { q, h } = parameters;
  let x = hashTo(q, bytesOf(message)) % q;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    count(stepWork(bitLength(q)) * bitLength(q));
    const y = pairing.ordinate(x);
    if (y !== undefined) {
      const odd = y === 0n || y % 2n === 1n ? y : q - y;
      return pairing.sum([{ scalar: h, point: { x, y: odd } }]);
    }
    x = (x * x + 1n) % q;
  }
  return "none";
}
