import assert from "node:assert/strict";
import { test } from "vitest";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import type { Receipt } from "../../../../core/model/receipt.ts";
import { answerValues, int256 } from "../../../support/execution/table-calls.ts";
import {
  FACTORY,
  object,
  type Step,
  run,
  outcome,
  create,
  HIDDEN,
  withTable,
  chainWithTable,
  TABLE,
  CONDITION,
  set,
  insert,
  update,
  remove,
  select,
} from "../../../support/execution/table-steps.ts";

// rules: precompiles 5, storage 4

/** The text of a column that the last receipt gives. */
const lastText = (receipts: readonly Receipt[]): unknown =>
  answerValues("(string)", receipts.at(-1)?.output ?? new Uint8Array())[0];
const read = (column: string, entry: Address): Step => [entry, "getString(string)", column];
const entryOf = (list: Address): Step => [list, "get(int256)", 0n];

test("an entry that was inserted is the row: what it is set to later is stored", async () => {
  const chain = await chainWithTable();
  const late = [insert("x"), set("a", "late"), set("b", "new"), set("c", "no column")];
  const block = await withTable(chain, [...late, select("x"), entryOf(object(4))]);
  assert.ok(block.every(({ status }) => status === 0));
  const looks = [select("x"), entryOf(object(4)), read("a", object(5))];
  assert.equal(lastText(await withTable(chain, looks)), "late");
  assert.equal(lastText(await withTable(chain, [...looks, read("c", object(5))])), "no column");
});

test("an entry that was inserted twice is one row under its last key", async () => {
  const chain = await chainWithTable();
  const steps = [insert("x"), insert("y"), set("a", "both")];
  const sizes = [select("x"), [object(4), "size()"], select("y"), [object(5), "size()"]] as Step[];
  const block = await withTable(chain, [...steps, ...sizes]);
  assert.deepEqual([outcome(block[4]), outcome(block[6])], [0, 1]);
  // Stored, these are two rows of one key.
  const next = await withTable(chain, sizes);
  assert.deepEqual([outcome(next[1]), outcome(next[3])], [0, 2]);
});

test("what an entry of a select is set to changes the row that this block made", async () => {
  const chain = await chainWithTable();
  const looks = [select("x"), entryOf(object(4)), set("a", "9", object(5)), entryOf(object(4))];
  const made = await withTable(chain, [set("a", "1"), insert("x"), ...looks, read("a", object(6))]);
  assert.equal(lastText(made), "9");
  // A stored row is copied for a select; the objects of that row share the copy.
  const copied = await withTable(chain, [...looks.slice(0, 2), set("a", "7", object(5))]);
  assert.equal(copied.at(-1)?.status, 0);
  const shared = [...looks.slice(0, 2), set("a", "7", object(5)), entryOf(object(4))];
  assert.equal(lastText(await withTable(chain, [...shared, read("a", object(6))])), "7");
  const plain = [select("x"), entryOf(object(4)), read("a", object(5))];
  assert.equal(lastText(await withTable(chain, plain)), "9");
  // A row that this block has changed is given itself.
  const dirty: Step[] = [[TABLE, "newEntry()"], set("b", "b", object(4)), update("x", object(4))];
  const own: Step[] = [select("x"), entryOf(object(5)), set("a", "5", object(6))];
  const fixed = await withTable(chain, [...dirty, ...own, set("name", "y", object(6))]);
  assert.equal(outcome(fixed.at(-1)), HIDDEN);
  assert.equal(lastText(await withTable(chain, plain)), "5");
});

test("a stored row that is inserted into an archive under another key stays as it is", async () => {
  const chain = await chainWithTable();
  await run(chain, create("archive", "name", "a,b"));
  await withTable(chain, [set("a", "1"), insert("1")]);
  const archive: Step = [FACTORY, "openTable(string)", "archive"];
  const moved: Step[] = [set("a", "2"), update("1"), select("1"), entryOf(object(4)), archive];
  const put: Step = [object(6), "insert(string,address)", "2", object(5)];
  assert.equal(outcome((await withTable(chain, [...moved, put])).at(-1)), 1);
  const sizes: Step[] = [select("1"), [object(4), "size()"], archive];
  const look: Step = [object(5), "select(string,address)", "2", CONDITION];
  const left = [...sizes, look, entryOf(object(6)), read("a", object(7))];
  const receipts = await withTable(chain, left);
  assert.deepEqual([outcome(receipts[1]), lastText(receipts)], [1, "2"]);
});

test("a condition keeps the key that it was used with, for other tables too", async () => {
  const chain = await chainWithTable();
  await run(chain, create("t2", "id", "name,a"));
  const second: Step[] = [[FACTORY, "openTable(string)", "t2"]];
  const add2 = (name: string, entry: Address): Step[] => [
    [TABLE, "newEntry()"],
    set("name", name, entry),
    [object(4), "insert(string,address)", "k", entry],
  ];
  await withTable(chain, [...second, ...add2("x", object(5)), ...add2("y", object(6))]);
  const size = async (...before: Step[]) => {
    const look: Step = [object(4), "select(string,address)", "k", CONDITION];
    const receipts = await withTable(chain, [...second, ...before, look]);
    const list = addressOfNumber(int256(receipts.at(-1)?.output ?? new Uint8Array()));
    const steps: Step[] = [...second, ...before, look, [list, "size()"]];
    return outcome((await withTable(chain, steps)).at(-1));
  };
  assert.equal(await size(), 2);
  assert.equal(await size(select("x")), 1);
  assert.equal(await size(select("none")), 0);
  assert.equal(await size(remove("y")), 1);
  assert.equal(await size(update("none")), 0);
  // Not when the update ends before it looks.
  assert.equal(
    await size([TABLE, "newEntry()"], set("c", "", object(5)), update("none", object(5))),
    2,
  );
});
