/** Who gives up a place. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { longestIdle } from "../../../core/limits/longest-idle.ts";

let now = 0;
const place = (address: string, name: string, isIdle = true) => {
  const usedAt = now++;
  return { address, name, isIdle, usedAt };
};

test("the oldest that is idle gives way, of the address that has most of them", () => {
  const many = [1, 2, 3].map((i) => place("b", `b${i}`));
  const places = [place("a", "a1"), place("b", "busy", false), ...many, place("a", "a2")];
  assert.equal(longestIdle(places)?.name, "b1");
  assert.equal(longestIdle([place("a", "a1"), place("b", "b1")])?.name, "a1");
});

test("nobody gives way where all are busy", () => {
  assert.equal(longestIdle([place("a", "a", false)]), undefined);
});
