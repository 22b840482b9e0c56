/** The executor next to an independent interpreter, on random programs. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { cases, TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { createMutant, MUTANTS } from "../../../soak/fuzz/evm/mutants.ts";
import { EvmFuzz, shortcomings, summary } from "../../../soak/fuzz/evm/run.ts";

// rules: execution 3, 4, 5, 7

/** How many programs, and the seed of the first one; the soak runs a million. */
const PROGRAMS = Number(process.env["EVM_PROGRAMS"] ?? cases(1_000, 150));
const FIRST_SEED = Number(process.env["EVM_SEED"] ?? 1);
/** Programs within which a fault must be found: from the one that showed it on, or of all. */
const PATIENCE = 1_500;

test(`${PROGRAMS} random programs end as on an independent interpreter`, async () => {
  const fuzz = await EvmFuzz.open();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + PROGRAMS; seed++) {
    await fuzz.one(seed).catch((cause: unknown) => {
      throw new Error(`EVM_SEED=${seed} EVM_PROGRAMS=1`, { cause });
    });
  }
  fuzz.settle();
  assert.deepEqual(shortcomings(fuzz.counts), [], summary(fuzz.counts).join("\n"));
});

for (const mutant of MUTANTS) {
  test(`the comparison finds that ${mutant.name}`, async () => {
    const fuzz = await EvmFuzz.open({ createEvm: await createMutant(mutant) });
    let seed = TAKES_ALL_CASES ? FIRST_SEED : mutant.shownBy;
    const end = seed + PATIENCE;
    let found = false;
    for (; seed < end && !found; seed++) {
      await fuzz.one(seed).catch(() => {
        found = true;
      });
    }
    assert.ok(found, `not within ${PATIENCE} programs`);
  });
}
