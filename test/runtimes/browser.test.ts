/** Core inside real Chromium. */
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import { openPage } from "../support/chromium.ts";
import { bundleFor } from "../support/platform-bundle.ts";
import { runScenario } from "./block-scenario.ts";

const MODULE = `
  import { runScenario } from "./block-scenario.ts";
  globalThis.scenario = runScenario();
`;

test("a block executes in Chromium with the same hashes as on Node", async () => {
  const { script } = await bundleFor("browser", MODULE);
  const opened = await openPage(new Map([["scenario.js", script]]), "scenario.js");
  try {
    await opened.page.waitForFunction("globalThis.scenario !== undefined");
    assert.deepEqual(await opened.page.evaluate("globalThis.scenario"), await runScenario());
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
});

test("the scenario executes: its calls give what the contract computes", async () => {
  const { hashes, calls } = await runScenario();
  assert.equal(new Set(hashes).size, 10);
  const [known, unknown] = calls;
  assert.equal(known?.output, toPrefixedHex(keccak_256(hexBytes("5".padStart(64, "0")))));
  assert.equal(unknown?.status, 26);
});

test("a module that needs Node does not bundle for a browser", async () => {
  await assert.rejects(bundleFor("browser", 'import "node:fs";'), /Could not resolve "node:fs"/);
});
