/** The editor while somebody types faster than the page draws. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { untilTrue } from "../../support/browser/page-looks.ts";
import { openSite } from "../../support/browser/site.ts";

const COUNT = 40;
/** Types within one turn: drawing is due after each letter, and none is finished in between. */
const TYPE = `(async () => {
  const content = document.querySelector(".cm-content");
  content.focus();
  for (let i = 0; i < ${COUNT}; i++) {
    document.execCommand("insertText", false, "x");
    for (let hop = 0; hop < 8; hop++) await Promise.resolve();
  }
})()`;

test("letters that are typed before the page has drawn the last ones all stay", async () => {
  const site = await openSite({ locale: "en" });
  try {
    const page = await site.tab("#/workbench");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.evaluate(TYPE);
    const first = page.locator(".cm-line").first();
    await untilTrue(
      page,
      `document.querySelector(".cm-line")?.textContent.startsWith("x".repeat(${COUNT}))`,
    );
    // The page has not stopped answering, and what was typed is what it keeps.
    await page.keyboard.press("Control+s");
    const kept = await page.evaluate("Object.values(localStorage).join()");
    assert.ok(String(kept).includes("x".repeat(COUNT)));
    assert.ok((await first.textContent())?.startsWith("x".repeat(COUNT)));
    assert.deepEqual(site.errors, []);
  } finally {
    await site.close();
  }
});
