/** What the protocols may send is what the network carries. */
// rules: node-network 3
import assert from "node:assert/strict";
import { test } from "vitest";
import { CLASS_LIMITS, CLASSES } from "../../../core/network/classes.ts";
import { CONSENSUS_MESSAGE_LIMIT } from "../../../core/node/consensus/consensus-wire.ts";
import { PROPOSAL_BYTES_LIMIT } from "../../../core/node/proposals/proposal-cache.ts";
import { BLOCK_MESSAGE_LIMIT } from "../../../core/sync/block-exchange.ts";
import { BATCH_BYTES_LIMIT, MESSAGE_BYTES_LIMIT } from "../../../core/sync/gossip.ts";

test("no message of a protocol is too long for its class", () => {
  const { consensus, transactions, blocks } = CLASS_LIMITS;
  assert.ok(consensus.messageBytes >= CONSENSUS_MESSAGE_LIMIT);
  assert.ok(transactions.messageBytes >= MESSAGE_BYTES_LIMIT);
  assert.ok(transactions.messageBytes > BATCH_BYTES_LIMIT);
  assert.ok(blocks.messageBytes >= BLOCK_MESSAGE_LIMIT);
  assert.ok(blocks.messageBytes > PROPOSAL_BYTES_LIMIT);
});

for (const kind of CLASSES) {
  test(`a queue of class ${kind} has room for its longest message`, () => {
    const { messageBytes, queueBytes } = CLASS_LIMITS[kind];
    assert.ok(queueBytes >= messageBytes);
  });
}
