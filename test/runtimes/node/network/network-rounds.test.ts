/**
 * kill -9 of one of four nodes under load; `npm run soak -- rounds` does more: it kills two, and
 * all four, as crash-kill does it to a chain of one process. Two without the other two are halves
 * of a split in network-cuts.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { Random } from "../../../simulation/random.ts";
import { killFault, runFaultRounds } from "../../../support/process/fault-rounds.ts";
import { initProcessChain } from "../../../support/process/node-processes.ts";
import { untilConnected } from "../../../support/process/process-checks.ts";
import { CALM } from "../../../support/process/told-clients.ts";

const KILLS = [1];
/** This many nodes are processes, which can be killed. */
const MORTAL = 1;
const PAUSE_MS = 100;
/** Some blocks. */
const LONGEST_LOAD_MS = 800;
const SEED = 1;

test("what nodes reported under load holds after kill -9 of one of four", async () => {
  const suite = await createNodeSuite();
  const chain = await initProcessChain({ nodes: 4, pauseMs: PAUSE_MS, hosted: 4 - MORTAL });
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  try {
    const { nodes } = chain;
    await Promise.all(nodes.map((node) => node.start()));
    await untilConnected(nodes);
    const random = new Random(SEED);
    const faults = KILLS.map((count) => () => killFault(nodes.slice(0, MORTAL), count, random));
    const sights = await runFaultRounds({
      suite,
      pace: CALM,
      nodes,
      faults,
      random,
      say,
      longestLoadMs: LONGEST_LOAD_MS,
    });
    assert.equal(sights.rounds, KILLS.length);
    assert.ok(sights.served > 0, lines.join("\n"));
  } finally {
    await chain.close();
  }
});
