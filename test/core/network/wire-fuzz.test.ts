// Mutated streams and handshakes: whatever arrives, the codecs neither throw nor hoard.
import assert from "node:assert/strict";
import { test } from "vitest";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import { CLASSES } from "../../../core/network/classes.ts";
import { FRAME, FrameReader, writeFrame } from "../../../core/network/frame.ts";
import {
  decodeHello,
  decodeProof,
  decodeRefusal,
  encodeHello,
  encodeProof,
} from "../../../core/network/handshake.ts";
import { Outbox } from "../../../core/network/outbox.ts";
import { PartAssembler } from "../../../core/network/part.ts";
import { Random } from "../../simulation/random.ts";

const DEFAULT_FRAMES = 100_000;
/** A longer run: `FUZZ_FRAMES=5000000 npx vitest run test/core/network/wire-fuzz.test.ts`. */
const FRAMES = Number(process.env["FUZZ_FRAMES"] ?? DEFAULT_FRAMES);
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
const RANDOM = new Random(SEED);

/** Streams of frames as honest peers send them. */
function recordedStreams(): Uint8Array[] {
  const hello = { chainId: 1, nonce: new Uint8Array(32), certificates: [], features: 1 };
  const exchange = new ByteWriter();
  const certificates = [new Uint8Array(500), new Uint8Array(600)];
  writeFrame(exchange, FRAME.hello, encodeHello({ ...hello, certificates }));
  writeFrame(exchange, FRAME.proof, encodeProof(new Uint8Array(65)));
  writeFrame(exchange, FRAME.welcome, new Uint8Array());
  writeFrame(exchange, FRAME.ping, new Uint8Array(8));
  const outbox = new Outbox();
  for (const kind of CLASSES) {
    for (const length of [0, 1, 300, 70_000]) {
      outbox.put({ kind, groupId: 1, compressed: length === 300, bytes: new Uint8Array(length) });
    }
  }
  const small = new Outbox();
  for (let count = 0; count < 50; count++) {
    const kind = CLASSES[count % CLASSES.length] ?? "blocks";
    small.put({ kind, groupId: 1, compressed: false, bytes: new Uint8Array(count) });
  }
  const batches = [outbox.batch(), small.batch()].flatMap((batch) => (batch ? [batch] : []));
  return [exchange.finish(), ...batches, small.batch() ?? exchange.finish()];
}

/** Cuts a stream into its frames. */
function framesOf(stream: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  new FrameReader().push(stream, (type, payload) => {
    const writer = new ByteWriter();
    writeFrame(writer, type, payload);
    frames.push(writer.finish());
    return true;
  });
  return frames;
}

/** One to three changes: bytes anywhere or in the header, cut off, doubled, grown. */
function mutate(frame: Uint8Array): Uint8Array {
  let bytes: Uint8Array = frame.slice();
  for (let changes = 1 + RANDOM.below(3); changes > 0; changes--) {
    const at = RANDOM.below(RANDOM.chance(0.7) ? Math.min(30, bytes.length) : bytes.length);
    const choice = RANDOM.below(10);
    if (choice < 7) bytes[at] = RANDOM.chance(0.3) ? 255 : RANDOM.below(256);
    else if (choice === 7) bytes = bytes.slice(0, at);
    else if (choice === 8) bytes = concatBytes(bytes, bytes.subarray(at));
    else bytes = concatBytes(bytes.subarray(0, at), new Uint8Array(1 + at), bytes.subarray(at));
  }
  return bytes;
}

/** What one session does with a frame: as the link does it. */
function handle(parts: PartAssembler, type: number, payload: Uint8Array): string {
  if (type === FRAME.part) {
    const outcome = parts.accept(payload);
    return outcome.type === "rejected" ? outcome.reason : outcome.type;
  }
  if (type === FRAME.hello) {
    return decodeHello(payload) ? "hello" : "bad hello";
  }
  if (type === FRAME.proof) return decodeProof(payload) ? "proof" : "bad proof";
  if (type === FRAME.refuse) return decodeRefusal(payload);
  return "other";
}

test("mutated frames neither throw nor hoard, and many reach a handler", () => {
  const frames = recordedStreams().flatMap(framesOf);
  const outcomes = new Map<string, number>();
  let handled = 0;
  let reader = new FrameReader();
  let parts = new PartAssembler();
  for (let count = 0; count < FRAMES; count++) {
    if (count % 64 === 0) parts = new PartAssembler();
    const isWhole = reader.push(mutate(RANDOM.pick(frames)), (type, payload) => {
      const outcome = handle(parts, type, payload);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      handled += 1;
      return true;
    });
    // As a peer that connects again: after a malformed stream, and now and then anyhow.
    if (!isWhole || RANDOM.chance(0.2)) reader = new FrameReader();
  }
  assert.ok(handled >= FRAMES * 0.3, `${handled} of ${FRAMES} reached a handler`);
  for (const outcome of ["message", "partial", "malformed", "oversize", "replayed", "bad hello"]) {
    assert.ok(outcomes.has(outcome), `no mutation came to: ${outcome}`);
  }
});
