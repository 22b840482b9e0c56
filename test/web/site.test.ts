/** The page as a static site, in real Chromium. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "vitest";
import { FRESH, openSite } from "../support/site.ts";

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

/** Resolves once the record is as durable as the browser makes it. */
const WRITE = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("kept", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("rows");
  opening.onsuccess = () => {
    const writing = opening.result.transaction("rows", "readwrite", { durability: "strict" });
    writing.objectStore("rows").put("yes", "before");
    writing.oncomplete = () => resolve(true);
    writing.onabort = () => reject(writing.error);
  };
})`;
const READ = `new Promise((resolve) => {
  const opening = indexedDB.open("kept", 1);
  opening.onsuccess = () => {
    const reading = opening.result.transaction("rows").objectStore("rows").get("before");
    reading.onsuccess = () => resolve(reading.result);
  };
})`;

test("what a profile was given durably outlives the browser that was killed", async () => {
  const first = await openSite({ profile: FRESH });
  const { profile, port } = first;
  await (await first.tab()).evaluate(WRITE);
  await first.kill();
  const second = await openSite({ profile, port });
  try {
    assert.equal(await (await second.tab()).evaluate(READ), "yes");
  } finally {
    await second.close();
    rmSync(profile, { recursive: true, force: true });
  }
});
