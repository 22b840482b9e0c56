/** Whole nodes in short: schedules, determinism, and broken things that must be noticed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "vitest";
import { runWholeRange } from "./batch.ts";
import { drawWholeOptions, WHOLE_MUTATIONS, type WholeMutation } from "./options.ts";
import { runWholeSchedule } from "./schedule.ts";

const SEEDS = 15;
/** In this schedule the broken thing shows, and how. */
const FOUND: readonly {
  readonly mutation: WholeMutation;
  readonly seed: number;
  readonly text: RegExp;
}[] = [
  { mutation: "doubleVote", seed: 1, text: /sign .* twice/ },
  { mutation: "unverifiedBlock", seed: 10, text: /FORK|with notSealer/ },
  { mutation: "lostEntry", seed: 1, text: /LOST/ },
  { mutation: "lostWord", seed: 1, text: /its word is/ },
  { mutation: "corruptState", seed: 1, text: /another state/ },
];

test(`${SEEDS} schedules of whole nodes keep agreement and recover`, async () => {
  const range = { from: 1, count: SEEDS, consensus: "pbft", mutation: undefined } as const;
  const { totals, failure } = await runWholeRange(range);
  assert.equal(failure, undefined);
  assert.equal(totals.schedules, SEEDS);
  for (const sight of ["crash", "lostWrites", "partition", "roleChange", "generateGroup"])
    assert.ok((totals.seen[sight] ?? 0) > 0, `no schedule saw ${sight}`);
});

test("a schedule has 30 s of faults and 1,000 delivered messages, whatever its seed", async () => {
  for (let seed = 101; seed <= 104; seed++) {
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
  for (let seed = 201; seed <= 204; seed++) {
    const first = await digest(seed);
    assert.equal(await digest(seed), first);
    traces.add(first);
  }
  assert.equal(traces.size, 4);
});

test("everything that can be broken is tried", () => {
  assert.deepEqual(
    FOUND.map(({ mutation }) => mutation),
    [...WHOLE_MUTATIONS],
  );
});

for (const { mutation, seed, text } of FOUND) {
  test(`the broken thing "${mutation}" is noticed in schedule ${seed}`, async () => {
    const { failure } = await runWholeSchedule(drawWholeOptions(seed, "pbft", mutation));
    assert.match(failure ?? "", text);
  });
}
