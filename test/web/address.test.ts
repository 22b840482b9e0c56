/** Addresses of the page. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { addressOf, readAddress } from "../../web/address.ts";

test("an address names the part, its path and its query, however it is written", () => {
  for (const hash of ["", "#", "#/"]) assert.equal(readAddress(hash).name, "");
  const { name, path, query } = readAddress("#/explorer/1/contracts?name=A%20B");
  assert.deepEqual([name, path, query.get("name")], ["explorer", ["1", "contracts"], "A B"]);
  // Somebody wrote it by hand.
  assert.deepEqual(readAddress("#nowhere/100%").path, ["100%"]);
});

test("what an address is made of is read from it again", () => {
  const parts = fc.array(fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), parts, (name, path) => {
      const read = readAddress(addressOf(name, path));
      assert.deepEqual([read.name, read.path], [name, path]);
    }),
  );
});
