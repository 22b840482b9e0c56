// rules: sync 5, txpool 7.1, txpool 7.2, txpool 7.3
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import {
  BATCH_BYTES_LIMIT,
  BATCH_COUNT_LIMIT,
  batchesOf,
  decodeTransactionsMessage,
  encodeAnswers,
  encodeHashes,
  encodePassedOn,
  encodeTransactions,
  MESSAGE_BYTES_LIMIT,
  planPushes,
  pushTargets,
  type Spreadable,
} from "../../../core/sync/gossip.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../support/world/pool-builders.ts";

const RAW = fc.uint8Array({ minLength: 1, maxLength: 40 });
const [A, B, C] = [nodeIdOfNumber(1), nodeIdOfNumber(2), nodeIdOfNumber(3)];

function entry(id: number, knownBy: readonly NodeId[] = [], size = 1): Spreadable & { id: number } {
  return { id, transaction: { raw: new Uint8Array(size).fill(id) }, knownBy };
}

test("transactions survive the message", () => {
  fc.assert(
    fc.property(
      fc.array(RAW),
      fc.constantFrom("push" as const, "answer" as const),
      (raws, type) => {
        const decoded = decodeTransactionsMessage(encodeTransactions(type, raws));
        assert.deepEqual(decoded, { ok: true, message: { type, transactions: raws } });
      },
    ),
  );
});

for (const type of ["request", "announce"] as const) {
  test(`hashes survive a message of type ${type}`, () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (ids) => {
        const hashes: Hash[] = ids.map(hashOfNumber);
        const decoded = decodeTransactionsMessage(encodeHashes(type, hashes));
        assert.deepEqual(decoded, { ok: true, message: { type, hashes } });
      }),
    );
  });
}

test("the format is version, type, count, lengths, bytes", () => {
  const message = encodeTransactions("answer", [Uint8Array.of(7, 8), Uint8Array.of(9)]);
  assert.deepEqual([...message], [1, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 7, 8, 9]);
});

test("decoded transactions do not share memory with the message", () => {
  const decoded = decodeTransactionsMessage(encodeTransactions("push", [Uint8Array.of(1, 2)]));
  assert.ok(decoded.ok && decoded.message.type === "push");
  assert.equal(decoded.message.transactions[0]?.buffer.byteLength, 2);
});

test("every truncation and every extension of a message is malformed", () => {
  const messages = [
    encodeTransactions("push", [Uint8Array.of(1, 2), Uint8Array.of(3)]),
    encodeHashes("request", [hashOfNumber(5)]),
  ];
  for (const message of messages) {
    for (let length = 0; length < message.length; length++) {
      const decoded = decodeTransactionsMessage(message.subarray(0, length));
      assert.deepEqual(decoded, { ok: false, reason: "malformed" });
    }
    const longer = decodeTransactionsMessage(concatBytes(message, Uint8Array.of(0)));
    assert.deepEqual(longer, { ok: false, reason: "malformed" });
  }
});

const u32 = (value: number) => [
  value >>> 24,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
];
const DEFECTS = [
  { name: "another version", bytes: [2, 0, ...u32(0)], reason: "unknownVersion" },
  { name: "another type", bytes: [1, 5, ...u32(0)], reason: "unknownType" },
  { name: "too many sealers", bytes: [1, 4, ...u32(1_025)], reason: "malformed" },
  { name: "sealers and nothing else", bytes: [1, 4, ...u32(0)], reason: "malformed" },
  {
    name: "one that is passed on within another",
    bytes: [1, 4, ...u32(0), 1, 4, ...u32(0), 1, 0, ...u32(0)],
    reason: "malformed",
  },
  { name: "an empty transaction", bytes: [1, 0, ...u32(1), ...u32(0)], reason: "malformed" },
  { name: "a count over the bound", bytes: [1, 0, ...u32(1_001)], reason: "malformed" },
  { name: "a huge count", bytes: [1, 0, ...u32(0xffff_ffff)], reason: "malformed" },
  { name: "a huge length", bytes: [1, 0, ...u32(1), ...u32(0xffff_ffff), 1], reason: "malformed" },
  { name: "a request for too many", bytes: [1, 1, ...u32(1_001)], reason: "malformed" },
] as const;
for (const { name, bytes, reason } of DEFECTS) {
  test(`a message with ${name} is refused: ${reason}`, () => {
    assert.deepEqual(decodeTransactionsMessage(Uint8Array.from(bytes)), { ok: false, reason });
  });
}

test("a message holds up to 1000 transactions or hashes and no more", () => {
  const raws = (count: number) => Array.from({ length: count }, () => Uint8Array.of(1));
  const hashes = (count: number) => Array.from({ length: count }, (_, i) => hashOfNumber(i));
  const isFine = (bytes: Uint8Array) => decodeTransactionsMessage(bytes).ok;
  assert.equal(isFine(encodeTransactions("push", raws(BATCH_COUNT_LIMIT))), true);
  assert.equal(isFine(encodeTransactions("push", raws(BATCH_COUNT_LIMIT + 1))), false);
  assert.equal(isFine(encodeHashes("request", hashes(BATCH_COUNT_LIMIT))), true);
  assert.equal(isFine(encodeHashes("request", hashes(BATCH_COUNT_LIMIT + 1))), false);
});

test("an oversized message is refused unread", () => {
  const decoded = decodeTransactionsMessage(new Uint8Array(MESSAGE_BYTES_LIMIT + 1));
  assert.deepEqual(decoded, { ok: false, reason: "tooLong" });
});

test("random bytes decode to a value or a reason, and a value encodes to the same bytes", () => {
  const prefixed = fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 4), fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 80 }))
    .map(([type, count, rest]) => concatBytes(Uint8Array.of(1, type, ...u32(count)), rest));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 100 }), prefixed), (bytes) => {
      const decoded = decodeTransactionsMessage(bytes);
      if (!decoded.ok) return;
      const { message } = decoded;
      const again =
        message.type === "request" || message.type === "announce"
          ? encodeHashes(message.type, message.hashes)
          : message.type === "passOn"
            ? encodePassedOn(message.missing, encodeTransactions("push", message.transactions))
            : encodeTransactions(message.type, message.transactions);
      assert.deepEqual(again, bytes);
    }),
  );
});

test("batches keep order and both bounds, and lose nothing", () => {
  const limit = fc.record({ count: fc.integer({ min: 1, max: 5 }), bytes: fc.nat({ max: 30 }) });
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), limit, (sizes, bounds) => {
      const batches = batchesOf(sizes, (size) => size, bounds);
      assert.deepEqual(batches.flat(), sizes);
      for (const batch of batches) {
        const bytes = batch.reduce((sum, size) => sum + size, 0);
        assert.ok(batch.length >= 1 && batch.length <= bounds.count);
        assert.ok(batch.length === 1 || bytes <= bounds.bytes);
      }
    }),
  );
});

test("answers hold at most 1000 transactions and one megabyte each", () => {
  const small = encodeAnswers(Array.from({ length: 1_001 }, () => Uint8Array.of(1)));
  assert.equal(small.length, 2);
  const large = encodeAnswers([new Uint8Array(BATCH_BYTES_LIMIT), Uint8Array.of(1)]);
  assert.equal(large.length, 2);
  assert.deepEqual(encodeAnswers([]), []);
});

test("the targets are the connected sealers without the node itself", () => {
  assert.deepEqual(
    pushTargets([A, B, C], B, (peer) => peer !== C),
    [A],
  );
  assert.deepEqual(
    pushTargets([A, B], C, () => true),
    [A, B],
  );
});

test("fresh transactions go to all targets in one message", () => {
  const entries = [entry(1), entry(2)];
  assert.deepEqual(planPushes(entries, [A, B, C]), [{ to: [A, B, C], entries }]);
});

test("no node is sent what it is known to have", () => {
  const entries = [entry(1), entry(2, [B]), entry(3, [A, B, C]), entry(4), entry(5, [B])];
  const plan = planPushes(entries, [A, B, C]).map(({ to, entries: sent }) => ({
    to,
    ids: sent.map(({ id }) => id),
  }));
  assert.deepEqual(plan, [
    { to: [A, B, C], ids: [1, 4] },
    { to: [A, C], ids: [2, 5] },
  ]);
});

test("without targets nothing is sent", () => {
  assert.deepEqual(planPushes([entry(1)], []), []);
});

test("large transactions are spread over messages", () => {
  const half = BATCH_BYTES_LIMIT / 2;
  const plan = planPushes(
    [1, 2, 3].map((id) => entry(id, [], half)),
    [A],
  );
  assert.deepEqual(
    plan.map(({ entries }) => entries.length),
    [2, 1],
  );
});

test("each target gets each transaction it lacks exactly once", () => {
  const targets = [A, B, C];
  const known = fc.subarray(targets);
  fc.assert(
    fc.property(fc.array(known, { maxLength: 50 }), (lists) => {
      const entries = lists.map((knownBy, id) => entry(id, knownBy));
      const plan = planPushes(entries, targets);
      for (const target of targets) {
        const sent = plan.filter(({ to }) => to.includes(target)).flatMap((push) => push.entries);
        const wanted = entries.filter(({ knownBy }) => !knownBy.includes(target));
        assert.deepEqual(new Set(sent), new Set(wanted));
        assert.equal(sent.length, wanted.length);
      }
      assert.ok(plan.every((push) => push.entries.length <= BATCH_COUNT_LIMIT));
    }),
  );
});
