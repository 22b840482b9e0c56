/** Core inside real Chromium. */
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import { openPage } from "../support/chromium.ts";
import { type Ask, deploy, request } from "../support/json-rpc-session.ts";
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

/** Starts the worker of dist/browser and forwards requests to it. */
const PAGE = `
  const worker = new Worker("/node-worker.js", { type: "module" });
  const waiting = new Map();
  let count = 0;
  globalThis.ask = (body) => new Promise((resolve) => {
    waiting.set(++count, resolve);
    worker.postMessage({ id: count, body });
  });
  globalThis.nodeId = new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      if (data.ready) resolve(data.ready);
      else waiting.get(data.id)(data.body);
    };
  });
`;

test("a node in a module worker of a page takes a transaction into a block", async () => {
  const worker = await bundleFor("browser", 'import "../../runtimes/browser/node-worker.ts";');
  const files = new Map([
    ["page.js", PAGE],
    ["node-worker.js", worker.script],
  ]);
  const opened = await openPage(files, "page.js");
  try {
    await opened.page.waitForFunction("globalThis.nodeId !== undefined");
    const nodeId = await opened.page.evaluate("globalThis.nodeId");
    const ask: Ask = (body) =>
      opened.page.evaluate(`globalThis.ask(${JSON.stringify(body)})`) as Promise<string>;
    assert.deepEqual(await request(ask, "getSealerList", [1]), [nodeId]);
    const receipt = await deploy(ask);
    assert.equal(receipt["status"], "0x0");
    assert.equal(receipt["blockNumber"], "0x1");
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
});

test("a module that needs Node does not bundle for a browser", async () => {
  await assert.rejects(bundleFor("browser", 'import "node:fs";'), /Could not resolve "node:fs"/);
});
