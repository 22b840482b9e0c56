/** The example of docs/browser.md, as a page of the same origin in real Chromium. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ROOT } from "../../support/runner/root.ts";
import { openSite } from "../../support/browser/site.ts";

const SCRIPT = readFileSync(join(ROOT, "docs/examples/ask-tab.mjs"), "utf8");
const HTML = '<!doctype html><body><script type="module" src="ask-tab.mjs"></script>';

test("the example asks the node of the browser and follows its blocks", async () => {
  const site = await openSite();
  try {
    const files = {
      "ask-tab.html": ["text/html", HTML],
      "ask-tab.mjs": ["text/javascript", SCRIPT],
    };
    for (const [name, [contentType = "", body = ""]] of Object.entries(files))
      await site.context.route(`${site.base}/${name}`, (route) =>
        route.fulfill({ contentType, body }),
      );
    for (let visit = 0; visit < 2; visit++) {
      const page = await site.tab("ask-tab.html");
      await page.getByText("block 0x0").waitFor();
      await page.getByText("group 9: -40001").waitFor();
    }
    assert.deepEqual(site.errors, []);
  } finally {
    await site.close();
  }
});
