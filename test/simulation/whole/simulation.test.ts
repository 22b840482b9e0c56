/** Whole nodes in short: schedules, determinism, and broken things that must be noticed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeAll, test } from "vitest";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { runWholeRange } from "./batch.ts";
import { drawWholeOptions, WHOLE_MUTATIONS, type WholeMutation } from "./options.ts";
import { runWholeSchedule } from "./schedule.ts";
import { inFull } from "../../support/runner/in-full.ts";

/** Few that show much; `npm run simulate -- --whole` has many more. */
const SEEDS = [7, 4, 10];
const SIGHTS = [
  "raft",
  "crash",
  "lostWrites",
  "split 3-1",
  "oneWayCut",
  "roleChange",
  "generateGroup",
];
/**
 * From a seed on that shows it soon, within this many schedules, the broken thing shows, and how.
 */
const FOUND: readonly {
  readonly mutation: WholeMutation;
  readonly from?: number;
  readonly within: number;
  readonly text: RegExp;
}[] = [
  { mutation: "doubleVote", within: 2, text: /sign .* twice/ },
  { mutation: "unverifiedBlock", from: 5, within: 30, text: /FORK|with notSealer/ },
  { mutation: "lostEntry", within: 5, text: /LOST|FORK|twice/ },
  { mutation: "lostWord", from: 5, within: 5, text: /word/ },
  { mutation: "corruptState", from: 8, within: 3, text: /another state|executes to/ },
  { mutation: "staleLeader", from: 4, within: 5, text: /FORK/ },
  { mutation: "forgottenPromise", from: 2, within: 5, text: /twice|has forgotten/ },
  { mutation: "unnoticedBackup", from: 5, within: 10, text: /twice|FORK|LOST/ },
  { mutation: "noTimeBound", within: 3, text: /ahead of the time/ },
];

/** What came of a schedule, and a digest of its trace. */
async function traced(seed: number) {
  const hash = createHash("sha256");
  const write = (line: string) => void hash.update(`${line}\n`);
  const outcome = await runWholeSchedule(drawWholeOptions(seed), write);
  return { ...outcome, trace: hash.digest("hex") };
}

const first = new Map<number, Awaited<ReturnType<typeof traced>>>();
beforeAll(async () => {
  for (const seed of SEEDS) first.set(seed, await traced(seed));
});

test("schedules of whole nodes keep agreement and recover", () => {
  const seen = new Set<string>();
  for (const [seed, { failure, sights, consensus }] of first) {
    assert.equal(failure, undefined, `seed ${seed}`);
    for (const sight of [...sights.seen, consensus]) seen.add(sight);
  }
  for (const sight of SIGHTS) assert.ok(seen.has(sight), `no schedule saw ${sight}`);
});

// Changes of roles with crashes are in the seeds above; this one, with all cases.
inFull(
  "a former sealer and the one that follows it, each in the other's list only, find together",
  async () => {
    const { failure, sights, recoveryMs } = await runWholeSchedule(drawWholeOptions(3_001_556));
    assert.equal(failure, undefined);
    assert.ok(!sights.seen.has("groupOpened") && recoveryMs < 60_000, `${recoveryMs} ms`);
  },
);

// restored-observer.test.ts has sealers that are silent until an operator says a word.
inFull(
  "a sealer of Raft that lacks the blocks of all it knew says so, and operators can help",
  async () => {
    let told = 0;
    const outcome = await runWholeSchedule(drawWholeOptions(120, "raft"), (line) => {
      if (line.includes("the sealers that this node needs are silent")) told++;
    });
    assert.equal(outcome.failure, undefined);
    assert.ok(outcome.sights.seen.has("groupOpened") && told > 0, `told ${told} times`);
  },
);

test("a group that begins again with a block that its full disk took stands where it says", async () => {
  const { failure, sights } = await runWholeSchedule(drawWholeOptions(3_095_592));
  assert.equal(failure, undefined);
  assert.ok(sights.seen.has("fullAfterWrite"));
});

test("a schedule has 30 s of faults and 1,000 delivered messages, whatever its seed", () => {
  for (const [seed, { chaosMs, delivered }] of first)
    assert.ok(chaosMs >= 30_000 && delivered >= 1_000, `seed ${seed}: ${chaosMs}, ${delivered}`);
});

test("the same seed gives the same trace of whole nodes, byte for byte", async () => {
  assert.equal(new Set([...first.values()].map(({ trace }) => trace)).size, SEEDS.length);
  for (const seed of TAKES_ALL_CASES ? SEEDS : SEEDS.slice(-1))
    assert.equal((await traced(seed)).trace, first.get(seed)?.trace);
});

test("a reservation that fails and that no node looks after is noticed", async () => {
  const { failure } = await runWholeSchedule(drawWholeOptions(1), (line) => {
    if (line.endsWith("CALM")) void Promise.reject(new RangeError("left alone"));
  });
  assert.match(failure ?? "", /unhandled: RangeError: left alone/);
});

test("everything that can be broken is tried", () => {
  assert.deepEqual(
    FOUND.map(({ mutation }) => mutation),
    [...WHOLE_MUTATIONS],
  );
});

for (const { mutation, from = 1, within, text } of FOUND) {
  test(`the broken thing "${mutation}" is noticed within ${within} schedules`, async () => {
    const range = {
      partial: false,
      from,
      count: within,
      protocol: undefined,
      mutation,
    };
    assert.match((await runWholeRange(range)).failure?.text ?? "", text);
  });
}
