/**
 * A Raft group over TCP whose leader is killed and comes back. Too few nodes and back again is seen
 * in network-raft-cuts, what a PBFT group owes then in network-rounds and network-cuts.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { initProcessChain } from "../../../support/process/node-processes.ts";
import {
  requireSameChain,
  sendAndSee,
  specialIndex,
  untilConnected,
} from "../../../support/process/process-checks.ts";

const PAUSE_MS = 100;

test("two of three go on after kill -9 of their leader, which catches up", async () => {
  const options = { nodes: 3, groups: "1:raft", pauseMs: PAUSE_MS };
  const chain = await initProcessChain({ ...options, hosted: 2 });
  try {
    const { nodes } = chain;
    const [mortal, ...others] = nodes;
    const [second, third] = others;
    assert.ok(mortal && second && third);
    // Only a process can be killed: it must lead. Who lacks a block is not elected.
    await Promise.all([mortal.start(), second.start()]);
    await sendAndSee(mortal, [mortal, second]);
    await second.end("SIGTERM");
    await third.start();
    await specialIndex([mortal, third]);
    await second.start();
    await untilConnected(nodes);
    for (const node of nodes) await sendAndSee(node, nodes);
    for (;;) {
      const leader = nodes[await specialIndex(nodes)];
      assert.ok(leader);
      if (leader === mortal) break;
      await leader.end("SIGTERM");
      await specialIndex(nodes.filter((node) => node !== leader));
      await leader.start();
      await untilConnected(nodes);
    }
    await mortal.end("SIGKILL");
    for (const node of [...others, ...others]) await sendAndSee(node, others);
    const head = await requireSameChain(others, nodes.length + 5);
    await mortal.start();
    await requireSameChain(nodes, head);
    await sendAndSee(mortal, nodes);
  } finally {
    await chain.close();
  }
});
