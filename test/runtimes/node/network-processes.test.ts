/** Four nodes as processes over TCP: transactions, kill -9, too few nodes, and back. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { sleep } from "../../support/dev-process.ts";
import { initProcessChain, type ProcessChain } from "../../support/node-processes.ts";
import {
  requireReceipts,
  requireSameChain,
  send,
  sendAndSee,
} from "../../support/process-checks.ts";

/** Longer than a few rounds of a group that has its quorum. */
const NO_PROGRESS_MS = 6_000;

async function withChain(work: (chain: ProcessChain) => Promise<void>): Promise<void> {
  const chain = await initProcessChain({ nodes: 4 });
  try {
    await Promise.all(chain.nodes.map((node) => node.start()));
    await work(chain);
  } finally {
    await chain.close();
  }
}

test("three of four go on after kill -9, and the fourth catches up", async () => {
  await withChain(async ({ nodes }) => {
    const [first, , , last] = nodes;
    assert.ok(first && last);
    for (const node of nodes) await sendAndSee(node, nodes);
    await last.end("SIGKILL");
    const others = nodes.slice(0, 3);
    for (let i = 0; i < 6; i++) await sendAndSee(others[i % 3] ?? first, others);
    const head = await requireSameChain(others, 10);
    await last.start();
    await requireSameChain(nodes, head);
    await sendAndSee(last, nodes);
  });
}, 180_000);

test("two of four make no block and lose nothing; a third brings progress", async () => {
  await withChain(async ({ nodes }) => {
    const [first, second, third, fourth] = nodes;
    assert.ok(first && second && third && fourth);
    await sendAndSee(first, nodes);
    await Promise.all([third.end("SIGKILL"), fourth.end("SIGKILL")]);
    const before = await first.blockNumber();
    const hash = await send(first);
    await sleep(NO_PROGRESS_MS);
    assert.deepEqual([await first.blockNumber(), await second.blockNumber()], [before, before]);
    await third.start();
    await requireReceipts([hash], [first, second, third]);
    await fourth.start();
    await requireSameChain(nodes, before + 1);
  });
}, 180_000);
