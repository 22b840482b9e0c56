/** The page as a static site, in real Chromium. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { openSite } from "../support/site.ts";

test("each part of the page opens by its address, and nothing is asked of others", async () => {
  const site = await openSite();
  try {
    for (const name of ["explorer", "workbench", "theatre", "lessons", "node"]) {
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
