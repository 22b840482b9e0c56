/** Messages of block sync are decoded by total, strict functions. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import { headerHash } from "../../../core/model/header.ts";
import { encodeBlockMessage } from "../../../core/sync/block-exchange.ts";
import {
  decodeSyncBlock,
  decodeSyncMessage,
  encodeSyncBlock,
  encodeSyncMessage,
  isSyncMessage,
  openSyncBlock,
  SHARD_LIMIT,
  type SyncMessage,
} from "../../../core/sync/sync-message.ts";
import { cases } from "../../support/runner/cases.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../support/world/pool-builders.ts";
import { proposalHeader } from "../../support/world/proposals.ts";
import { STANDARD_SUITE as suite } from "../../support/suites.ts";

const PARTS = {
  header: proposalHeader({ number: 9, sealerList: [nodeIdOfNumber(3), nodeIdOfNumber(4)] }),
  seals: [{ index: 1, signature: new Uint8Array(65).fill(7) }],
  transactions: [new Uint8Array(40).fill(1), new Uint8Array(50).fill(2)],
};
const BLOCK = encodeSyncBlock(PARTS);
const MESSAGES: readonly SyncMessage[] = [
  { type: "status", number: 12, genesisHash: hashOfNumber(1), latestHash: hashOfNumber(2) },
  {
    type: "status",
    number: 12,
    genesisHash: hashOfNumber(1),
    latestHash: hashOfNumber(2),
    time: 1_700_000_000_000,
  },
  ...[0, 3, 255].map((voting) => ({
    type: "status" as const,
    number: 12,
    genesisHash: hashOfNumber(1),
    latestHash: hashOfNumber(2),
    time: 1_700_000_000_000,
    voting,
  })),
  { type: "requestRange", from: 1, count: 32 },
  { type: "blocks", blocks: [BLOCK, BLOCK] },
];

// rules: sync 1
for (const message of MESSAGES) {
  const clock = "time" in message ? " with a clock" : "";
  const name = `${message.type}${clock}${"voting" in message ? ` and vote ${message.voting}` : ""}`;
  test(`a ${name} comes back as it was`, () => {
    const bytes = encodeSyncMessage(message);
    assert.deepEqual(decodeSyncMessage(bytes), message);
    assert.ok(isSyncMessage(bytes));
  });

  test(`a ${name} that is cut or followed by anything is malformed`, () => {
    const bytes = encodeSyncMessage(message);
    assert.equal(decodeSyncMessage(bytes.slice(0, -1)), undefined);
    assert.equal(decodeSyncMessage(Uint8Array.of(...bytes, 0)), undefined);
  });
}

const MALFORMED = [
  { name: "a status of two items", items: [16, 1] },
  { name: "a status with a short hash", items: [16, 1, new Uint8Array(31), new Uint8Array(32)] },
  {
    name: "a status with a vote beyond a byte",
    items: [16, 1, new Uint8Array(32), new Uint8Array(32), 1, 256],
  },
  {
    name: "a status with a vote that has a leading zero",
    items: [16, 1, new Uint8Array(32), new Uint8Array(32), 1, Uint8Array.of(0, 1)],
  },
  {
    name: "a status with a word too much",
    items: [16, 1, new Uint8Array(32), new Uint8Array(32), 1, 1, 1],
  },
  { name: "a range from block 0", items: [17, 0, 1] },
  { name: "a range of no blocks", items: [17, 1, 0] },
  { name: "a range of too many blocks", items: [17, 1, SHARD_LIMIT + 1] },
  { name: "a range beyond the safe integers", items: [17, Number.MAX_SAFE_INTEGER, 2] },
  { name: "a packet of no blocks", items: [18, []] },
  { name: "a packet of too many blocks", items: [18, Array(SHARD_LIMIT + 1).fill(BLOCK)] },
  { name: "an unknown type", items: [19, 1] },
];
for (const { name, items } of MALFORMED) {
  test(`${name} is malformed`, () => assert.equal(decodeSyncMessage(encodeRlp(items)), undefined));
}

test("messages of block exchange are none of block sync, and the other way round", () => {
  const question = encodeBlockMessage({ type: "requestBody", proposal: hashOfNumber(16) });
  assert.ok(!isSyncMessage(question));
  assert.ok(!isSyncMessage(new Uint8Array(0)));
});

test("a block comes back as it was, and its facts are those of its header", () => {
  assert.deepEqual(decodeSyncBlock(BLOCK), PARTS);
  const { number, parentHash, sealerList } = PARTS.header;
  assert.deepEqual(openSyncBlock(BLOCK, suite), {
    number,
    hash: headerHash(PARTS.header, suite),
    parentHash,
    sealers: sealerList,
    bytes: BLOCK,
  });
});

test("an opened block does not keep its packet in memory", () => {
  const packet = encodeSyncMessage({ type: "blocks", blocks: [BLOCK, BLOCK] });
  const message = decodeSyncMessage(packet);
  const [first] = message?.type === "blocks" ? message.blocks : [];
  assert.ok(first);
  assert.equal(openSyncBlock(first, suite)?.bytes.buffer.byteLength, BLOCK.length);
});

test("random and mutated bytes never throw", () => {
  const wholes = MESSAGES.map(encodeSyncMessage);
  const mutated = fc
    .tuple(fc.constantFrom(...wholes, BLOCK), fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([bytes, at, value]) => bytes.with(at % bytes.length, value));
  const input = fc.oneof(mutated, fc.uint8Array({ maxLength: 100 }));
  fc.assert(
    fc.property(input, (bytes) => {
      decodeSyncMessage(bytes);
      isSyncMessage(bytes);
      decodeSyncBlock(bytes);
      openSyncBlock(bytes, suite);
    }),
    { numRuns: cases(500) },
  );
});
