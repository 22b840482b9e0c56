/** What the first screen says of groups that do not run. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { groupLines } from "../../../../runtimes/node/process/group-report.ts";

const screen = (running: number[], ...causes: string[]): string =>
  groupLines({
    running,
    failed: causes.map((cause, index) => ({ groupId: index + 2, cause })),
    down: [],
  }).join("\n");

test("a group that is being repaired needs nobody", () => {
  const text = screen([], "repairing: at block 3 of 9; 000005.ldb is damaged");
  assert.match(text, /^groups {3}none runs\nFAILED {3}group 2: repairing: at block 3 of 9/);
  assert.match(text, /then it starts by itself: see chain-node status$/);
  assert.doesNotMatch(text, /restart this node/);
});

test("a group that failed needs somebody, one that was never made is explained", () => {
  const text = screen([1], "no space is left on the disk");
  assert.match(text, /^groups {3}1\nFAILED {3}group 2: no space .*\n +repair what failed, then/);
  assert.doesNotMatch(text, /by itself/);
  assert.match(screen([], "repairing", "no space"), /by itself.*\n.*restart this node/);
  assert.equal(screen([]), "groups   none runs; generateGroup and startGroup make and start one");
});
