/** Turns between addresses, their connections, and in order; and who gives way when all is full. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { FairLine, type LinePlace } from "../../../core/limits/fair-line.ts";

/** `a1` stands for connection 1 of address a. */
function place(name: string): LinePlace {
  const [address = "", connection = ""] = name;
  return { address, connection };
}

function lineOf(...names: readonly string[]): FairLine<string> {
  const line = new FairLine<string>();
  for (const [index, name] of names.entries()) line.add(place(name), `${name}#${index}`);
  return line;
}

function turnsOf(line: FairLine<string>): string[] {
  const turns: string[] = [];
  for (let next = line.next(); next; next = line.next()) turns.push(next);
  return turns;
}

test("turns go between addresses, then between connections, then in order", () => {
  const line = lineOf("a1", "a1", "a1", "a2", "b1", "b1");
  assert.deepEqual(turnsOf(line), ["a1#0", "b1#4", "a2#3", "b1#5", "a1#1", "a1#2"]);
  assert.equal(line.length, 0);
});

test("who comes while another has its turn is next", () => {
  const line = lineOf("a1", "a1");
  assert.equal(line.next(), "a1#0");
  line.add(place("b1"), "b");
  line.add(place("a2"), "a2");
  assert.deepEqual(turnsOf(line), ["b", "a2", "a1#1"]);
});

test("what is removed has no turn, and is removed once", () => {
  const line = lineOf("a1", "a1", "b1");
  assert.ok(line.remove(place("a1"), "a1#0"));
  assert.ok(!line.remove(place("a1"), "a1#0"));
  assert.ok(!line.remove(place("c1"), "a1#1"));
  assert.deepEqual(
    [line.length, line.lengthOf(place("a1")), line.lengthOf(place("c1"))],
    [2, 1, 0],
  );
  assert.deepEqual([...line.items()], ["a1#1", "b1#2"]);
});

test("for a newcomer the youngest of the address that has most gives way", () => {
  assert.equal(lineOf("a1", "a2", "a2", "b1").yieldTo(place("c1")), "a2#2");
  assert.equal(lineOf("a1", "a1", "a1", "b1").yieldTo(place("b1")), "a1#2");
});

test("of an address that has most itself, a connection gives way to its other one", () => {
  assert.equal(lineOf("a1", "a1", "a1", "b1").yieldTo(place("a2")), "a1#2");
});

test("nobody gives way to who would have most", () => {
  assert.equal(lineOf("a1", "a1", "b1").yieldTo(place("a1")), undefined);
  assert.equal(lineOf("a1", "a1", "b1").yieldTo(place("b1")), undefined);
  assert.equal(lineOf("a1", "b1").yieldTo(place("a2")), undefined);
  assert.equal(lineOf().yieldTo(place("a1")), undefined);
});
