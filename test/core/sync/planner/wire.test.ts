/** Messages become inputs; what does not decode becomes an offence of its sender. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import { readSyncNews } from "../../../../core/sync/planner/wire.ts";
import {
  encodeSyncBlock,
  encodeSyncMessage,
  openSyncBlock,
} from "../../../../core/sync/sync-message.ts";
import { proposalHeader } from "../../../support/world/proposals.ts";
import { trueHash } from "./chain.ts";
import { PEERS } from "./driver.ts";

const [FROM] = PEERS;
const suite = STANDARD_SUITE;

// rules: sync 1
test("a status, a request and a packet become inputs", () => {
  const status = { number: 7, genesisHash: trueHash(0), latestHash: trueHash(7) };
  const read = (message: Parameters<typeof encodeSyncMessage>[0]) =>
    readSyncNews(FROM, encodeSyncMessage(message), suite);
  assert.deepEqual(read({ type: "status", ...status }), { type: "status", from: FROM, status });
  assert.deepEqual(read({ type: "requestRange", from: 4, count: 9 }), {
    type: "requestRange",
    from: FROM,
    first: 4,
    count: 9,
  });
  const header = proposalHeader({ number: 3 });
  const bytes = encodeSyncBlock({ header, seals: [], transactions: [Uint8Array.of(1)] });
  const blocks = [openSyncBlock(bytes, suite)];
  assert.deepEqual(read({ type: "blocks", blocks: [bytes] }), {
    type: "blocks",
    from: FROM,
    blocks,
  });
});

test("bytes that are no message, and packets with a block that is none, are malformed", () => {
  const malformed = { type: "malformed", from: FROM };
  assert.deepEqual(readSyncNews(FROM, Uint8Array.of(1, 2, 3), suite), malformed);
  const packet = encodeSyncMessage({ type: "blocks", blocks: [Uint8Array.of(0xc0)] });
  assert.deepEqual(readSyncNews(FROM, packet, suite), malformed);
});
