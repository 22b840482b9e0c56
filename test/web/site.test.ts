/** The page as a static site, in real Chromium. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TAKES_ALL_CASES } from "../support/cases.ts";
import { openSite } from "../support/site.ts";

/** Where the others are opened by their addresses, from the same files. */
const OPENED_ELSEWHERE = {
  explorer: "explorer/sources.test.ts",
  workbench: "workbench/tab-workbench.test.ts",
  lessons: "lessons/page.test.ts",
  node: "node-page.test.ts",
};
const PARTS = TAKES_ALL_CASES ? [...Object.keys(OPENED_ELSEWHERE), "theatre"] : ["theatre"];

test("each part of the page opens by its address, and nothing is asked of others", async () => {
  const site = await openSite();
  try {
    for (const name of PARTS) {
      const page = await site.tab(`#/${name}`);
      await page.locator("main h1").first().waitFor();
      await page.close();
    }
    assert.deepEqual(site.errors, []);
    assert.deepEqual(site.foreign, []);
  } finally {
    await site.close();
  }
});
