/** kill -9 of one, two and all of four processes under load; `npm run soak -- rounds` does more. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import { Random } from "../../simulation/random.ts";
import { killFault, runFaultRounds } from "../../support/fault-rounds.ts";
import { initProcessChain } from "../../support/node-processes.ts";
import { untilConnected } from "../../support/process-checks.ts";
import { CALM } from "../../support/told-clients.ts";

const KILLS = [1, 2, 4];
const PAUSE_MS = 100;
const SEED = 1;

test("what nodes told under load holds after kill -9 of one, two and all four", async () => {
  const suite = await createNodeSuite();
  const chain = await initProcessChain({ nodes: 4, pauseMs: PAUSE_MS });
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  try {
    const { nodes } = chain;
    await Promise.all(nodes.map((node) => node.start()));
    await untilConnected(nodes);
    const random = new Random(SEED);
    const faults = KILLS.map((count) => () => killFault(nodes, count, random));
    const sights = await runFaultRounds({ suite, pace: CALM, nodes, faults, random, say });
    assert.equal(sights.rounds, KILLS.length);
    assert.ok(sights.served > 0, lines.join("\n"));
  } finally {
    await chain.close();
  }
});
