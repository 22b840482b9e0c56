/** The page as a static site, in real Chromium. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { openSite } from "../support/browser/site.ts";

/**
 * The others are opened by their addresses, from the same files, in explorer/sources.test.ts,
 * workbench/tab-workbench.test.ts, lessons/page.test.ts and node-page.test.ts.
 */
const PARTS = TAKES_ALL_CASES
  ? ["explorer", "workbench", "theatre", "lessons", "node"]
  : ["theatre"];

test("parts of the page open by their addresses, and nothing is asked of others", async () => {
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
