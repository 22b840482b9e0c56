/** Heartbeats and what they say of a peer's clock. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  clockSkewMs,
  decodePong,
  encodePing,
  encodePong,
  Heartbeats,
  PING_BYTES,
  skewNews,
  skewText,
} from "../../../core/network/clock-skew.ts";

test("an answer brings back when its heartbeat left, and the wall clock if it was wanted", () => {
  const moment = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(moment, fc.option(fc.nat(), { nil: undefined }), (sentAt, wallMs) => {
      const ping = encodePing(sentAt);
      assert.equal(ping.length, PING_BYTES);
      const pong = decodePong(encodePong(ping, wallMs));
      assert.ok(pong && Math.abs(pong.sentAt - sentAt) <= 0.001);
      assert.equal(pong.wallMs, wallMs);
    }),
  );
});

const answerTo = (ping: Uint8Array) => {
  const pong = decodePong(encodePong(ping, undefined));
  assert.ok(pong);
  return pong;
};

test("an answer counts once, and only to a heartbeat that waits for one", () => {
  const heartbeats = new Heartbeats();
  const [first, second, third] = [1.25, 1_000.0004, 2_000].map((at) => heartbeats.ping(at));
  assert.ok(first && second && third);
  assert.equal(heartbeats.answers(answerTo(encodePing(500))), false);
  assert.equal(heartbeats.answers(answerTo(second)), true);
  assert.equal(heartbeats.answers(answerTo(second)), false);
  // Answers come in order: the one before is given up.
  assert.equal(heartbeats.answers(answerTo(first)), false);
  assert.equal(heartbeats.answers(answerTo(third)), true);
});

test("heartbeats that no node answers are forgotten", () => {
  const heartbeats = new Heartbeats();
  const first = heartbeats.ping(0);
  for (let beat = 1; beat < 100; beat++) heartbeats.ping(beat);
  assert.equal(heartbeats.answers(answerTo(first)), false);
  assert.equal(heartbeats.answers(answerTo(encodePing(99))), true);
});

test("answers of another length, and times that no clock shows, are none", () => {
  for (const length of [0, 7, 9, 15, 17]) {
    assert.equal(decodePong(new Uint8Array(length)), undefined, `${length} bytes`);
  }
  assert.equal(decodePong(new Uint8Array(16).fill(255)), undefined);
});

test("half of the round trip is not taken for a difference of the clocks", () => {
  assert.equal(clockSkewMs({ nowMs: 10_000, rttMs: 400 }, 9_800), 0);
  assert.equal(clockSkewMs({ nowMs: 10_000, rttMs: 0 }, 45_000), 35_000);
  assert.equal(clockSkewMs({ nowMs: 50_000, rttMs: 2 }, 9_999), -40_000);
});

test("a clock is news when it begins to differ by more than 30 s, and when it agrees again", () => {
  assert.equal(skewNews(undefined, 30_000), undefined);
  assert.equal(skewNews(undefined, -30_001), "differs");
  assert.equal(skewNews(31_000, 90_000), undefined);
  assert.equal(skewNews(-31_000, 100), "agrees");
  assert.equal(skewNews(0, 31_000), "differs");
});

test("a clock that is far off is named, with how far and which way", () => {
  assert.equal(skewText(30_000), undefined);
  assert.equal(skewText(-30_000), undefined);
  assert.equal(skewText(28_800_400), "its clock is 28800 s ahead of ours: set both by NTP");
  assert.equal(skewText(-31_000), "its clock is 31 s behind ours: set both by NTP");
});
