/** Core inside real Chromium. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import { createSmSuite } from "../../core/crypto/national.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { openPage } from "../support/chromium.ts";
import { type Ask, deploy, request } from "../support/json-rpc-session.ts";
import { bundleFor } from "../support/platform-bundle.ts";
import { runScenario } from "./block-scenario.ts";

const MODULE = `
  import { runScenario } from "./block-scenario.ts";
  import { createWebSuite } from "../../runtimes/shared/web-suite.ts";
  const run = async (name) => runScenario(await createWebSuite(name));
  globalThis.scenario = Promise.all(["standard", "national"].map(run));
`;
const STANDARD = createStandardSuite();
const NATIONAL = createSmSuite();

test("a block of either suite executes in Chromium with the same hashes as on Node", async () => {
  const { script } = await bundleFor("browser", MODULE);
  const opened = await openPage(new Map([["scenario.js", script]]), "scenario.js");
  try {
    await opened.page.waitForFunction("globalThis.scenario !== undefined");
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

/** Starts the worker of dist/browser and forwards requests to it. */
const page = (query: string) => `
  const worker = new Worker("/node-worker.js${query}", { type: "module" });
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

for (const [suite, query] of [
  [STANDARD, ""],
  [NATIONAL, "?suite=national"],
] as const) {
  test(`a node in a worker of a page takes a transaction of the ${suite.name} suite`, async () => {
    const worker = await bundleFor("browser", 'import "../../runtimes/browser/node-worker.ts";');
    const files = new Map([
      ["page.js", page(query)],
      ["node-worker.js", worker.script],
    ]);
    const opened = await openPage(files, "page.js");
    try {
      await opened.page.waitForFunction("globalThis.nodeId !== undefined");
      const nodeId = await opened.page.evaluate("globalThis.nodeId");
      const ask: Ask = (body) =>
        opened.page.evaluate(`globalThis.ask(${JSON.stringify(body)})`) as Promise<string>;
      assert.deepEqual(await request(ask, "getSealerList", [1]), [nodeId]);
      const receipt = await deploy(ask, suite);
      assert.equal(receipt["status"], "0x0");
      assert.equal(receipt["blockNumber"], "0x1");
      assert.deepEqual(opened.errors, []);
    } finally {
      await opened.close();
    }
  });
}

test("a module that needs Node does not bundle for a browser", async () => {
  await assert.rejects(bundleFor("browser", 'import "node:fs";'), /Could not resolve "node:fs"/);
});
