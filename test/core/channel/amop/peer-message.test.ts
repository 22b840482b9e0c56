/** Messages between nodes about topics: what is written is read, and nothing else is. */
// rules: node-network 4, node-network 8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import {
  decodePeerMessage,
  encodePeerMessage,
  MAX_TOPICS,
  type PeerMessage,
} from "../../../../core/channel/amop/peer-message.ts";
import { cases } from "../../../support/runner/cases.ts";

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const seq = fc.uint8Array({ minLength: 32, maxLength: 32 });
const data = fc.uint8Array({ maxLength: 300 });
const topic = fc.string({ unit: "grapheme", maxLength: 20 });
const MESSAGES: fc.Arbitrary<PeerMessage> = fc.oneof(
  fc.record({
    type: fc.constant("topics" as const),
    topicSeq: u32,
    topics: fc.array(topic, { maxLength: 30 }),
  }),
  fc.record({ type: fc.constant("topicSeq" as const), topicSeq: u32 }),
  fc.record({ type: fc.constant("ask" as const) }),
  fc.record({ type: fc.constant("request" as const), id: u32, seq, data }),
  fc.record({ type: fc.constant("answer" as const), id: u32, result: fc.integer(), data }),
  fc.record({ type: fc.constant("multicast" as const), seq, data }),
);

test("every message is read as it was written", () => {
  fc.assert(
    fc.property(MESSAGES, (message) => {
      assert.deepEqual(decodePeerMessage(encodePeerMessage(message)), { ...message });
    }),
  );
});

test("a message that was cut is malformed or has less data, one with more behind it likewise", () => {
  fc.assert(
    fc.property(MESSAGES, fc.nat(400), (message, cut) => {
      const bytes = encodePeerMessage(message);
      for (const other of [bytes.slice(0, cut), concatBytes(bytes, new Uint8Array([0]))]) {
        const read = decodePeerMessage(other);
        if (typeof read === "string" || other.length === bytes.length) continue;
        assert.ok("data" in message && read.type === message.type);
      }
    }),
  );
});

test("any bytes are read or refused, and what is read is within the bounds", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.integer({ min: 1, max: 6 }),
      (noise, type) => {
        const read = decodePeerMessage(concatBytes(new Uint8Array([1, type]), noise));
        if (typeof read === "object" && read.type === "topics") {
          assert.ok(read.topics.length <= MAX_TOPICS);
        }
      },
    ),
    { numRuns: cases(1_000) },
  );
});

test("another version is told from what is malformed", () => {
  assert.equal(decodePeerMessage(new Uint8Array([2, 3])), "otherVersion");
  for (const bytes of [[], [1], [1, 0], [1, 7], [1, 3, 0], [1, 2, 0, 0, 0]]) {
    assert.equal(decodePeerMessage(new Uint8Array(bytes)), "malformed");
  }
});

test("more topics than the bound, too long ones and those that are no text are malformed", () => {
  const head = [1, 1, 0, 0, 0, 1];
  const many = [...head, 4, 1, ...Array<number>(1_025).fill(0)];
  const long = [...head, 0, 1, 255, ...Array<number>(255).fill(0x61)];
  const noText = [...head, 0, 1, 1, 0xff];
  for (const bytes of [many, long, noText]) {
    assert.equal(decodePeerMessage(new Uint8Array(bytes)), "malformed");
  }
  const most = [...head, 4, 0, ...Array<number>(1_024).fill(0)];
  const read = decodePeerMessage(new Uint8Array(most));
  assert.ok(typeof read === "object" && read.type === "topics");
});
