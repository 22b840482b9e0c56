/** Turns at work: in which order owners have them, and what is wanted no more. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { FairSemaphore } from "../../../core/limits/fair-semaphore.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("each owner has one turn, then others theirs", async () => {
  const turns = new FairSemaphore(1);
  const had: string[] = [];
  for (const owner of ["a", "a", "b", "c"])
    void turns.take(owner).then((isWanted) => void had.push(`${owner} ${isWanted}`));
  for (const owner of ["a", "b", "c", "a"]) {
    await settle();
    assert.equal(had.at(-1), `${owner} true`);
    turns.give(owner);
  }
  await settle();
  assert.deepEqual(had, ["a true", "b true", "c true", "a true"]);
});

test("what is withdrawn or forgotten ends at once and has no turn", async () => {
  const turns = new FairSemaphore(1);
  const had = new Map<string, boolean>();
  const wait = { filter: 1 };
  const take = (name: string, owner: string, by?: object) =>
    void turns.take(owner, by).then((isWanted) => void had.set(name, isWanted));
  take("first", "a");
  take("withdrawn", "a", wait);
  take("second", "a");
  take("forgotten", "b");
  await settle();
  assert.deepEqual([...had], [["first", true]]);
  turns.withdraw("a", wait);
  turns.withdraw("a", wait);
  turns.forget("b");
  await settle();
  assert.deepEqual([had.get("withdrawn"), had.get("forgotten")], [false, false]);
  turns.give("a");
  await settle();
  assert.equal(had.get("second"), true);
});
