/** What a group of four processes owes when nodes are killed, whatever its consensus. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { sleep } from "../../support/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../support/node-processes.ts";
import {
  type Consensus,
  requireReceipts,
  requireSameChain,
  send,
  sendAndSee,
  specialIndex,
} from "../../support/process-checks.ts";

const LIMIT_MS = 180_000;
/** Longer than a few rounds of a group that has its quorum. */
const NO_PROGRESS_MS = 6_000;
const PAUSE_MS = 100;
const EQUAL_MS = 60_000;

/** The node that is killed, a leader if there is a lasting one, and the others. */
async function choose(nodes: readonly NodeProcess[]) {
  const special = nodes[await specialIndex(nodes)];
  const others = nodes.filter((node) => node !== special);
  const [first, second, third] = others;
  assert.ok(special && first && second && third);
  return { special, others, first, second, third };
}

/** Declares the tests, which share one chain. */
export function testKills(consensus: Consensus): void {
  let chain: ProcessChain;
  beforeAll(async () => {
    const groups = `1:${consensus}`;
    chain = await initProcessChain({ nodes: 4, groups, pauseMs: PAUSE_MS });
    await Promise.all(chain.nodes.map((node) => node.start()));
  }, LIMIT_MS);
  afterAll(() => chain?.close());

  const recovery = "three of four go on after kill -9, and the fourth catches up";
  test(recovery, { timeout: LIMIT_MS }, async () => {
    const { nodes } = chain;
    for (const node of nodes) await sendAndSee(node, nodes);
    const { special, others, first } = await choose(nodes);
    await special.end("SIGKILL");
    for (let i = 0; i < 6; i++) await sendAndSee(others[i % 3] ?? first, others);
    const head = await requireSameChain(others, 10);
    await special.start();
    await requireSameChain(nodes, head);
    await sendAndSee(special, nodes);
  });

  const standstill = "two of four make no block and lose nothing; a third brings progress";
  test(standstill, { timeout: LIMIT_MS }, async () => {
    const { nodes } = chain;
    const { special, first, second, third } = await choose(nodes);
    await sendAndSee(special, nodes);
    const before = await untilEqual(nodes, 1, EQUAL_MS);
    await Promise.all([first.end("SIGKILL"), second.end("SIGKILL")]);
    const hash = await send(special);
    await sleep(NO_PROGRESS_MS);
    assert.deepEqual([await special.blockNumber(), await third.blockNumber()], [before, before]);
    await first.start();
    await requireReceipts([hash], [special, third, first]);
    await second.start();
    await requireSameChain(nodes, before + 1);
  });
}
