/** Long lists, searches and walks: what is drawn, what is meant, what is met. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Recent } from "../../../web/data/recent.ts";
import { soughtBy } from "../../../web/explorer/read/addresses.ts";
import { viewAt } from "../../../web/parts/visible-rows.ts";

const ROW = 42;
const MOST_PIXELS = 8_000_000;

test("a list of any length draws the rows at its place and few others", () => {
  const lists = fc.record({
    count: fc.integer({ min: 1, max: 20_000_000 }),
    height: fc.integer({ min: 100, max: 2_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(lists, ({ count, height, share }) => {
      const drawn = Math.min(count * ROW, MOST_PIXELS);
      const top = Math.max(0, drawn - height) * share;
      const { first, last, offset } = viewAt({ count, rowHeight: ROW }, { top, height });
      assert.ok(first >= 0 && last < count && first <= last);
      assert.ok(last - first < height / ROW + 16);
      // The rows fill the screen from its top to its bottom, as far as there are rows.
      assert.ok(offset <= top + 1);
      const end = offset + (last - first + 1) * ROW;
      assert.ok(end >= Math.min(top + height, drawn) - 1, `${end} of ${top + height}`);
    }),
  );
});

test("the ends of a list are reached, also of one that is longer than a browser lays out", () => {
  for (const count of [1, 100, 100_000, 5_000_000]) {
    const drawn = Math.min(count * ROW, MOST_PIXELS);
    const at = (top: number) => viewAt({ count, rowHeight: ROW }, { top, height: 600 });
    assert.equal(at(0).first, 0);
    assert.equal(at(Math.max(0, drawn - 600)).last, count - 1);
  }
});

test("what somebody types is a block, a hash, an address or a name", () => {
  assert.deepEqual(soughtBy(" 1,234 "), { kind: "block", id: "1234" });
  assert.deepEqual(soughtBy("0x1F"), { kind: "block", id: "31" });
  assert.deepEqual(soughtBy("AB".repeat(32)), { kind: "hash", hash: `0x${"ab".repeat(32)}` });
  const address = `0x${"12".repeat(20)}`;
  assert.deepEqual(soughtBy(address), { kind: "address", address });
  assert.deepEqual(soughtBy("12".repeat(20)), { kind: "address", address });
  assert.deepEqual(soughtBy("HelloWorld:1.0"), { kind: "name", name: "HelloWorld:1.0" });
  assert.deepEqual(soughtBy("  "), { kind: "nothing" });
  const partial = ["0xdea11a9c…9fdf6f", "dea11a9c...9fdf6f", `0x${"1".repeat(41)}`];
  for (const typed of partial) assert.deepEqual(soughtBy(typed), { kind: "digits" }, typed);
});

test("a bounded memory forgets what was not used for the longest time", () => {
  const recent = new Recent<number, { readonly at: number }>(3);
  for (const at of [1, 2, 3]) recent.set(at, { at });
  recent.get(1);
  recent.set(4, { at: 4 });
  assert.deepEqual(
    [1, 2, 3, 4].map((key) => recent.get(key)?.at),
    [1, undefined, 3, 4],
  );
});

test("what many ask for at once is loaded once, and again after a failure", async () => {
  const recent = new Recent<string, { readonly turn: number }>(3);
  let turn = 0;
  const load = async () => {
    turn += 1;
    await Promise.resolve();
    if (turn === 1) throw new Error("the first fails");
    return { turn };
  };
  const first = await Promise.allSettled([recent.load("a", load), recent.load("a", load)]);
  assert.deepEqual(
    first.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  const second = await Promise.all([recent.load("a", load), recent.load("a", load)]);
  assert.deepEqual(second, [{ turn: 2 }, { turn: 2 }]);
});
