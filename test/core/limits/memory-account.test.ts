/** Who is cut when clients hold too much together. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { SocketMemory } from "../../../core/limits/memory-account.ts";

function accountOf(bound: number) {
  const memory = new SocketMemory(bound);
  const cuts: string[] = [];
  const add = (name: string, address: string, isGone = false) => {
    const holder = { heldBytes: 0, address, isGone, cut: () => void cuts.push(name) };
    memory.add(holder);
    return holder;
  };
  return { memory, cuts, add };
}

test("of the address that holds most its connection that does is cut", () => {
  const { memory, cuts, add } = accountOf(100);
  const alone = add("alone", "a");
  const [first, second] = [add("first", "b"), add("second", "b")];
  memory.change(alone, 45);
  memory.change(first, 30);
  memory.change(second, 26);
  assert.deepEqual(cuts, ["first"]);
  assert.equal(memory.heldBytes, 71);
});

test("who holds little is not cut for what is held for those that have gone", () => {
  const { memory, cuts, add } = accountOf(100_000);
  memory.change(add("gone", "a", true), 99_990);
  memory.change(add("small", "b"), 40);
  assert.deepEqual(cuts, []);
  const many = [add("one of many", "c"), add("one of many", "c")];
  for (const one of many) memory.change(one, 40);
  assert.deepEqual(cuts, ["one of many"], "an address with many of them does not hold little");
});

test("what runs for those that have gone counts, and is cut no more", () => {
  const { memory, cuts, add } = accountOf(100);
  const gone = add("gone", "a", true);
  memory.change(gone, 90);
  memory.change(add("new", "b"), 20);
  assert.deepEqual(cuts, ["new"]);
  assert.equal(memory.heldBytes, 90);
  memory.remove(gone);
  assert.equal(memory.heldBytes, 0);
});
