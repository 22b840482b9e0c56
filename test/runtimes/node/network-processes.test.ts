/** Four nodes as processes over TCP: transactions, kill -9, too few nodes, and back. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { ask, request, sleep, waitForReceipt } from "../../support/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../support/node-processes.ts";
import { createSender } from "../../support/sender.ts";

const LIMIT_MS = 60_000;
/** Longer than a few rounds of a group that has its quorum. */
const NO_PROGRESS_MS = 6_000;

const sign = createSender(createStandardSuite());

/** Sends through a node and waits until the given nodes have the receipt in the same block. */
async function sendAndSee(through: NodeProcess, seenBy: readonly NodeProcess[]): Promise<void> {
  const { raw, hash } = sign({ head: await through.blockNumber() });
  await request(through.url, "sendRawTransaction", [1, raw]);
  const receipts = await Promise.all(seenBy.map(({ url }) => waitForReceipt(url, hash, LIMIT_MS)));
  assert.equal(new Set(receipts.map(({ blockHash }) => blockHash)).size, 1);
}

async function requireSameHead(nodes: readonly NodeProcess[], least: number): Promise<number> {
  const number = await untilEqual(nodes, least, LIMIT_MS);
  const headers = await Promise.all(
    nodes.map(({ url }) => request(url, "getBlockByNumber", [1, `${number}`, false])),
  );
  const facts = headers.map((block) => {
    const { hash, stateRoot } = block as { hash: string; stateRoot: string };
    return `${hash} ${stateRoot}`;
  });
  assert.equal(new Set(facts).size, 1, facts.join("\n"));
  return number;
}

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
    const head = await requireSameHead(others, 10);
    await last.start();
    await requireSameHead(nodes, head);
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
    const { raw, hash } = sign({ head: before });
    assert.equal((await ask(first.url, "sendRawTransaction", [1, raw])).error, undefined);
    await sleep(NO_PROGRESS_MS);
    assert.deepEqual([await first.blockNumber(), await second.blockNumber()], [before, before]);
    await third.start();
    const three = [first, second, third];
    await Promise.all(three.map(({ url }) => waitForReceipt(url, hash, LIMIT_MS)));
    await fourth.start();
    await requireSameHead(nodes, before + 1);
  });
}, 180_000);
