/** What the long run draws from its seed. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { longerSteps } from "./regress.ts";

test("each longer part begins at the seed of the run, but for the planted faults", () => {
  const [some, others] = [longerSteps(7), longerSteps(8)];
  const same = some.filter(({ name }) => others.some((other) => other.name === name));
  assert.deepEqual(
    same.map(({ name }) => name),
    ["ledgers --mutants"],
  );
  assert.equal(new Set(some.map(({ name }) => name)).size, some.length);
});
