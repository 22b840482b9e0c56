/** Who gives up a place. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { chooseEvicted } from "../../../core/limits/eviction.ts";

let now = 0;
const place = (address: string, name: string, isIdle = true) => {
  const usedAt = now++;
  return { address, name, isIdle, usedAt };
};

test("the oldest that is idle gives way, of the address that has most of them", () => {
  const many = [1, 2, 3].map((i) => place("b", `b${i}`));
  const places = [place("a", "a1"), place("b", "busy", false), ...many, place("a", "a2")];
  assert.equal(chooseEvicted(places, "b")?.name, "b1");
  assert.equal(chooseEvicted([place("a", "a1"), place("b", "b1")], "c")?.name, "a1");
});

test("where all are busy, one of who has more than half of all gives way, to others only", () => {
  const busy = (address: string, name: string) => place(address, name, false);
  const places = [busy("a", "a1"), busy("b", "b1"), busy("b", "b2"), busy("b", "b3")];
  assert.equal(chooseEvicted(places, "a")?.name, "b1");
  assert.equal(chooseEvicted(places, "c")?.name, "b1");
  assert.equal(chooseEvicted(places, "b"), undefined);
  assert.equal(chooseEvicted(places.slice(0, 2), "c"), undefined);
  assert.equal(chooseEvicted([], "c"), undefined);
});
