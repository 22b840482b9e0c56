/**
 * A killed chain: the built program under load, SIGKILL at random moments. `npm run soak -- kill`
 * does more of it.
 */
// rules: pbft 16.2, storage 13
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { runKills } from "../../../support/process/kill-chain.ts";

const KILLS = 1;
/** Some blocks. */
const LONGEST_RUN_MS = 800;

test("a chain that is killed under load keeps every block that it served and goes on", async () => {
  const suite = await createNodeSuite();
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const sights = await runKills({
    suite,
    kills: KILLS,
    seed: 1,
    say,
    longestRunMs: LONGEST_RUN_MS,
  });
  process.stdout.write(`${lines.join("\n")}\n${JSON.stringify(sights)}\n`);
  assert.equal(sights.kills, KILLS);
});
