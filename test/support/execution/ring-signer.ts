/** Signs for a ring by the rule of precompiles 16, in a group of the size that applications use. */
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import { modularPower } from "../../../core/crypto/modular-power.ts";
import { SUITE } from "./test-chain.ts";

/** A safe prime of 1,024 bits: p = 2 q + 1. Source: RFC 2409 6.2 */
const P = BigInt(
  [
    "0xffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404",
    "ddef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7",
    "edee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff",
  ].join(""),
);
const Q = (P - 1n) / 2n;
/** A square, so of order q. */
const G = 4n;

/** The texts of a signature of one of the members. */
export interface RingTexts {
  readonly signature: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

const power = (base: bigint, exponent: bigint): bigint => modularPower(base, exponent, P);
const hash = (text: string): bigint => bigintOfBytes(SUITE.hash(bytesOf(text)));

/** A signature of the first of this many members. */
export function signForRing(message: string, members: number): RingTexts {
  const secrets = Array.from({ length: members }, (_, i) => hash(`secret ${i}`));
  const keys = secrets.map((secret) => power(G, secret));
  const ring = keys.map((key) => `${key}.`).join("");
  const h = power(G, hash(ring) % Q);
  const [secret = 1n] = secrets;
  const image = power(h, secret);
  const challenge = (z: bigint, linked: bigint) =>
    hash(`${ring}${image}.${message}${z}.${linked}.`);
  const answers = secrets.map((_, i) => hash(`answer ${i}`));
  const blind = hash("blind");
  let c = challenge(power(G, blind), power(h, blind));
  for (let i = 1; i < members; i++) {
    const s = answers[i] ?? 0n;
    const z = (power(G, s) * power(keys[i] ?? 0n, c)) % P;
    c = challenge(z, (power(h, s) * power(image, c)) % P);
  }
  answers[0] = (((blind - secret * c) % Q) + Q) % Q;
  const texts = keys.flatMap((key, i) => [
    [`pk${i}`, `${key}.`],
    [`s${i}`, `${answers[i]}.`],
  ]);
  const head = { C: `${c}.`, Y: `${image}.`, num: `${members}` };
  return {
    signature: { ...head, ...Object.fromEntries(texts) },
    parameters: { g: `${G}.`, p: `${P}.`, q: `${Q}.` },
  };
}
