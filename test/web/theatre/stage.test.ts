/** The theatre in real Chromium: each action through the page, links, scrubbing, keys. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { until, untilCount, untilText, untilTrue } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { inFull } from "../../support/runner/in-full.ts";

const DESKTOP = { width: 1280, height: 900 };
let site: Site;
/** Each scenario is opened in it anew: nothing is loaded twice. */
let stage: Page;
beforeAll(async () => {
  site = await openSite({ viewport: DESKTOP, locale: "en" });
  stage = await site.tab();
});
afterAll(async () => {
  await site?.close();
});

const CALM = "1.pbft.seed-7";
/** How many events are examined for what was done last. */
const NEWEST = 8;

/** Opens an address after the stage of before is gone. */
async function visit(address: string): Promise<Page> {
  await stage.setViewportSize(DESKTOP);
  await stage.goto(`${site.base}/#/theatre`);
  await stage.locator(".stage").waitFor({ state: "detached" });
  await stage.goto(`${site.base}/${address}`);
  return stage;
}

/** Opens a scenario and waits for its picture. */
async function play(text: string): Promise<Page> {
  const page = await visit(`#/theatre?play=${text}`);
  await page.waitForSelector(".stage[data-step]");
  return page;
}

/** What the stage shows: its step and the hash of everything up to it. */
async function shown(page: Page) {
  const stage = page.locator(".stage");
  const step = Number(await stage.getAttribute("data-step"));
  return { step, trace: (await stage.getAttribute("data-trace")) ?? "" };
}

/** Waits until the stage shows another trace, or that one. */
async function traceIs(page: Page, trace: string, wanted: boolean): Promise<void> {
  const one = `[data-trace="${trace}"]`;
  await page.locator(wanted ? `.stage${one}` : `.stage:not(${one})`).waitFor();
}

/** Does something and waits until the trace is another one. */
async function change(page: Page, act: () => Promise<void>): Promise<void> {
  const { trace } = await shown(page);
  await act();
  await traceIs(page, trace, false);
}

/** The newest events, in the words of the page. */
async function newestEvents(page: Page): Promise<string> {
  await page.getByRole("tab", { name: "Events" }).click();
  return (await page.locator(".events li").allInnerTexts()).slice(-NEWEST).join("\n");
}

/** Waits until the newest events have such words: the list follows the picture. */
async function told(page: Page, words: RegExp): Promise<void> {
  await page.getByRole("tab", { name: "Events" }).click();
  await untilText(page.locator(".events li"), words, NEWEST);
}

async function openMenu(page: Page, node: number): Promise<void> {
  await page.locator(`[data-node="${node}"]`).focus();
  await page.keyboard.press("m");
  await page.waitForSelector("[role=menu]");
}

/** Chooses an action in the menu of a node and waits for its event. */
async function menuAction(page: Page, node: number, id: string, words: RegExp): Promise<void> {
  await openMenu(page, node);
  await change(page, () => page.locator(`[data-action="${id}"]`).click());
  await told(page, words);
}

/** Waits until a node is called so. */
async function isCalled(page: Page, node: number, word: string): Promise<void> {
  await page.locator(`[data-node="${node}"][aria-label*="${word}"]`).waitFor();
}

// Each action by itself is in runtimes/shared/theatre/actions.test.ts; a menu acts in "keys play".
inFull("each action of a node's menu does what it says", async () => {
  const page = await play(CALM);
  await menuAction(page, 1, "pause", /Node 2 is paused/);
  await isCalled(page, 1, "paused");
  await menuAction(page, 1, "resume", /Node 2 goes on/);
  await menuAction(page, 1, "send", /sends a transaction to node 2/);
  await menuAction(page, 1, "lie.equivocate", /Node 2 begins to lie/);
  await menuAction(page, 1, "honest", /Node 2 is honest again/);
  await menuAction(page, 1, "lie.silent", /sends nothing/);
  await menuAction(page, 1, "honest", /honest/);
  await menuAction(page, 1, "lie.forge", /forges votes/);
  await menuAction(page, 1, "honest", /honest/);
  await menuAction(page, 1, "isolate", /network is split: 2 \| 1,3,4/);
  await untilCount(page.locator(".picture .cut"), 6);
  await menuAction(page, 1, "slow", /Messages take/);
  await menuAction(page, 1, "lose", /50 % of the messages get lost/);
  await menuAction(page, 1, "double", /arrive twice/);
  await openMenu(page, 2);
  await change(page, () => page.locator('[data-action="group.stop"]').click());
  while (!/group 1 is stopped/.test(await newestEvents(page)))
    await change(page, () => page.locator('[data-tool="step"]').click());
  await menuAction(page, 2, "kill", /Node 3 is switched off/);
  await isCalled(page, 2, " off");
  await menuAction(page, 2, "restart", /Node 3 starts/);
  await menuAction(page, 3, "removeNode", /takes a transaction/);
  assert.deepEqual(site.errors, []);
});

test("each tool of the bar does what it says", async () => {
  const page = await play("1.raft.nodes-3.seed-7");
  const tool = (id: string) => page.locator(`[data-tool="${id}"]`).click();
  await change(page, () => tool("align"));
  await told(page, /timers are aligned/);
  await change(page, () => tool("spread"));
  await told(page, /timers are spread/);
  await change(page, () => tool("term"));
  await told(page, /leads in term/);
  await change(page, () => tool("send"));
  await change(page, () => tool("block"));
  await told(page, /writes block 1/);
  await tool("partition");
  await page.getByRole("checkbox", { name: "node 3" }).check();
  await change(page, () => page.getByRole("button", { name: "Split" }).click());
  await untilCount(page.locator(".picture .cut"), 4);
  await change(page, () => tool("heal"));
  await untilCount(page.locator(".picture .cut"), 0);
  await tool("links");
  await page.getByLabel("Milliseconds").fill("300");
  await change(page, () => page.getByRole("button", { name: "Set" }).click());
  await told(page, /300/);
  await change(page, () => tool("addNode"));
  await untilCount(page.locator("[data-node]"), 4);
  assert.deepEqual(site.errors, []);
});

test("a message in flight is held, let go and dropped by hand", async () => {
  const page = await play(CALM);
  await change(page, () => page.locator('[data-tool="send"]').click());
  await page.getByRole("tab", { name: "Inspector" }).click();
  const flying = page.locator(".in-flight button");
  while ((await flying.count()) < 3)
    await change(page, () => page.locator('[data-tool="step"]').click());
  for (const id of ["hold", "deliver"]) {
    await flying.first().click();
    await change(page, () => page.locator(`.inspector [data-action="${id}"]`).click());
  }
  await flying.first().click();
  await change(page, () => page.locator('.inspector [data-action="drop"]').click());
  for (const words of [/is held/, /is let go/, /is dropped/]) await told(page, words);
});

// engine.test.ts has the same trace of a text; lessons/page.test.ts follows a link to a moment.
inFull("a link shows the same moment with the same trace, twice", async () => {
  const first = await play("1.pbft.seed-9.load-300");
  await change(first, () => first.locator('[data-tool="block"]').click());
  await openMenu(first, 2);
  await change(first, () => first.locator('[data-action="kill"]').click());
  await change(first, () => first.locator('[data-tool="block"]').click());
  await first.locator('[data-tool="copy"]').click();
  await first.waitForURL(/show-s/);
  const address = new URL(first.url()).hash;
  const wanted = await shown(first);
  for (const time of ["first", "second"]) {
    const page = await site.tab(address);
    await page.waitForSelector(`.stage[data-step="${wanted.step}"]`);
    assert.deepEqual(await shown(page), wanted, time);
    await page.close();
  }
  console.log(`${address} gives trace ${wanted.trace}`);
});

test("scrubbing goes back to the earlier picture, and an act there begins anew", async () => {
  const page = await play("1.pbft.seed-9.load-300");
  for (let count = 0; count < 5; count++)
    await change(page, () => page.locator('[data-tool="step"]').click());
  const early = await shown(page);
  const nodes = () =>
    page
      .locator(".picture [data-node]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  const before = await nodes();
  await change(page, () => page.locator('[data-tool="block"]').click());
  const late = await shown(page);
  await page.locator('[data-tool="scrub"]').fill(String(early.step));
  await traceIs(page, early.trace, true);
  assert.deepEqual(await nodes(), before);
  await openMenu(page, 3);
  await change(page, () => page.locator('[data-action="kill"]').click());
  assert.ok((await shown(page)).step < late.step);
  await isCalled(page, 3, " off");
});

test("a line across the picture splits the nodes", async () => {
  const page = await play(CALM);
  const box = await page.locator(".picture").boundingBox();
  assert.ok(box);
  const centre = box.x + box.width / 2;
  await change(page, async () => {
    await page.mouse.move(centre - 190, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(centre + 40, box.y + box.height / 2 - 20, { steps: 4 });
    await page.mouse.move(centre + 210, box.y + box.height - 60, { steps: 4 });
    await page.mouse.up();
  });
  await page.locator(".picture .cut").nth(5).waitFor({ state: "attached" });
});

test("keys play, step, choose and act", async () => {
  const page = await play("1.pbft.seed-9.load-300");
  await page.locator("body").press(" ");
  await page.waitForSelector('[data-tool="pause"]');
  await until(
    () => shown(page),
    ({ step }) => step >= 10,
    "step 10",
  );
  await page.locator("body").press(" ");
  await page.waitForSelector('[data-tool="play"]');
  await change(page, () => page.locator("body").press(","));
  await change(page, () => page.locator("body").press("."));
  await page.locator("body").press("2");
  await page.keyboard.press("m");
  await page.waitForSelector("[role=menuitem]:focus");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  const off = page.locator('[data-node="1"][aria-label*=" off"]');
  await off.waitFor();
  await page.locator("body").press("r");
  await off.waitFor({ state: "detached" });
  await page.locator("body").press("?");
  await page.getByText("Copy the link to this moment").waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(site.errors, []);
});

// A list of keys opens in "keys play".
inFull("a list of keys that is longer than the window opens at its top", async () => {
  const page = await play(CALM);
  const keys = page.getByRole("dialog", { name: "Keys" });
  const top = () => keys.evaluate((list) => list.scrollTop);
  const help = page.getByRole("button", { name: "Keys and help" });
  for (const [width, height] of [
    [1280, 500],
    [360, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const close of ["Escape", "Enter"]) {
      await help.click();
      await page.locator("dialog h2:focus").waitFor();
      assert.ok(await keys.evaluate((list) => list.scrollHeight > list.clientHeight));
      assert.equal(await top(), 0, `${width} wide`);
      if (close === "Enter") await keys.getByRole("button", { name: "Close" }).focus();
      await page.keyboard.press(close);
      await keys.waitFor({ state: "detached" });
      await page.locator("header button:focus", { hasText: "?" }).waitFor();
    }
  }
});

// lessons/page.test.ts changes the language of the theatre.
inFull("what was told last is told again in another language", async () => {
  const page = await play(CALM);
  const heard = page.locator("main p.visually-hidden[aria-live]");
  await change(page, () => page.locator('[data-tool="send"]').click());
  await untilText(heard, /sends a transaction/);
  await page.getByRole("button", { name: "中文" }).click();
  await untilText(heard, /交易/);
  await page.getByRole("button", { name: "English" }).click();
  await untilText(heard, /sends a transaction/);
});

test("statecharts light the states that the node is in", async () => {
  const page = await play(`${CALM}.show-t100`);
  await page.getByRole("tab", { name: "Statecharts" }).click();
  const lit = () =>
    page
      .locator('.chart [data-lit="true"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-path")));
  await until(lit, (paths) => paths.includes("member.sealer.idle"), "a sealer that waits");
  await page.getByRole("button", { name: "Group", exact: true }).click();
  await until(lit, (paths) => paths.includes("running"), "a running group");
});

// accessibility.test.ts has the theatre on a phone.
inFull("nothing flies for those who want no motion, and a phone shows everything", async () => {
  const page = await site.tab();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${site.base}/#/theatre?play=${CALM}.t0-send-0.show-t505`);
  await page.waitForSelector(".flight .way");
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(Number(wide) <= 360, `${wide} px wide`);
  await page.close();
});

/** Whether the picture was drawn for the shape that it has. */
const FITS = `(() => {
  const svg = document.querySelector(".picture");
  const { width, height } = svg.getBoundingClientRect();
  const drawn = svg.viewBox.baseVal;
  return Math.abs(drawn.width / drawn.height - width / height) < 0.1;
})()`;

/** Words of the nodes that lie over each other or leave their circle, by their texts. */
const CROWDED = `() => {
  const box = (one) => one.getBoundingClientRect();
  const wrong = [];
  for (const node of document.querySelectorAll(".picture .node")) {
    const body = box(node.querySelector(".body"));
    const words = [...node.querySelectorAll(":scope > text")];
    for (const [index, one] of words.entries()) {
      const { left, right, top, bottom } = box(one);
      if (left < body.left - 1 || right > body.right + 1) wrong.push(one.textContent + " leaves");
      const next = words[index + 1];
      // The boxes of lines hold room above and below their letters.
      const over = next ? bottom - box(next).top : 0;
      if (over > (bottom - top) / 2) wrong.push(one.textContent + " over " + next.textContent);
    }
  }
  return wrong;
}`;

// geometry.test.ts has where nodes and words stand.
inFull("the whole stage is seen, and what stands in a node can be read", async () => {
  const scene = "1.pbft.load-400.t900-kill-2.t1000-lie-0-equivocate.show-t2000";
  const page = await visit(`#/theatre?play=${scene}`);
  for (const [width, height] of [
    [1280, 900],
    [1920, 1080],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.locator('.node.leads [class="mark leader"]').waitFor();
    // The picture is drawn for the size that it has.
    await untilTrue(page, FITS);
    assert.deepEqual(await page.evaluate(`(${CROWDED})()`), [], `${width} wide`);
    await untilCount(page.locator(".node.off .cross"), 1);
    await untilCount(page.locator(".node .ring.full"), 2);
    if (width < 900) continue;
    await page.locator("body").press("4");
    const high = Number(await page.evaluate("document.documentElement.scrollHeight"));
    assert.ok(high <= height, `${high} px high`);
    assert.equal(await page.evaluate("scrollY"), 0);
  }
});

// Keys of the stage act in "keys play".
inFull("the picture alone goes to the whole screen, and back", async () => {
  const page = await play(`${CALM}.show-t100`);
  await page.locator("body").press("f");
  await page.locator(".stage .panels").waitFor({ state: "hidden" });
  await page.locator(".caption").waitFor();
  await page.locator("body").press("f");
  await page.locator(".stage .panels").waitFor();
  assert.deepEqual(site.errors, []);
});

test("a text that is no scenario is refused in words", async () => {
  const page = await visit("#/theatre?play=1.pbft.nodes-99");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /out of range.*nodes-99/);
});

test("no request left the origin", () => {
  assert.deepEqual(site.foreign, []);
});
