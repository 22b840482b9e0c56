// What a node spares its peers and itself: window updates, and compressing one message twice.
import assert from "node:assert/strict";
import { test } from "vitest";
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import { SPARED_BYTES, WindowUpdates } from "../../../runtimes/shared/p2p/frame-watch.ts";
import {
  compressOnce,
  EXPANDED_BYTES_PER_SECOND,
  MessagePacker,
} from "../../../runtimes/shared/p2p/message-codec.ts";

const TYPE = { data: 0, windowUpdate: 1, ping: 2 } as const;
const ACK = 2;
const RESET = 8;

function frame(type: keyof typeof TYPE, length: number, { flags = 0, stream = 2 } = {}) {
  const header = new ByteWriter().u8(0).u8(TYPE[type]).u16(flags);
  return header.u32(stream).u32(length).finish();
}

test("a window is announced again when half of it is used, and first at once", () => {
  const updates = new WindowUpdates();
  const tenth = Math.ceil(SPARED_BYTES / 5);
  const sent: unknown[] = [updates.spare(frame("windowUpdate", 100, { flags: ACK }))];
  for (let taken = 0; taken < 11; taken++) sent.push(updates.spare(frame("windowUpdate", tenth)));
  const half = frame("windowUpdate", 5 * tenth);
  const none = Array(4).fill(undefined);
  const first = frame("windowUpdate", 100, { flags: ACK });
  assert.deepEqual(sent, [first, ...none, half, ...none, half, undefined]);
});

test("each stream has its own, and the end of one is announced at once", () => {
  const updates = new WindowUpdates();
  const update = (length: number, how: Parameters<typeof frame>[2]) =>
    updates.spare(frame("windowUpdate", length, how));
  assert.equal(update(SPARED_BYTES - 1, { stream: 2 }), undefined);
  assert.equal(update(SPARED_BYTES - 1, { stream: 4 }), undefined);
  const ended = frame("windowUpdate", SPARED_BYTES - 1, { flags: RESET, stream: 2 });
  assert.deepEqual(update(0, { flags: RESET, stream: 2 }), ended);
  const half = frame("windowUpdate", SPARED_BYTES, { stream: 4 });
  assert.deepEqual(update(1, { stream: 4 }), half);
});

test("many streams hold no memory: further ones are announced at once", () => {
  const updates = new WindowUpdates();
  const sent = Array.from({ length: 1_000 }, (_, stream) =>
    updates.spare(frame("windowUpdate", 1, { stream })),
  );
  assert.equal(sent.filter((bytes) => bytes === undefined).length, 64);
});

test("other frames stay as they are", () => {
  const updates = new WindowUpdates();
  for (const type of ["data", "ping"] as const) {
    const bytes = frame(type, 1);
    assert.equal(updates.spare(bytes), bytes);
  }
});

test("a message for several peers is compressed once, equal bytes of another message again", () => {
  let calls = 0;
  const codec = compressOnce({
    compress(bytes) {
      calls += 1;
      return bytes.slice(0, 1);
    },
    expand: () => undefined,
  });
  const message = Uint8Array.of(7, 7);
  for (let peer = 0; peer < 3; peer++) assert.deepEqual(codec.compress(message), Uint8Array.of(7));
  assert.equal(calls, 1);
  codec.compress(Uint8Array.of(7, 7));
  codec.compress(message);
  assert.equal(calls, 3);
});

test("what a peer has expanded in a second is bounded, and is not expanded beyond that", () => {
  const limits: number[] = [];
  const original = new Uint8Array(64 * 1024 * 1024);
  const packer = new MessagePacker({
    compress: (bytes) => bytes,
    expand(_, limitBytes) {
      limits.push(limitBytes);
      return original;
    },
  });
  const unpack = (steadyMs: number) => packer.unpack(Uint8Array.of(1), original.length, steadyMs);
  const inASecond = EXPANDED_BYTES_PER_SECOND / original.length;
  for (let count = 0; count < inASecond; count++) assert.equal(unpack(5_000 + count), original);
  assert.equal(unpack(5_999), undefined);
  assert.deepEqual(limits, Array(inASecond).fill(original.length));
  assert.equal(unpack(6_000), original);
});
