/** What pages of the explorer are called in the tabs of a browser. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { titleOfPath } from "../../../web/explorer/title.ts";

const HASH = `0x${"12ab".repeat(16)}`;
const ADDRESS = `0x${"cd34".repeat(10)}`;

const TABLE = [
  { path: [], title: "Explorer" },
  { path: ["1"], title: "Explorer" },
  { path: ["blocks"], title: "Blocks" },
  { path: ["2", "trust"], title: "Trust" },
  { path: ["1", "block", "7"], title: "Block 7" },
  { path: ["1", "block", "0x1F"], title: "Block 31" },
  { path: ["1", "block", HASH], title: "Block 0x12ab12ab…ab12ab" },
  { path: ["1", "tx", HASH.toUpperCase()], title: "Transaction 0x12ab12ab…ab12ab" },
  { path: ["1", "address", ADDRESS], title: "Address 0xcd34cd34…34cd34" },
  { path: ["1", "tx", "7"], title: "Nothing to look for" },
  { path: ["1", "nowhere"], title: "No such page" },
] as const;

for (const { path, title } of TABLE) {
  test(`the page at /${path.join("/")} is called ${title}`, () => {
    assert.equal(titleOfPath(path), title);
  });
}
