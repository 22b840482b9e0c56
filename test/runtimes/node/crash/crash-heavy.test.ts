/** Work at its bound on the built program: `npm run soak -- heavy` is the full one. */
// rules: execution 4, pbft 16.3.8
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { runHeavy } from "../../../support/process/heavy-load.ts";

const GAS_LIMIT = 60_000_000;
const LIMIT_MS = 240_000;
/** Other tests run in parallel: the soak, which has the machine to itself, allows none. */
const SLOW_SHARE = 0.03;

test("two transactions that burn all they may and twenty others are committed while reads are answered", async () => {
  const suite = await createNodeSuite();
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const counts = { heavy: 2, ordinary: 20, gasLimit: GAS_LIMIT };
  // The best of some tries: others may use the machine.
  for (let left = 2; ; left--) {
    const sights = await runHeavy({ suite, ...counts, limitMs: LIMIT_MS, say });
    process.stdout.write(`${lines.splice(0).join("\n")}\n${JSON.stringify(sights)}\n`);
    const { slowReads, reads, longestReadMs } = sights;
    if (slowReads <= SLOW_SHARE * reads) break;
    assert.ok(left > 0, `${slowReads} of ${reads}, up to ${longestReadMs} ms`);
  }
});
