/** Core inside real Chromium. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import { createSmSuite } from "../../core/crypto/national.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { openPage } from "../support/browser/chromium.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { runScenario } from "./block-scenario.ts";
import { untilHolds } from "../support/browser/page-looks.ts";

const MODULE = `
  import { runScenario } from "./block-scenario.ts";
  import { createWebSuite } from "../../runtimes/shared/platform/web-suite.ts";
  const run = async (name) => runScenario(await createWebSuite(name));
  globalThis.scenario = Promise.all(["standard", "national"].map(run));
`;
const STANDARD = createStandardSuite();
const NATIONAL = createSmSuite();

test("a block of either suite executes in Chromium with the same hashes as on Node", async () => {
  const { script } = await bundleFor("browser", MODULE);
  const opened = await openPage(new Map([["scenario.js", script]]), "scenario.js");
  try {
    await untilHolds(opened.page, "globalThis.scenario !== undefined");
    const expected = await Promise.all([STANDARD, NATIONAL].map(runScenario));
    assert.deepEqual(await opened.page.evaluate("globalThis.scenario"), expected);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
});

test("the scenario executes: its calls give what the contract computes", async () => {
  const input = hexBytes("5".padStart(64, "0"));
  const sm3 = new Uint8Array(hash("sm3", input, "buffer"));
  for (const [suite, digest] of [
    [STANDARD, keccak_256(input)],
    [NATIONAL, sm3],
  ] as const) {
    const { hashes, calls } = await runScenario(suite);
    assert.equal(new Set(hashes).size, 10);
    const [known, unknown] = calls;
    assert.equal(known?.output, toPrefixedHex(digest));
    assert.equal(unknown?.status, 26);
  }
});

test("a module that needs Node does not bundle for a browser", async () => {
  await assert.rejects(bundleFor("browser", 'import "node:fs";'), /Could not resolve "node:fs"/);
});
