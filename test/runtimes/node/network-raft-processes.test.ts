/**
 * A Raft group over TCP whose leader is killed and comes back. Too few nodes and back again is seen
 * in network-raft-cuts, what a PBFT group owes then in network-rounds and network-cuts.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { initProcessChain } from "../../support/node-processes.ts";
import {
  requireSameChain,
  sendAndSee,
  specialIndex,
  untilConnected,
} from "../../support/process-checks.ts";

const PAUSE_MS = 100;

test("two of three go on after kill -9 of their leader, which catches up", async () => {
  const options = { nodes: 3, groups: "1:raft", pauseMs: PAUSE_MS };
  const chain = await initProcessChain({ ...options, hosted: 1 });
  try {
    const { nodes } = chain;
    const [one, two, hosted] = nodes;
    assert.ok(one && two && hosted);
    // One of these becomes the leader before the third is there: only a process can be killed.
    const mortal = [one, two];
    await Promise.all(mortal.map((node) => node.start()));
    await specialIndex(mortal);
    await hosted.start();
    await untilConnected(nodes);
    for (const node of nodes) await sendAndSee(node, nodes);
    let leader = nodes[await specialIndex(nodes)];
    while (leader === hosted) {
      await hosted.end("SIGTERM");
      await specialIndex(mortal);
      await hosted.start();
      await untilConnected(nodes);
      leader = nodes[await specialIndex(nodes)];
    }
    assert.ok(leader);
    const others = nodes.filter((node) => node !== leader);
    await leader.end("SIGKILL");
    for (const node of [...others, ...others]) await sendAndSee(node, others);
    const head = await requireSameChain(others, nodes.length + 4);
    await leader.start();
    await requireSameChain(nodes, head);
    await sendAndSee(leader, nodes);
  } finally {
    await chain.close();
  }
});
