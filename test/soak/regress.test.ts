/** What the long run draws from its seed, and which options soaks take. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { longerSteps } from "./regress.ts";
import { unknownOption } from "./soak.ts";

test("each longer part begins at the seed of the run, but for the planted faults", () => {
  const [some, others] = [longerSteps(7), longerSteps(8)];
  const same = some.filter(({ name }) => others.some((other) => other.name === name));
  assert.deepEqual(
    same.map(({ name }) => name),
    ["ledgers --mutants"],
  );
  assert.equal(new Set(some.map(({ name }) => name)).size, some.length);
});

test("only the options that the line about a soak names are taken", () => {
  const about = "many schedules: [--seeds 5] [--dev-chain], --resume F";
  const wrong = (...args: readonly string[]) => unknownOption(args, about);
  assert.equal(wrong("--seeds", "7", "--dev-chain", "--resume", "file"), undefined);
  assert.equal(wrong("--seed", "7"), "--seed");
  assert.equal(wrong("--seeds", "7", "--dev"), "--dev");
  assert.equal(wrong("-v"), "-v");
});
