/** Blocks and bodies that arrive: from whom they are taken, and when. */
// rules: pbft 16.3.9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { BlockService } from "../../../core/node/block-service.ts";
import { Intake } from "../../../core/node/intake.ts";
import { ProposalBook } from "../../../core/node/proposal-book.ts";
import { encodeBlockMessage } from "../../../core/sync/block-exchange.ts";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import { createNodeClock } from "../../../runtimes/node/clock.ts";
import { createInlineCompute } from "../../../runtimes/shared/inline-compute.ts";
import { createMemoryHub } from "../../../runtimes/shared/memory-network.ts";
import { nodeLife } from "../../support/node-life.ts";
import { nodeIdOfNumber } from "../../support/pool-builders.ts";

const suite = await createNodeSuite();
const [SELF, SLOW, QUICK, STRANGER] = [1, 2, 3, 4].map(nodeIdOfNumber) as [
  NodeId,
  NodeId,
  NodeId,
  NodeId,
];
const later = (run: () => void) => void setImmediate(run);

/** The first block of a chain, as a peer sends it, and the ledger that holds it. */
async function firstBlock(): Promise<{ ledger: Ledger; bytes: Uint8Array }> {
  const { node, submit, nextBlock } = nodeLife({ suite });
  await node.start();
  const written = nextBlock();
  assert.equal((await submit()).ok, true);
  const hash = await written;
  const ledger = node.api.group(1)?.ledger as Ledger;
  const stored = await ledger.header(hash);
  const body = await ledger.rawBody(hash);
  assert.ok(stored && body);
  const { header, seals } = stored;
  const { transactions } = body;
  const bytes = encodeBlockMessage({ type: "block", header, seals, transactions });
  await node.stop();
  return { ledger, bytes };
}

function serviceWith(ledger: Ledger) {
  const blocks: NodeId[] = [];
  const compute = createInlineCompute(suite, { schedule: later });
  const peer = { endpoint: "127.0.0.1:1", agency: "test", node: "node", topics: [] };
  const service = new BlockService({
    groupId: 1,
    suite,
    ledger,
    book: new ProposalBook({ suite, version: NEWEST_VERSION }),
    intake: new Intake({ suite, compute }),
    compute,
    network: createMemoryHub({ schedule: later }).join(SELF, peer),
    clock: createNodeClock(),
    onComplete: () => undefined,
    onBlock: (from) => blocks.push(from),
    onRejected: (_, reason) => assert.fail(reason),
    onError: (cause) => assert.fail(String(cause)),
  });
  return { service, blocks };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("a block that took long is taken although another peer was asked meanwhile, each answer once", async () => {
  const { ledger, bytes } = await firstBlock();
  const { service, blocks } = serviceWith(ledger);
  service.requestBlock(1, SLOW);
  service.requestBlock(1, QUICK);
  service.onMessage(STRANGER, bytes);
  service.onMessage(SLOW, bytes);
  service.onMessage(SLOW, bytes);
  await settled();
  assert.deepEqual(blocks, [SLOW]);
  service.requestBlock(2, QUICK);
  service.onMessage(QUICK, bytes);
  await settled();
  assert.deepEqual(blocks, [SLOW], "what is below the height wanted now is not looked at");
});
