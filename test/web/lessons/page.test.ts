/** The lessons in real Chromium: turning pages, the link into the theatre, the proof that fails. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { untilCount, untilText, untilTrue } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { inFull } from "../../support/runner/in-full.ts";

const DESKTOP = { width: 1280, height: 900 };
let site: Site;
/** Each lesson is opened in it anew: nothing is loaded twice. */
let page: Page;
beforeAll(async () => {
  site = await openSite({ viewport: DESKTOP, locale: "en" });
  page = await site.tab("#/lessons");
});
afterAll(async () => {
  await site?.close();
});

/** Leaves the lesson of before, whose animations have been seen, and opens an address. */
async function open(address: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize(DESKTOP);
  await page.goto(`${site.base}/#/lessons`);
  await page.locator("[data-lesson=merkle-proof]").waitFor();
  await page.goto(`${site.base}/${address}`);
}

/** Where the step of the lesson ends, once it is known. */
async function shotOf(): Promise<string> {
  await page.locator(".lesson:not([data-shot=''])").waitFor();
  return (await page.locator(".lesson").getAttribute("data-shot")) ?? "";
}

test("a lesson turns its pages, checks its claims, and ends in the theatre at its moment", async () => {
  await page.locator("[data-lesson=merkle-proof]").waitFor();
  await untilCount(page.locator("[data-lesson]"), 9);
  await page.locator("[data-lesson=pbft-normal]").click();
  await shotOf();
  for (let step = 2; step <= 5; step++) {
    await page.locator("[data-go=next]").click();
    await page.getByText(`${step} of 8`).waitFor();
    await shotOf();
    assert.equal(await page.locator("[data-holds=false]").count(), 0);
  }
  await page.keyboard.press("ArrowLeft");
  await page.getByText("4 of 8").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText("5 of 8").waitFor();
  const shot = await shotOf();
  await page.getByText("is locked, proved by a quorum").waitFor();
  await page.locator("[data-go=theatre]").click();
  await page.waitForSelector(`.stage[data-step="${shot}"]`);
  await untilCount(page.locator(".picture .mark.lock"), 1);
});

// Arrows turn pages in the test above.
inFull("arrows turn the pages of each lesson, and the list of keys says so", async () => {
  await open("#/lessons/merkle-proof/1");
  await page.getByText("1 of").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText("2 of").waitFor();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.getByText("To the next step").waitFor();
  await page.keyboard.press("ArrowLeft");
  await keys.getByRole("button", { name: "Close" }).click();
  await page.getByText("2 of").waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("1 of").waitFor();
});

// lessons.test.ts plays each lesson to each step.
inFull("a lesson that is opened at a later step gets there, and shows its statechart", async () => {
  await open("#/lessons/group-life/4");
  await shotOf();
  await page.locator('.chart [data-path="deleted"][data-lit="true"]').waitFor();
});

/** Whether the whole picture is on the screen, and large enough to see something. */
const IN_SIGHT = `(() => {
  const { top, bottom, height } = document.querySelector(".picture").getBoundingClientRect();
  return top >= -1 && bottom <= innerHeight && height > 200;
})()`;

// accessibility.test.ts has the pages on a phone.
inFull("on a phone the picture stays in sight while pages are turned", async () => {
  await open("#/lessons/pbft-normal/1");
  await page.setViewportSize({ width: 390, height: 844 });
  await shotOf();
  for (const step of [2, 3]) {
    await page.locator("[data-go=next]").click();
    await page.getByText(`${step} of 8`).waitFor();
    await page.evaluate("document.querySelector('.claims')?.scrollIntoView()");
    await untilTrue(page, IN_SIGHT);
  }
});

test("a changed byte makes the proof red, and put back it is green again", async () => {
  await open("#/lessons/merkle-proof/5");
  await page.locator("[data-ok=true]").waitFor();
  for (const place of ["input", "sibling", "upper", "root", "seal"]) {
    const button = page.locator(`[data-place=${place}] button`);
    await button.click();
    await page.locator("[data-ok=false]").waitFor();
    await button.click();
    await page.locator("[data-ok=true]").waitFor();
  }
});

test("lessons and theatre speak Chinese", async () => {
  const chinese = await openSite({ locale: "zh-CN" });
  try {
    const own = await chinese.tab("#/lessons/pbft-normal/1");
    await own.getByText("PBFT：正常流程").waitFor();
    await untilText(own.locator(".lesson-words"), /四个共识节点/);
    await own.goto(`${chinese.base}/#/theatre?play=1.pbft`);
    await own.getByRole("button", { name: "发送交易" }).waitFor();
    // Nothing is left without a text: keys of texts have dots.
    assert.doesNotMatch(await own.locator("main").innerText(), /\b[a-z]+\.[a-z]+\b/);
  } finally {
    await chinese.close();
  }
});

test("nothing failed, and no request left the origin", () => {
  assert.deepEqual(site.errors, []);
  assert.deepEqual(site.foreign, []);
});
