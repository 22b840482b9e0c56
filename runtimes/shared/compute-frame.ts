/**
 * The message between the Compute port and its workers: one buffer that carries a batch there and
 * its answers back. There: per item a digest and a signature. Back, in the same bytes: per item
 * a flag and a public key.
 */
import { invariant } from "../../core/fault/invariant.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { RecoverItem } from "../../core/ports/compute.ts";

const DIGEST_BYTES = 32;
const KEY_BYTES = 64;
const ANSWER_BYTES = 1 + KEY_BYTES;
const VALID = 1;

/** What a worker is started with. */
export interface ComputeWorkerData {
  readonly suite: CryptoSuite["name"];
}

/** A batch on its way to a worker, or back. */
export interface ComputeFrame {
  readonly count: number;
  readonly signatureBytes: number;
  readonly buffer: ArrayBuffer;
}

/** Packs a batch. Items of a wrong length become zeros, which no suite accepts. */
export function packItems(items: readonly RecoverItem[], signatureBytes: number): ComputeFrame {
  const stride = DIGEST_BYTES + signatureBytes;
  // An answer never ends after the item it replaces, so that a worker can write while it reads.
  invariant(stride >= ANSWER_BYTES, "an answer fits in the place of its item");
  const bytes = new Uint8Array(items.length * stride);
  items.forEach(({ digest, signature }, at) => {
    if (digest.length !== DIGEST_BYTES || signature.length !== signatureBytes) return;
    bytes.set(digest, at * stride);
    bytes.set(signature, at * stride + DIGEST_BYTES);
  });
  return { count: items.length, signatureBytes, buffer: bytes.buffer };
}

/** Replaces each item by its answer, in place. */
export function answerFrame(frame: ComputeFrame, suite: CryptoSuite): void {
  const bytes = new Uint8Array(frame.buffer);
  const stride = DIGEST_BYTES + frame.signatureBytes;
  for (let at = 0; at < frame.count; at++) {
    const start = at * stride;
    const digest = bytes.subarray(start, start + DIGEST_BYTES);
    const key = suite.recover(digest, bytes.subarray(start + DIGEST_BYTES, start + stride));
    bytes[at * ANSWER_BYTES] = key ? VALID : 0;
    if (key) bytes.set(key, at * ANSWER_BYTES + 1);
  }
}

/** The public keys of an answered frame; each is a copy, so that it does not hold the frame. */
export function readAnswers(frame: ComputeFrame): (Uint8Array | undefined)[] {
  const bytes = new Uint8Array(frame.buffer);
  return Array.from({ length: frame.count }, (_, at) => {
    const start = at * ANSWER_BYTES;
    return bytes[start] === VALID ? bytes.slice(start + 1, start + ANSWER_BYTES) : undefined;
  });
}
