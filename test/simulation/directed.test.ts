/**
 * Faults that random schedules hardly meet: each is planted in the source, and must show in the
 * schedule that leads to it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { type Fault, loadMutant } from "../support/runner/mutant-module.ts";
import { ROOT } from "../support/runner/root.ts";
import { type DIRECTED, runDirected } from "./directed.ts";

// rules: pbft 16.3.2, pbft 16.3.4, pbft 16.3.5, pbft 16.4

type Schedule = keyof typeof DIRECTED;

const ENTRY = join(ROOT, "test", "simulation", "directed.ts");
/** What each schedule must have seen, or it shows nothing. */
const SEEN: Readonly<Record<Schedule, readonly string[]>> = {
  twoLocks: ["twoLocks"],
  otherCommits: ["otherResults"],
  otherSigns: ["otherResults", "viewChange"],
};
const VOTES = "core/consensus/pbft/vote.ts";
const FAULTS: readonly (Fault & { name: string; schedule: Schedule; text: RegExp })[] = [
  {
    name: "the lowest lock of a justification is taken",
    file: "core/consensus/pbft/justification.ts",
    find: `lock.view < best.view)) continue;
    // Of locks of one view the one that shows its certificate: the others were stripped.
    if (!best || lock.view > best.view`,
    replace: "lock.view > best.view)) continue;\nif (!best || lock.view < best.view",
    schedule: "twoLocks",
    text: /FORK at height 1/,
  },
  {
    name: "votes count whatever result they name",
    file: VOTES,
    find: "vote.proposal === claim.proposal && vote.executed === claim.executed",
    replace: "vote.proposal === claim.proposal",
    schedule: "otherCommits",
    text: /stops: executionDiffers/,
  },
  {
    name: "commit votes count whatever result they name",
    file: VOTES,
    find: "agreeing(commits.get(claim.view)?.values() ?? [], claim)",
    replace: `[...(commits.get(claim.view)?.values() ?? [])]
      .filter((vote) => vote.proposal === claim.proposal)`,
    schedule: "otherCommits",
    text: /writes a block with notSealer/,
  },
  {
    name: "sign votes count whatever result they name",
    file: VOTES,
    find: "agreeing(state.signs.values(), result)",
    replace: "[...state.signs.values()].filter((vote) => vote.proposal === result.proposal)",
    schedule: "otherSigns",
    text: /claims a lock that is not certified/,
  },
];

for (const schedule of Object.keys(SEEN) as Schedule[]) {
  test(`the schedule ${schedule} keeps agreement and recovers`, () => {
    const { failure, sights } = runDirected(schedule);
    assert.equal(failure, undefined);
    for (const sight of SEEN[schedule]) assert.ok(sights.seen.has(sight), sight);
  });
}

for (const { name, schedule, text, ...fault } of FAULTS) {
  test(`in the schedule ${schedule} it shows that ${name}`, async () => {
    const mutant = await loadMutant<typeof import("./directed.ts")>(ENTRY, fault);
    assert.match(mutant.runDirected(schedule).failure ?? "", text);
  });
}
