/** Whole nodes in short: schedules, determinism, and broken things that must be noticed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "vitest";
import { runWholeRange } from "./batch.ts";
import { drawWholeOptions, WHOLE_MUTATIONS, type WholeMutation } from "./options.ts";
import { runWholeSchedule } from "./schedule.ts";

/** `npm run simulate -- --whole` has many more. */
const SEEDS = 10;
/** Within so many schedules the broken thing shows, and how. */
const FOUND: readonly {
  readonly mutation: WholeMutation;
  readonly within: number;
  readonly text: RegExp;
}[] = [
  { mutation: "doubleVote", within: 2, text: /sign .* twice/ },
  { mutation: "unverifiedBlock", within: 30, text: /FORK|with notSealer/ },
  { mutation: "lostEntry", within: 5, text: /LOST|FORK|twice/ },
  { mutation: "lostWord", within: 5, text: /word/ },
  { mutation: "corruptState", within: 3, text: /another state|executes to/ },
  { mutation: "staleLeader", within: 5, text: /FORK/ },
  { mutation: "forgottenPromise", within: 5, text: /twice|has forgotten/ },
  { mutation: "unnoticedBackup", within: 10, text: /twice|FORK|LOST/ },
];

test(`${SEEDS} schedules of whole nodes keep agreement and recover`, async () => {
  const range = { from: 1, count: SEEDS, protocol: undefined, mutation: undefined };
  const { totals, failure } = await runWholeRange(range);
  assert.equal(failure, undefined);
  assert.equal(totals.schedules, SEEDS);
  for (const sight of ["raft", "crash", "lostWrites", "split 3-1", "roleChange", "generateGroup"])
    assert.ok((totals.seen[sight] ?? 0) > 0, `no schedule saw ${sight}`);
});

test("a former sealer and the one that follows it, each in the other's list only, find together", async () => {
  const { failure, sights, recoveryMs } = await runWholeSchedule(drawWholeOptions(3_001_556));
  assert.equal(failure, undefined);
  assert.ok(!sights.seen.has("groupOpened") && recoveryMs < 60_000, `${recoveryMs} ms`);
});

test("a sealer of Raft that lacks the blocks of all it knew says so, and operators can help", async () => {
  let told = 0;
  const outcome = await runWholeSchedule(drawWholeOptions(216, "raft"), (line) => {
    if (line.includes("the sealers that this node needs are silent")) told++;
  });
  assert.equal(outcome.failure, undefined);
  assert.ok(outcome.sights.seen.has("groupOpened") && told > 0, `told ${told} times`);
});

test("a group that begins again with a block that its full disk took stands where it says", async () => {
  const { failure, sights } = await runWholeSchedule(drawWholeOptions(3_095_592));
  assert.equal(failure, undefined);
  assert.ok(sights.seen.has("fullAfterWrite"));
});

test("a schedule has 30 s of faults and 1,000 delivered messages, whatever its seed", async () => {
  for (let seed = 101; seed <= 102; seed++) {
    const { chaosMs, delivered } = await runWholeSchedule(drawWholeOptions(seed));
    assert.ok(chaosMs >= 30_000 && delivered >= 1_000, `seed ${seed}: ${chaosMs}, ${delivered}`);
  }
});

test("the same seed gives the same trace of whole nodes, byte for byte", async () => {
  const digest = async (seed: number) => {
    const hash = createHash("sha256");
    await runWholeSchedule(drawWholeOptions(seed), (line) => hash.update(`${line}\n`));
    return hash.digest("hex");
  };
  const traces = new Set<string>();
  for (let seed = 203; seed <= 204; seed++) {
    const first = await digest(seed);
    assert.equal(await digest(seed), first);
    traces.add(first);
  }
  assert.equal(traces.size, 2);
});

test("a promise that fails and that nobody looks after is noticed", async () => {
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

for (const { mutation, within, text } of FOUND) {
  test(`the broken thing "${mutation}" is noticed within ${within} schedules`, async () => {
    const range = { from: 1, count: within, protocol: undefined, mutation };
    assert.match((await runWholeRange(range)).failure?.text ?? "", text);
  });
}
