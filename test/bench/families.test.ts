/** The benchmark measures what it says: every call of every family does its work. */
import { test } from "vitest";
import { openTestChain } from "../support/execution/test-chain.ts";
import { FAMILIES, requireSuccess } from "./families/measure.ts";

for (const family of FAMILIES) {
  test(`${family.name}: every call of a block succeeds`, async () => {
    await requireSuccess(family, await openTestChain());
  });
}
