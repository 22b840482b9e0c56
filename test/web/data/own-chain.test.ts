/** Whose chain the page shows. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ownKind } from "../../../web/data/own-chain.ts";

const TABLE = [
  { kind: "tab", isDev: false, tabKind: "chain", own: "tab" },
  { kind: "tab", isDev: false, tabKind: "join", own: undefined },
  { kind: "tab", isDev: true, tabKind: "join", own: undefined },
  { kind: "tab", isDev: true, tabKind: undefined, own: undefined },
  { kind: "node", isDev: true, tabKind: undefined, own: "dev" },
  { kind: "node", isDev: false, tabKind: "chain", own: undefined },
  { kind: "node", isDev: false, tabKind: undefined, own: undefined },
] as const;

for (const { own, ...origin } of TABLE) {
  test(`${JSON.stringify(origin)} is ${own ?? "a chain of others"}`, () => {
    assert.equal(ownKind(origin), own);
  });
}
