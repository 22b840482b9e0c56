/** Raft messages and records as bytes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { hashOf } from "../../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import { encodeRlp } from "../../../../core/bytes/rlp.ts";
import {
  decodeMessage,
  encodeMessage,
  MAX_MESSAGE_BYTES,
} from "../../../../core/consensus/raft/codec.ts";
import type { Message } from "../../../../core/consensus/raft/message.ts";
import {
  decodeRecord,
  encodeRecord,
  type RaftRecord,
  readRecord,
} from "../../../../core/consensus/raft/record.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { cases } from "../../../support/runner/cases.ts";

// rules: raft 2, raft 2.0-3, raft 8

/** Objects as the decoder makes them. */
const PLAIN = { noNullPrototype: true } as const;
const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const hash: fc.Arbitrary<Hash> = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hashOf);
const place = { term: number, height: number, head: hash };
const stored = fc.record({ term: number, proposal: hash }, PLAIN);

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ type: fc.constant("preVote" as const), ...place, entryTerm: number }, PLAIN),
  fc.record(
    {
      type: fc.constant("preVoteReply" as const),
      ...place,
      asked: number,
      granted: fc.boolean(),
    },
    PLAIN,
  ),
  fc.record({ type: fc.constant("vote" as const), ...place, entryTerm: number }, PLAIN),
  fc.record({ type: fc.constant("voteReply" as const), ...place, granted: fc.boolean() }, PLAIN),
  fc.record(
    {
      type: fc.constant("append" as const),
      ...place,
      entry: fc.option(hash, { nil: undefined }),
    },
    PLAIN,
  ),
  fc.record(
    {
      type: fc.constant("acknowledgement" as const),
      ...place,
      stored: fc.option(stored, { nil: undefined }),
    },
    PLAIN,
  ),
);

const nodeId = fc
  .integer({ min: 0, max: 255 })
  .map((value) => value.toString(16).padStart(2, "0").repeat(64) as NodeId);
const record: fc.Arbitrary<RaftRecord> = fc.record({
  term: fc.integer({ min: 1_000, max: Number.MAX_SAFE_INTEGER }),
  vote: fc.option(nodeId, { nil: undefined }),
  entry: fc.option(
    fc.record(
      {
        term: fc.integer({ min: 0, max: 1_000 }),
        height: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        proposal: hash,
        proposer: fc.integer({ min: 0, max: 65_534 }),
      },
      PLAIN,
    ),
    { nil: undefined },
  ),
});

test("a message comes back from its bytes, which are small", () => {
  fc.assert(
    fc.property(message, (sent) => {
      const bytes = encodeMessage(sent);
      assert.ok(bytes.length <= MAX_MESSAGE_BYTES);
      assert.deepEqual(decodeMessage(bytes), sent);
    }),
  );
});

test("a message that was cut or has more behind it is refused", () => {
  fc.assert(
    fc.property(message, fc.nat(), (sent, at) => {
      const bytes = encodeMessage(sent);
      assert.equal(decodeMessage(bytes.subarray(0, at % bytes.length)), undefined);
      assert.equal(decodeMessage(Uint8Array.of(...bytes, 0)), undefined);
    }),
  );
});

test("bytes that decode are the only bytes of their message", () => {
  fc.assert(
    fc.property(message, fc.nat(), fc.nat({ max: 255 }), (sent, at, value) => {
      const bytes = Uint8Array.from(encodeMessage(sent));
      bytes[at % bytes.length] = value;
      const decoded = decodeMessage(bytes);
      if (decoded) assert.deepEqual(encodeMessage(decoded), bytes);
    }),
    { numRuns: cases(2_000) },
  );
});

test("random bytes are refused or are a message", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const decoded = decodeMessage(bytes);
      if (decoded) assert.deepEqual(encodeMessage(decoded), bytes);
    }),
  );
});

const HEAD = new Uint8Array(32);
const REFUSED = [
  { name: "an unknown type", items: [6, 1, 1, HEAD, 0] },
  { name: "a flag that is neither 0 nor 1", items: [3, 1, 1, HEAD, 2] },
  { name: "a short head", items: [2, 1, 1, HEAD.subarray(1), 0] },
  { name: "an entry of two hashes", items: [4, 1, 1, HEAD, [HEAD, HEAD]] },
  { name: "a stored entry without its block", items: [5, 1, 1, HEAD, [1]] },
  { name: "a field too many", items: [2, 1, 1, HEAD, 0, 0] },
] as const;
for (const { name, items } of REFUSED) {
  test(`a message with ${name} is refused`, () => {
    assert.equal(decodeMessage(encodeRlp(items)), undefined);
  });
}

test("a message above the limit is refused unread", () => {
  assert.equal(decodeMessage(new Uint8Array(MAX_MESSAGE_BYTES + 1)), undefined);
});

test("a record comes back from its bytes", () => {
  fc.assert(
    fc.property(record, (kept) => assert.deepEqual(readRecord(encodeRecord(kept)), { ...kept })),
  );
});

test("a damaged record is a fault of the store, not a fresh beginning", () => {
  const kept = { term: 3, vote: undefined, entry: undefined };
  const bytes = encodeRecord(kept).subarray(1);
  assert.equal(decodeRecord(bytes), undefined);
  assert.throws(() => readRecord(bytes), StoreFault);
});

test("a record whose entry is of a later term than its own is refused", () => {
  const entry = { term: 4, height: 1, proposal: hashOf(HEAD), proposer: 0 };
  assert.equal(decodeRecord(encodeRecord({ term: 3, vote: undefined, entry })), undefined);
});
