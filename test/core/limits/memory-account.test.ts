/** Who is cut when clients hold too much together. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { SocketMemory } from "../../../core/limits/memory-account.ts";
import { MemoryTotal } from "../../../core/limits/memory-total.ts";

function accountOf(bound: number, total?: MemoryTotal) {
  const memory = new SocketMemory(bound, total);
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

test("of two ports the peer is cut that holds most, and not of the one that holds more", () => {
  const total = new MemoryTotal();
  const [one, other] = [accountOf(136, total), accountOf(136, total)];
  for (const each of [one, other]) total.join(each.memory);
  for (const name of ["c", "d"]) one.memory.change(one.add(name, name), 33);
  for (const name of ["e", "f", "g"]) other.memory.change(other.add(name, name), 24);
  assert.deepEqual([one.cuts, other.cuts], [["c"], []]);
  other.memory.change(other.add("gone", "h", true), 60);
  assert.deepEqual([one.cuts, other.cuts], [["c", "d"], []], "what has gone is not cut");
});

test("two ports have together what one of them may hold", () => {
  const total = new MemoryTotal();
  const [one, other] = [accountOf(120, total), accountOf(80, total)];
  const leaves = [total.join(one.memory), total.join(other.memory)];
  one.memory.change(one.add("much", "a"), 70);
  one.memory.change(one.add("less", "b"), 20);
  const holder = other.add("new", "c");
  other.memory.change(holder, 30);
  assert.deepEqual([one.cuts, other.cuts], [[], []]);
  other.memory.change(holder, 1);
  assert.deepEqual([one.cuts, other.cuts], [["much"], []]);
  other.memory.change(holder, 40);
  assert.equal(one.memory.heldBytes + other.memory.heldBytes, 91);
  for (const leave of leaves) leave();
  one.memory.change(one.add("later", "d"), 80);
  assert.deepEqual([one.cuts, other.cuts], [["much"], []], "a port that is closed counts no more");
});
