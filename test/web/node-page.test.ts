/** The node part of the page, in real Chromium. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { untilCount, untilText } from "../support/browser/page-looks.ts";
import { openSite, type Site } from "../support/browser/site.ts";
import { inFull } from "../support/runner/in-full.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite({ locale: "en-US" });
});
afterAll(() => site.close());

/** The theatre shows the nodes of the chain in the tab, one at a time. */
async function watchBoth(page: Page): Promise<void> {
  await page.goto(`${site.base}/#/theatre/live`);
  for (const node of ["0", "1"]) {
    if (node !== "0") await page.getByLabel("Node of the chain in this tab").selectOption(node);
    await page.waitForSelector(".stage[data-step]");
    await page.getByRole("tab", { name: "Statecharts" }).click();
    await page.locator('.chart [data-lit="true"]').first().waitFor();
  }
  await page.goto(`${site.base}/#/node`);
}

test("a chain is started, shown, watched, stopped, continued and wiped from the page", async () => {
  const page = await site.tab("#/node");
  const panel = page.locator("main");
  const phase = (name: string) => panel.locator("dl .badge", { hasText: name });
  await panel.getByLabel("Nodes").selectOption("2");
  await panel.getByLabel("Consensus").selectOption("pbft");
  await panel.getByRole("button", { name: "Start" }).click();
  const rows = panel.locator("tbody tr");
  await phase("running").waitFor();
  await panel.getByText("this tab").waitFor();
  await untilCount(rows, 2);
  await rows.getByText("leader").waitFor();
  await watchBoth(page);
  await panel.getByRole("button", { name: "Stop" }).click();
  await phase("off").waitFor();
  await panel.getByRole("button", { name: "Continue" }).click();
  await phase("running").waitFor();

  const second = await site.tab("#/node");
  await second.getByText("another tab of this browser").waitFor();
  await untilCount(second.locator("main tbody tr"), 2);
  await second.close();

  await panel.getByRole("button", { name: "Wipe …" }).click();
  await page.getByRole("button", { name: "Wipe everything" }).click();
  await panel.getByRole("button", { name: "Start" }).waitFor();
  await untilCount(rows, 0);
  assert.deepEqual(site.errors, []);
  assert.deepEqual(site.foreign, []);
});

// Rounds by themselves are in shared/benchmark, their pictures in web/benchmark.
inFull(
  "a round of 1,000 calls and one of transactions run against the chain in the tab",
  async () => {
    const page = await site.tab("#/node");
    const panel = page.locator("main");
    await panel.getByLabel("Nodes").selectOption("1");
    await panel.getByRole("button", { name: "Start" }).click();
    const round = panel.locator("section.benchmark");
    await round.getByLabel("Each second").selectOption("0");
    for (const kind of ["calls", "transactions"]) {
      await round.getByLabel("What is sent").selectOption(kind);
      await round.getByRole("button", { name: "Run 1,000" }).click();
      await untilText(round.getByRole("status"), /^finished$/);
      const cells = round.locator("table").first().locator("tbody td");
      assert.deepEqual((await cells.allInnerTexts()).slice(0, 3), [kind, "1000", "0"]);
      await untilCount(round.locator(".bench-chart svg"), 4);
      const counted = kind === "calls" ? "wrote no block" : "counted 1,000 transactions";
      await round.getByText(counted).waitFor();
    }
    await panel.getByRole("button", { name: "Wipe …" }).click();
    await page.getByRole("button", { name: "Wipe everything" }).click();
    await panel.getByRole("button", { name: "Start" }).waitFor();
    assert.deepEqual(site.errors, []);
  },
);

test("on a page that is no secure context it is reported how to open it", async () => {
  const page = await site.context.newPage();
  await page.addInitScript(
    "Object.defineProperty(globalThis, 'isSecureContext', { value: false })",
  );
  await page.goto(`${site.base}/#/node`);
  await page.getByText("open it through localhost or https").waitFor();
  assert.equal(await page.getByRole("button", { name: "Start" }).count(), 0);
});
