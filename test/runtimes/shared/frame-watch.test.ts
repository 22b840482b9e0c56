// Frames of the muxer are bounded at their headers, however the bytes are cut.
// rules: node-network 1
import assert from "node:assert/strict";
import { test } from "vitest";
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import {
  FrameWatch,
  MEMBER_FRAME_BYTES,
  UNAUTHENTICATED_BYTES,
  UNAUTHENTICATED_FRAMES,
  UNSENT_BYTES,
  UNSENT_FRAMES,
} from "../../../runtimes/shared/p2p/frame-watch.ts";

const TYPE = { data: 0, windowUpdate: 1, ping: 2, goAway: 3 } as const;

/** A header that claims a length, with a body of its own length. */
function frame(type: keyof typeof TYPE, length: number, body = 0): Uint8Array {
  const header = new ByteWriter().u8(0).u8(TYPE[type]).u16(0).u32(2).u32(length);
  return header.bytes(new Uint8Array(body).fill(0xff)).finish();
}

function joined(...frames: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter();
  for (const bytes of frames) writer.bytes(bytes);
  return writer.finish();
}

/** Gives bytes in pieces; how many were taken before one was refused. */
function feed(watch: FrameWatch, bytes: Uint8Array, piece: number): number {
  for (let at = 0; at < bytes.length; at += piece)
    if (!watch.allows(bytes.subarray(at, at + piece))) return at;
  return bytes.length;
}

const PIECES = [1, 2, 5, 11, 12, 13, 64, 1_000_000];

test("honest frames pass, wherever they are cut", () => {
  const bytes = joined(
    frame("data", 5, 5),
    frame("windowUpdate", 0xffff_ffff),
    frame("data", 0),
    frame("ping", 0xffff_ffff),
    frame("data", 70_000, 70_000),
    frame("goAway", 2),
    frame("data", 1, 1),
  );
  for (const piece of PIECES) assert.equal(feed(new FrameWatch(), bytes, piece), bytes.length);
});

test("a frame that is too long is refused at its header, whatever stood before it", () => {
  for (const before of [joined(), frame("data", 20, 20), frame("ping", 1)]) {
    const bytes = joined(before, frame("data", 0xffff_ffff, 100));
    for (const piece of PIECES) {
      const taken = feed(new FrameWatch(), bytes, piece);
      assert.ok(taken < before.length + 12, `${taken} of ${bytes.length} by ${piece}`);
    }
  }
});

test("a member may fill the largest window, and nobody more", () => {
  for (const { length, passes } of [
    { length: MEMBER_FRAME_BYTES, passes: true },
    { length: MEMBER_FRAME_BYTES + 1, passes: false },
  ]) {
    const watch = new FrameWatch();
    watch.admit();
    assert.equal(watch.allows(frame("data", length)), passes);
  }
  assert.equal(new FrameWatch().allows(frame("data", UNAUTHENTICATED_BYTES + 1)), false);
});

test("an unauthenticated peer sends no more than the exchange takes, a member what it likes", () => {
  const piece = frame("data", 1_000, 1_000);
  const most = Math.floor(UNAUTHENTICATED_BYTES / piece.length);
  const watch = new FrameWatch();
  for (let sent = 0; sent < most; sent++) assert.ok(watch.allows(piece));
  assert.equal(watch.allows(piece), false);
  const member = new FrameWatch();
  for (let sent = 0; sent < most; sent++) assert.ok(member.allows(piece));
  member.admit();
  for (let sent = 0; sent < 4 * most; sent++) assert.ok(member.allows(piece));
});

test("an unauthenticated peer sends a thousand frames and no more, a member what it likes", () => {
  for (const piece of [12, 5, 4_096]) {
    const pings = joined(...Array(UNAUTHENTICATED_FRAMES).fill(frame("ping", 1)));
    const watch = new FrameWatch();
    assert.equal(feed(watch, pings, piece), pings.length);
    assert.equal(watch.allows(frame("ping", 1)), false);
    const member = new FrameWatch();
    assert.equal(feed(member, pings, piece), pings.length);
    member.admit();
    for (let count = 0; count < 5; count++) assert.equal(feed(member, pings, piece), pings.length);
  }
});

test("an unauthenticated peer is sent a thousand frames and no more, a member what it asks for", () => {
  const watch = new FrameWatch();
  for (let sent = 0; sent < UNAUTHENTICATED_FRAMES; sent++) assert.ok(watch.sent(0));
  assert.equal(watch.sent(0), false);
  const member = new FrameWatch();
  member.admit();
  for (let sent = 0; sent < 5 * UNAUTHENTICATED_FRAMES; sent++) assert.ok(member.sent(0));
});

test("what waits behind a connection that takes no more is bounded, for members too", () => {
  const member = new FrameWatch();
  member.admit();
  const fill = () => {
    for (let sent = 0; sent < UNSENT_FRAMES; sent++) assert.ok(member.sent(12));
  };
  fill();
  assert.ok(member.sent(0), "nothing waits");
  fill();
  member.drained();
  fill();
  assert.equal(member.sent(12), false);
  assert.ok(member.sent(0));
  assert.ok(member.sent(UNSENT_BYTES));
  assert.equal(member.sent(UNSENT_BYTES + 1), false);
});
