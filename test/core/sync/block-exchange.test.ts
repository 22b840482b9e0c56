/** Block messages are decoded by total functions: whatever arrives gives a message or nothing. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import { encodeTransaction } from "../../../core/model/transaction.ts";
import {
  decodeBlockMessage,
  decodeCompactProposal,
  encodeBlockMessage,
  encodeCompactProposal,
  headerOfBody,
} from "../../../core/sync/block-exchange.ts";
import {
  decodeHeader,
  decodeSeals,
  encodeHeader,
  encodeSeals,
  HEADER_LIST_LIMIT,
} from "../../../core/model/header.ts";
import { cases } from "../../support/runner/cases.ts";
import { hashOfNumber } from "../../support/world/pool-builders.ts";
import { proposalHeader } from "../../support/world/proposals.ts";

const COMPACT = {
  header: proposalHeader({ number: 3 }),
  hashes: [hashOfNumber(1), hashOfNumber(2)],
};

test("a compact proposal comes back as it was", () => {
  assert.deepEqual(decodeCompactProposal(encodeCompactProposal(COMPACT)), COMPACT);
});

test("a message of every kind comes back as it was", () => {
  const { header } = COMPACT;
  const transactions = [new Uint8Array(40).fill(1), new Uint8Array(50).fill(2)];
  for (const message of [
    { type: "requestBody", proposal: hashOfNumber(7) },
    { type: "body", header, transactions },
  ] as const) {
    assert.deepEqual(decodeBlockMessage(encodeBlockMessage(message)), message);
  }
});

test("a body gives its header alone, and no other message does", () => {
  const body = { type: "body", header: COMPACT.header, transactions: [] } as const;
  assert.deepEqual(headerOfBody(encodeBlockMessage(body)), COMPACT.header);
  const request = { type: "requestBody", proposal: hashOfNumber(7) } as const;
  assert.equal(headerOfBody(encodeBlockMessage(request)), undefined);
});

test("lists longer than any honest one are malformed before each item costs memory", () => {
  const { header } = COMPACT;
  const many = (length: number) => Array.from({ length }, () => Uint8Array.of(1));
  const limit = many(HEADER_LIST_LIMIT);
  const most = { ...header, extraData: limit };
  assert.deepEqual(decodeHeader(encodeHeader(most)), most);
  const long = { ...header, extraData: [...limit, ...many(1)] };
  assert.equal(decodeHeader(encodeHeader(long)), undefined);
  assert.equal(
    decodeCompactProposal(encodeCompactProposal({ header: long, hashes: [] })),
    undefined,
  );
  const body = encodeBlockMessage({ type: "body", header: long, transactions: [] });
  assert.equal(decodeBlockMessage(body), undefined);
  const seal = { index: 0, signature: Uint8Array.of(1) };
  const seals = (length: number) => encodeSeals(Array.from({ length }, () => seal));
  assert.equal(decodeSeals(seals(HEADER_LIST_LIMIT))?.length, HEADER_LIST_LIMIT);
  assert.equal(decodeSeals(seals(HEADER_LIST_LIMIT + 1)), undefined);
  // Items that no transaction can be: their sender pays four bytes for each.
  const empty = Array.from({ length: 100 }, () => new Uint8Array(0));
  const none = encodeBlockMessage({ type: "body", header, transactions: empty });
  assert.equal(decodeBlockMessage(none), undefined);
});

test("a block of the shortest transactions that anybody can sign is a block", () => {
  const fields = {
    nonce: 1n,
    gasPrice: 1n,
    gas: 1n,
    blockLimit: 1n,
    to: null,
    value: 0n,
    input: new Uint8Array(0),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  // The point of half the generator has the shortest first half known; the second one is free.
  const signature = new Uint8Array(65);
  signature.set(hexBytes("3b78ce563f89a0ed9414f5aa28ad0d96d6795f9c63"), 11);
  signature[63] = 1;
  const raw = encodeTransaction(fields, signature);
  assert.ok(raw.length < 40, `${raw.length}`);
  const transactions = Array.from({ length: 100_001 }, () => raw);
  const message = { type: "body", header: COMPACT.header, transactions } as const;
  const decoded = decodeBlockMessage(encodeBlockMessage(message));
  assert.equal(decoded?.type === "body" && decoded.transactions.length, transactions.length);
});

for (const length of [0, 31, 33]) {
  test(`a hash of ${length} bytes is malformed, not a failure of this node`, () => {
    const short = new Uint8Array(length).fill(0xab);
    assert.equal(decodeBlockMessage(encodeRlp([0, short])), undefined);
    const compact = encodeRlp([{ rlp: encodeCompactProposal(COMPACT).slice(0, 0) }, [short]]);
    assert.equal(decodeCompactProposal(compact), undefined);
  });
}

test("random and mutated bytes never throw", () => {
  const whole = encodeBlockMessage({ type: "body", header: COMPACT.header, transactions: [] });
  const compact = encodeCompactProposal(COMPACT);
  const mutated = (bytes: Uint8Array) =>
    fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })).map(([at, value]) => {
      const copy = bytes.slice();
      copy[at] = value;
      return copy;
    });
  const any = fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated(whole), mutated(compact));
  fc.assert(
    fc.property(any, (bytes) => {
      decodeBlockMessage(bytes);
      decodeCompactProposal(bytes);
    }),
    { numRuns: cases(2_000) },
  );
});
