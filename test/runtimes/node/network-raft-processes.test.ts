/**
 * A Raft group of four processes over TCP: its leader is killed, too few nodes, and back. What a
 * PBFT group owes then is seen in network-rounds and network-cuts.
 */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../support/node-processes.ts";
import {
  requireReceipts,
  requireSameChain,
  send,
  sendAndSee,
  specialIndex,
  untilInVain,
} from "../../support/process-checks.ts";

const PAUSE_MS = 100;
const EQUAL_MS = 240_000;

/** The node that is killed, a leader if there is a lasting one, and the others. */
async function choose(nodes: readonly NodeProcess[]) {
  const special = nodes[await specialIndex(nodes)];
  const others = nodes.filter((node) => node !== special);
  const [first, second, third] = others;
  assert.ok(special && first && second && third);
  return { special, others, first, second, third };
}

let chain: ProcessChain;
beforeAll(async () => {
  chain = await initProcessChain({
    nodes: 4,
    groups: "1:raft",
    metrics: true,
    pauseMs: PAUSE_MS,
  });
  await Promise.all(chain.nodes.map((node) => node.start()));
});
afterAll(() => chain?.close());

const recovery = "three of four go on after kill -9, and the fourth catches up";
test(recovery, async () => {
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
test(standstill, async () => {
  const { nodes } = chain;
  const { special, first, second, third } = await choose(nodes);
  await sendAndSee(special, nodes);
  const before = await untilEqual(nodes, 1, EQUAL_MS);
  await Promise.all([first.end("SIGKILL"), second.end("SIGKILL")]);
  const hash = await send(special);
  await untilInVain([special, third]);
  assert.deepEqual([await special.blockNumber(), await third.blockNumber()], [before, before]);
  await first.start();
  await requireReceipts([hash], [special, third, first]);
  await second.start();
  await requireSameChain(nodes, before + 1);
});
