/** What one peer is served in a second. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  chargeServed,
  SERVED_BURST_BYTES,
  SERVED_BYTES_PER_SECOND,
  servableAt,
  type ServingBudgets,
} from "../../../core/sync/serving-budget.ts";
import { nodeIdOfNumber } from "../../support/world/pool-builders.ts";

const [FIRST, SECOND] = [1, 2].map(nodeIdOfNumber) as [
  ReturnType<typeof nodeIdOfNumber>,
  ReturnType<typeof nodeIdOfNumber>,
];

test("a burst, then the rate; another peer is not concerned", () => {
  const budgets: ServingBudgets = new Map();
  assert.equal(servableAt(budgets, FIRST, 0), 0);
  chargeServed(budgets, FIRST, SERVED_BURST_BYTES - 1, 0);
  assert.equal(servableAt(budgets, FIRST, 0), 0);
  chargeServed(budgets, FIRST, 1 + 2 * SERVED_BYTES_PER_SECOND, 0);
  assert.equal(servableAt(budgets, FIRST, 0), 2_001);
  assert.equal(servableAt(budgets, FIRST, 2_001), 2_001);
  assert.equal(servableAt(budgets, SECOND, 0), 0);
});

test("one block that is larger than everything is served, and waited for afterwards", () => {
  const budgets: ServingBudgets = new Map();
  chargeServed(budgets, FIRST, 3 * SERVED_BURST_BYTES, 0);
  const at = servableAt(budgets, FIRST, 0);
  assert.equal(at, (2_000 * SERVED_BURST_BYTES) / SERVED_BYTES_PER_SECOND + 1);
});

test("no more than 1,024 peers are remembered; who sent no request lately goes first", () => {
  const budgets: ServingBudgets = new Map();
  for (let peer = 1; peer <= 1_024; peer++) chargeServed(budgets, nodeIdOfNumber(peer), 1, 0);
  chargeServed(budgets, FIRST, 2 * SERVED_BURST_BYTES, 0);
  chargeServed(budgets, nodeIdOfNumber(5_000), 1, 1_000);
  assert.equal(budgets.size, 2);
  for (let peer = 1; peer <= 3_000; peer++)
    chargeServed(budgets, nodeIdOfNumber(peer), SERVED_BURST_BYTES, 1_000);
  assert.equal(budgets.size, 1_024);
});
