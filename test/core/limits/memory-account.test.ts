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
