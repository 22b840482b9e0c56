/** How long the main thread works at a stretch. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { collectingIn, RecentMost, turnOf } from "../../../../runtimes/node/observe/turn-watch.ts";

const TABLE = [
  { what: "work", passed: 90, cpu: 88, collecting: 0, turn: 80 },
  { what: "a thread that was not let run", passed: 500, cpu: 12, collecting: 0, turn: 12 },
  { what: "a pause of the collector", passed: 200, cpu: 190, collecting: 170, turn: 20 },
  { what: "nothing", passed: 10, cpu: 1, collecting: 0, turn: 0 },
] as const;

for (const { what, turn, passed, cpu, collecting } of TABLE) {
  test(`${what} counts as ${turn} ms`, () => {
    assert.equal(turnOf(passed, cpu, collecting), turn);
  });
}

test("a pause counts for the stretch in which it began, whenever it is told", () => {
  const pauses = [
    { startTime: 5, duration: 3 },
    { startTime: 12, duration: 60 },
    { startTime: 75, duration: 2 },
  ];
  assert.equal(collectingIn(pauses, 0, 10), 3);
  assert.equal(collectingIn(pauses, 10, 75), 60);
  assert.equal(collectingIn(pauses, 75, 90), 2);
});

test("the longest of the last minute is forgotten by time, not by being asked for", () => {
  const recent = new RecentMost();
  recent.note(80, 1_000);
  recent.note(20, 15_000);
  assert.deepEqual([recent.at(15_000), recent.at(15_000), recent.at(59_000)], [80, 80, 80]);
  assert.equal(recent.at(60_000), 20);
  assert.equal(recent.at(200_000), 0);
});
