/** The theatre attached to a chain behind the page; node-page.test.ts has the one in the tab. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import type { DevChain } from "../../../runtimes/node/dev/dev-chain.ts";
import { clientOf, startBuiltChain } from "../../support/browser/explorer-chain.ts";
import { untilCount } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";

let chain: DevChain;
let site: Site;
beforeAll(async () => {
  chain = await startBuiltChain({ nodes: 4 });
  site = await openSite({ base: chain.rpcUrl, locale: "en" });
});
afterAll(async () => {
  await site?.close();
  await chain?.close();
});

test("the page watches the node that serves it: blocks, votes, charts, and changes nothing", async () => {
  const page = await site.tab("#/theatre/live");
  await page.waitForSelector(".stage[data-step]");
  await untilCount(page.locator(".picture [data-node]"), 4);
  await page.getByRole("tab", { name: "Events" }).click();
  const client = clientOf(chain, false);
  const to = `0x${"11".repeat(20)}` as const;
  // Rows move out of the list while it grows: a busy machine may miss one.
  const told = page.getByText(/writes block \d/).first();
  for (let left = 10, isTold = false; !isTold; left--) {
    await client.sendTransaction({ to, data: "0x" });
    isTold = await told.waitFor({ timeout: 5_000 }).then(
      () => true,
      (cause: unknown) => {
        if (left === 0) throw cause;
        return false;
      },
    );
  }
  await page.getByRole("tab", { name: "Statecharts" }).click();
  await page.locator('.chart [data-lit="true"]').first().waitFor();
  // An arrow is lit for one frame.
  const arrow = page.locator(".chart .taken").first().waitFor({ state: "attached" });
  let isLit = false;
  const lit = arrow.then(() => (isLit = true));
  while (!isLit) {
    await client.sendTransaction({ to, data: "0x" });
    await Promise.race([lit, new Promise((resolve) => setTimeout(resolve, 500))]);
  }
  assert.equal(await page.locator('[data-tool="partition"]').count(), 0);
  await page.locator('[data-node="1"]').click({ button: "right" });
  assert.equal(await page.locator("[role=menu]").count(), 0);
  await page.locator('[data-tool="pause"]').click();
  const step = await page.locator(".stage").getAttribute("data-step");
  await page.locator('[data-tool="back"]').click();
  await page.locator(`.stage:not([data-step="${step}"])`).waitFor();
  assert.deepEqual(site.errors, []);
  assert.deepEqual(site.foreign, []);
});

/** The first thing that a watcher is told, as it comes. */
async function helloOf(address: string): Promise<string> {
  const end = new AbortController();
  const { body } = await fetch(address, { signal: end.signal });
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let told = "";
  while (!told.includes("\n\n")) {
    const piece = await reader?.read();
    if (!piece?.value) break;
    told += decoder.decode(piece.value, { stream: true });
  }
  end.abort();
  return told.slice(0, told.indexOf("\n\n") + 2);
}

test("a node that was stopped is watched again when it runs", async () => {
  const hello = await helloOf(`${site.base}/live?group=1`);
  const stopped = (first: string) => `${first}data: {"type":"end","reason":"stopped"}\n\n`;
  const ends = [stopped(hello), stopped("")];
  const page = await site.tab("#/explorer");
  await page.route("**/live?group=1", async (route) => {
    const body = ends.shift();
    if (body === undefined) await route.continue();
    else await route.fulfill({ contentType: "text/event-stream", body });
  });
  await page.goto(`${site.base}/#/theatre/live`);
  await page.locator(".watched.stale").waitFor();
  await page.locator(".watched:not(.stale) .stage[data-step]").waitFor();
  assert.equal(ends.length, 0);
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.close();
  assert.deepEqual(site.errors, []);
});
