/** What each state of a protocol cannot meet; everything else it declares. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { PROTOCOLS } from "./protocols.ts";
import { undeclaredOf } from "./rows.ts";

for (const [name, protocol] of Object.entries(PROTOCOLS)) {
  test(`${name} declares each event in each state, but for those that cannot come`, () => {
    assert.deepEqual(undeclaredOf(protocol), protocol.undeclared);
  });
}
