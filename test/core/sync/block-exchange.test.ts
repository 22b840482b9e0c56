/** Block messages are decoded by total functions: whatever arrives gives a message or nothing. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import {
  decodeBlockMessage,
  decodeOutline,
  encodeBlockMessage,
  encodeOutline,
} from "../../../core/sync/block-exchange.ts";
import { hashOfNumber } from "../../support/pool-builders.ts";
import { proposalHeader } from "../../support/proposals.ts";

const OUTLINE = {
  header: proposalHeader({ number: 3 }),
  hashes: [hashOfNumber(1), hashOfNumber(2)],
};

test("an outline comes back as it was", () => {
  assert.deepEqual(decodeOutline(encodeOutline(OUTLINE)), OUTLINE);
});

test("a message of every kind comes back as it was", () => {
  const { header } = OUTLINE;
  const transactions = [Uint8Array.of(1), Uint8Array.of(2, 3)];
  for (const message of [
    { type: "requestBody", proposal: hashOfNumber(7) },
    { type: "body", header, transactions },
  ] as const) {
    assert.deepEqual(decodeBlockMessage(encodeBlockMessage(message)), message);
  }
});

for (const length of [0, 31, 33]) {
  test(`a hash of ${length} bytes is malformed, not a failure of this node`, () => {
    const short = new Uint8Array(length).fill(0xab);
    assert.equal(decodeBlockMessage(encodeRlp([0, short])), undefined);
    const outline = encodeRlp([{ rlp: encodeOutline(OUTLINE).slice(0, 0) }, [short]]);
    assert.equal(decodeOutline(outline), undefined);
  });
}

test("random and mutated bytes never throw", () => {
  const whole = encodeBlockMessage({ type: "body", header: OUTLINE.header, transactions: [] });
  const outline = encodeOutline(OUTLINE);
  const mutated = (bytes: Uint8Array) =>
    fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })).map(([at, value]) => {
      const copy = bytes.slice();
      copy[at] = value;
      return copy;
    });
  const any = fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated(whole), mutated(outline));
  fc.assert(
    fc.property(any, (bytes) => {
      decodeBlockMessage(bytes);
      decodeOutline(bytes);
    }),
    { numRuns: 2_000 },
  );
});
