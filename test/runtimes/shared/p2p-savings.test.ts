// What a node spares its peers and itself: window updates, and compressing one message twice.
import assert from "node:assert/strict";
import type { Stream } from "@libp2p/interface";
import { test } from "vitest";
import {
  compressOnce,
  EXPANDED_BYTES_PER_SECOND,
  MessagePacker,
} from "../../../runtimes/shared/p2p/message-codec.ts";
import { spareWindowUpdates } from "../../../runtimes/shared/p2p/spare-window.ts";

const WINDOW = 1_000;

test("a window is announced again when half of it is used, and first at once", () => {
  const updates: number[] = [];
  const stream = {
    recvWindow: WINDOW,
    recvWindowCapacity: WINDOW,
    sendWindowUpdate() {
      updates.push(WINDOW - this.recvWindowCapacity);
      this.recvWindowCapacity = WINDOW;
    },
  };
  spareWindowUpdates(stream as unknown as Stream);
  for (let taken = 0; taken < 3_100; taken += 100) {
    stream.recvWindowCapacity -= 100;
    stream.sendWindowUpdate();
  }
  assert.deepEqual(updates, [100, 500, 500, 500, 500, 500, 500]);
});

test("a stream of another muxer stays as it is", () => {
  const stream = { send: () => true };
  spareWindowUpdates(stream as unknown as Stream);
  assert.deepEqual(Object.keys(stream), ["send"]);
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
