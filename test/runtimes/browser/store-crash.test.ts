/** The store of a browser when its worker, or the whole browser, ends in the middle of a write. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { cases } from "../../support/runner/cases.ts";
import { bundleFor } from "../../support/browser/platform-bundle.ts";
import { type ScriptServer, serveScripts } from "../../support/browser/script-server.ts";
import { FRESH, openSite } from "../../support/browser/site.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";
import { inFull } from "../../support/runner/in-full.ts";

/** Starts a worker; it is ended a number of milliseconds after the first durable batch. */
const PAGE = `
  globalThis.durable = 0;
  globalThis.broken = undefined;
  globalThis.begin = (order) => {
    const worker = new Worker("/worker.js", { type: "module" });
    const first = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.type === "broken") reject(new Error(globalThis.broken = data.text));
        if (data.type === "durable") resolve(globalThis.durable = data.batch);
      };
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    worker.postMessage({ ...order, acknowledged: globalThis.durable });
    return { worker, first };
  };
  globalThis.runOnce = async (order, ms) => {
    const { worker, first } = begin(order);
    await first;
    await new Promise((resolve) => setTimeout(resolve, ms));
    worker.terminate();
    return globalThis.durable;
  };
`;
const ROUNDS = cases(12, 6);

let server: ScriptServer;
beforeAll(async () => {
  const { script } = await bundleFor("browser", 'import "./browser/crash-script.ts";');
  const files = new Map([
    ["worker.js", script],
    ["page.js", PAGE],
  ]);
  server = await serveScripts(files, "page.js");
});
afterAll(() => server?.close());

async function ready(page: Page): Promise<void> {
  await untilHolds(page, "globalThis.runOnce !== undefined");
}

test("a worker that is ended at any moment leaves whole batches and all durable ones", async () => {
  const site = await openSite({ base: server.base });
  try {
    const page = await site.tab();
    await ready(page);
    const order = JSON.stringify({ name: "ended", isSmall: true });
    let before = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const durable = await page.evaluate<number>(`runOnce(${order}, ${(round * 37) % 60})`);
      assert.ok(durable > before);
      before = durable;
    }
    assert.deepEqual(site.errors, []);
  } finally {
    await site.close();
  }
});

// A worker that is ended has whole batches above; a browser, with all cases.
inFull(
  "a browser that is killed in the middle of writing has every durable batch, whole",
  async () => {
    const order = JSON.stringify({ name: "killed", isSmall: false });
    const first = await openSite({ base: server.base, profile: FRESH });
    const { profile } = first;
    const page = await first.tab();
    await ready(page);
    await page.evaluate(`begin(${order}).first`);
    await untilHolds(page, "globalThis.durable >= 600");
    const durable = await page.evaluate<number>("globalThis.durable");
    await first.kill();
    const second = await openSite({ base: server.base, profile });
    try {
      const again = await second.tab();
      await ready(again);
      await again.evaluate(`globalThis.durable = ${durable}`);
      assert.ok((await again.evaluate<number>(`runOnce(${order}, 0)`)) > durable);
      assert.deepEqual(second.errors, []);
    } finally {
      await second.close();
      rmSync(profile, { recursive: true, force: true });
    }
  },
);
