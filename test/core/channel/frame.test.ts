// Frames of the channel port: the worked frames, cutting of streams, bounds, topic prefixes.
// rules: channel-protocol 3, 3.1, 13
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { toHex, hexBytes } from "../../../core/bytes/hex.ts";
import {
  dataBytesOf,
  encodeFrame,
  type Frame,
  FrameReader,
  HEADER_BYTES,
  MAX_FRAME_BYTES,
  MESSAGE_TYPE,
  PUSH_SEQ,
  readTopic,
  withTopic,
} from "../../../core/channel/frame.ts";

const SEQ = bytesOf("0123456789abcdef0123456789abcdef");
const SEQ_HEX = toHex(SEQ);
const ZEROS_HEX = "30".repeat(32);

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** Worked frames of the specification: header and data as they are printed there. */
const WORKED = [
  {
    name: "H1 request",
    hex: `000000690012${SEQ_HEX}00000000`,
    data: '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":1}',
    type: MESSAGE_TYPE.rpc,
  },
  {
    name: "H3 heartbeat",
    hex: `0000002b0013${SEQ_HEX}00000000`,
    data: "0",
    type: MESSAGE_TYPE.heartbeat,
  },
  {
    name: "H8 handshake reply",
    hex: `0000004f0014${SEQ_HEX}00000000`,
    data: '{"nodeVersion":"2.9.0","protocol":3}\n',
    type: MESSAGE_TYPE.handshake,
  },
  {
    name: "H15 AMOP failure",
    hex: `0000002a0031${SEQ_HEX}00000064`,
    data: "",
    type: MESSAGE_TYPE.amopResponse,
    result: 100,
  },
  {
    name: "H10 block push",
    hex: `0000003e1001${ZEROS_HEX}00000000`,
    data: "\x10_block_notify_11,17",
    type: MESSAGE_TYPE.blockPush,
    seq: PUSH_SEQ,
  },
];

for (const row of WORKED) {
  const { name, type, seq = SEQ, result = 0 } = row;
  test(`the worked frame ${name} is written and read byte for byte`, () => {
    const frame: Frame = { type, seq, result, data: bytesOf(row.data) };
    const bytes = encodeFrame(frame);
    assert.equal(toHex(bytes), row.hex + toHex(bytesOf(row.data)));
    const reader = new FrameReader();
    assert.deepEqual(plain(reader.push(bytes)), plain([frame]));
    assert.equal(reader.failure, undefined);
  });
}

function plain(frames: readonly Frame[]) {
  return frames.map(({ type, seq, result, data }) => [type, text(seq), result, text(data)]);
}

const anyFrame = fc.record({
  type: fc.integer({ min: 0, max: 0xffff }),
  seq: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  result: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  data: fc.uint8Array({ maxLength: 3_000 }),
});

test("a stream gives the same frames however it is cut", () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 6 }), cuts, (frames, sizes) => {
      const stream = concatBytes(...frames.map(encodeFrame));
      const reader = new FrameReader();
      const read: Frame[] = [];
      for (let at = 0, i = 0; at < stream.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        read.push(...reader.push(stream.slice(at, at + size)));
        at += size;
      }
      assert.deepEqual(plain(read), plain(frames));
      assert.equal(reader.heldBytes, 0);
    }),
    { numRuns: 60 },
  );
});

test("a frame that comes byte by byte is read once", () => {
  const bytes = encodeFrame({ type: 0x12, seq: SEQ, result: -1, data: bytesOf("x".repeat(70)) });
  const reader = new FrameReader();
  const counts = [...bytes].map((byte) => reader.push(Uint8Array.of(byte)).length);
  assert.equal(counts.indexOf(1), bytes.length - 1);
});

test("a length below 42 or above 100 MiB ends the stream after the frames before it", () => {
  for (const [length, failure] of [
    [0, "tooShort"],
    [41, "tooShort"],
    [MAX_FRAME_BYTES + 1, "tooLong"],
    [0xffffffff, "tooLong"],
  ] as const) {
    const good = encodeFrame({ type: 1, seq: SEQ, result: 0, data: bytesOf("a") });
    const bad = new Uint8Array(HEADER_BYTES);
    new DataView(bad.buffer).setUint32(0, length);
    const reader = new FrameReader();
    assert.equal(reader.push(concatBytes(good, bad, good)).length, 1);
    assert.equal(reader.failure, failure);
    assert.equal(reader.push(good).length, 0);
    const slow = new FrameReader();
    for (const byte of bad) slow.push(Uint8Array.of(byte));
    assert.equal(slow.failure, failure);
  }
});

test("a length of exactly 100 MiB is waited for without memory being reserved", () => {
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, MAX_FRAME_BYTES);
  const reader = new FrameReader();
  const before = process.memoryUsage().arrayBuffers;
  assert.equal(reader.push(header).length, 0);
  assert.equal(reader.failure, undefined);
  assert.equal(reader.heldBytes, HEADER_BYTES);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
});

test("a topic stands in front of its content, its length plus one in front of it", () => {
  assert.equal(toHex(withTopic("t1", bytesOf("hi"))), "0374316869");
  assert.equal(toHex(withTopic("", bytesOf("{"))), "017b");
  const longest = "é".repeat(127);
  const read = readTopic(withTopic(longest, bytesOf("c")));
  assert.ok(read.ok);
  assert.equal(read.topic, longest);
  assert.equal(text(read.content), "c");
});

test("data without a usable topic prefix says why", () => {
  for (const [hex, reason] of [
    ["", "empty"],
    ["00", "zeroPrefix"],
    ["0061", "zeroPrefix"],
    ["ff", "pastEnd"],
    ["05aa", "pastEnd"],
  ] as const) {
    assert.deepEqual(readTopic(hexBytes(hex)), { ok: false, reason });
  }
});

test("the buffer of a long frame is at most a quarter longer than what has arrived", () => {
  const reader = new FrameReader();
  const head = new Uint8Array(HEADER_BYTES);
  new DataView(head.buffer).setUint32(0, 32 * 1024 * 1024);
  reader.push(head);
  let most = 0;
  const piece = new Uint8Array(256 * 1024);
  for (let arrived = 0; arrived < 20 * 1024 * 1024; arrived += piece.length) {
    reader.push(piece);
    if (arrived >= 4 * 1024 * 1024) most = Math.max(most, reader.reservedBytes / reader.heldBytes);
  }
  assert.ok(most > 1 && most <= 1.27, `${most}`);
});

test("long requests are given out in the pieces in which they were kept, others whole", () => {
  const data = Uint8Array.from({ length: 2_500_000 }, (_, i) => i % 251);
  for (const [type, isPieced] of [
    [MESSAGE_TYPE.rpc, true],
    [MESSAGE_TYPE.amopRequest, false],
  ] as const) {
    const bytes = encodeFrame({ type, seq: new Uint8Array(32).fill(7), result: 0, data });
    const reader = new FrameReader(true);
    const frames: Frame[] = [];
    for (let at = 0; at < bytes.length; at += 60_001)
      frames.push(...reader.push(bytes.subarray(at, at + 60_001)));
    const [frame, ...others] = frames;
    assert.ok(frame && others.length === 0);
    assert.deepEqual([frame.type, frame.seq[0], reader.heldBytes], [type, 7, 0]);
    assert.equal(frame.parts !== undefined, isPieced);
    assert.equal(dataBytesOf(frame), data.length);
    assert.ok(Buffer.concat(frame.parts ?? [frame.data]).equals(data));
  }
});
