/** Proves random numbers as nodes of rPBFT do, by the rule of precompiles 16. */
import { ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { keccak_256, sha3_512 } from "@noble/hashes/sha3.js";
import assert from "node:assert/strict";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { bigintOfBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { toHex } from "../../../core/bytes/hex.ts";

const { Point } = ristretto255;
const ORDER = Point.Fn.ORDER;
const NONCE = 123_456_789n;

/** A proof and the random number that it proves. */
export interface VrfProof {
  readonly publicKey: string;
  readonly proof: string;
  readonly random: bigint;
}

const scalarOf = (text: string): bigint => bigintOfBytes(sha3_512(bytesOf(text)).reverse()) % ORDER;

/** Proves the random number of an input under the key that a text makes. */
export function proveVrf(privateKey: string, input: string): VrfProof {
  const { deriveToCurve } = ristretto255_hasher;
  assert.ok(deriveToCurve);
  const secret = scalarOf(privateKey);
  const publicKey = toHex(Point.BASE.multiply(secret).toBytes());
  const head = `${publicKey}|${input}`;
  const base = deriveToCurve(sha3_512(bytesOf(head)));
  const gamma = base.multiply(secret);
  const [shown, u, v] = [gamma, Point.BASE.multiply(NONCE), base.multiply(NONCE)].map((point) =>
    toHex(point.toBytes()),
  );
  const c = scalarOf(`${head}|${publicKey}${shown}${u}${v}`);
  const s = (((NONCE - c * secret) % ORDER) + ORDER) % ORDER;
  const text = (value: bigint): string => toHex(fixedUintBytes(value, 32).reverse());
  return {
    publicKey,
    proof: `${shown}|${text(c)}|${text(s)}`,
    random: bigintOfBytes(keccak_256(gamma.multiply(8n).toBytes())),
  };
}
