/** No page keeps people out: axe in both themes, and a phone's width. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import type { Page } from "playwright-core";
import type { DevChain } from "../../runtimes/node/dev/dev-chain.ts";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { makeHistory, type Seen, startBuiltChain } from "../support/browser/explorer-chain.ts";
import { axeFindings, overflowing } from "../support/browser/obstacles.ts";
import { openSite, type Site } from "../support/browser/site.ts";
import { type SitePage, sitePages } from "../support/browser/site-pages.ts";
import { inFull } from "../support/runner/in-full.ts";

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 800 };

let chain: DevChain;
let site: Site;
let seen: Seen;
let page: Page;

beforeAll(async () => {
  chain = await startBuiltChain({ nodes: 4 });
  seen = await makeHistory(chain);
  site = await openSite({ base: chain.rpcUrl, locale: "en-GB" });
  page = await site.tab();
});

afterAll(async () => {
  await site?.close();
  await chain?.close();
});

/** Holds once the page has drawn what its address names: before, the last page is still there. */
const DRAWN = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;

async function visit(address: string): Promise<void> {
  await page.goto(`${site.base}/${address}`);
  await page.evaluate(DRAWN);
}

async function open({ name, address, whole }: SitePage): Promise<void> {
  await visit(address);
  const isWhole = page.locator(whole).first().waitFor();
  await isWhole.catch((cause: unknown) => assert.fail(`${name}: ${String(cause)}`));
}

/** What pages show only when they are asked to: tabs, and the list of keys. */
const FURTHER = [
  { address: "#/workbench", role: "tab", name: "Contracts" },
  { address: "#/workbench", role: "tab", name: "Accounts" },
  { address: "#/theatre?play=1.pbft.load-1000.show-s150", role: "tab", name: "Events" },
  { address: "#/theatre?play=1.pbft.load-1000.show-s150", role: "tab", name: "Statecharts" },
  { address: "#/theatre?play=1.pbft.load-1000.show-s150", role: "tab", name: "Inspector" },
  { address: "#/lessons", role: "button", name: "Keys and help" },
] as const;

/** An address that leads to no page. */
const NOWHERE: SitePage = { name: "nowhere", address: "#/nowhere/1", whole: "[data-no-page]" };

/** What keeps people out of a page: one of its looks. */
interface Look {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly size: typeof DESKTOP;
  find(): Promise<readonly string[]>;
}

const findings = (options?: object) => axeFindings(page, options);
const overflow = () => overflowing(page);
/** The dark theme has other colours, and nothing else. */
const COLOURS = { runOnly: ["color-contrast", "link-in-text-block"] };
const LIGHT: Look = { name: "light", colorScheme: "light", size: DESKTOP, find: () => findings() };
const DARK: Look = { ...LIGHT, name: "dark", colorScheme: "dark", find: () => findings(COLOURS) };
const NARROW: Look = { name: "phone", colorScheme: "dark", size: PHONE, find: overflow };

/**
 * Pages that show nothing but headings, texts, links, forms and tables: each with the colours that
 * these have everywhere, so that with few cases one of them is examined in the dark for all. What
 * has colours of its own, as verdicts, a stage, code or a state, is examined in both themes.
 */
const PLAIN: ReadonlySet<string> = new Set([
  "explorer-contracts",
  "explorer-pool",
  "explorer-groups",
  "lessons",
  "nowhere",
]);
const PLAIN_IN_THE_DARK = "explorer-groups";
/** With few cases: one page of every kind of element, each of which has its styles everywhere. */
const FEW: ReadonlySet<string> = new Set([
  "explorer-transaction",
  "explorer-groups",
  "workbench",
  "theatre",
  "node",
]);

function looksAt(name: string): readonly Look[] {
  const isLightEnough = !TAKES_ALL_CASES && PLAIN.has(name) && name !== PLAIN_IN_THE_DARK;
  return isLightEnough ? [LIGHT, NARROW] : [LIGHT, DARK, NARROW];
}

async function wear({ colorScheme, size }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  await page.evaluate(DRAWN);
}

/** Visits every page once; gives what was found where, by the names of the looks. */
async function findOnAll(): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, string[]> = { light: [], dark: [], phone: [] };
  const lookAt = async (name: string) => {
    for (const look of looksAt(name)) {
      await wear(look);
      found[look.name]?.push(...(await look.find()).map((what) => `${name}: ${what}`));
    }
    await page.setViewportSize(DESKTOP);
  };
  const isLooked = ({ name }: SitePage) => TAKES_ALL_CASES || FEW.has(name);
  for (const it of [...sitePages(seen), NOWHERE].filter(isLooked)) {
    await open(it);
    await lookAt(it.name);
  }
  for (const { address, role, name } of TAKES_ALL_CASES ? FURTHER : FURTHER.slice(0, 1)) {
    await visit(address);
    await page.getByRole(role, { name }).click();
    await page.evaluate(DRAWN);
    await lookAt(`${name} of ${address}`);
    await page.keyboard.press("Escape");
  }
  return found;
}

test("no page has a serious finding of axe, or is wider than a phone", async () => {
  assert.deepEqual(await findOnAll(), { light: [], dark: [], phone: [] });
});

/** A box for tables, with nothing inside but its width. */
const boxOf = (width: number) => `document.body.innerHTML =
  '<section class="table-scroll"><div style="width: ${width}px; height: 80px"></div></section>'`;
const SCROLL_TO_END = `document.querySelector(".table-scroll").scrollLeft = 10000`;

/** What is drawn at the edges of the box; text, so that it can be compared. */
async function edges(): Promise<{ readonly left: string; readonly right: string }> {
  await page.evaluate(DRAWN);
  const box = await page.locator(".table-scroll").boundingBox();
  assert.ok(box);
  const { x, y, width } = box;
  const drawn = async (at: number) => {
    const clip = { x: at, y: y + 20, width: 20, height: 20 };
    return (await page.screenshot({ clip })).toString("base64");
  };
  return { left: await drawn(x + 2), right: await drawn(x + width - 22) };
}

// Pages wider than a phone are found above.
inFull("a table that goes on beyond an edge of a phone says so in both themes", async () => {
  await page.setViewportSize(PHONE);
  await visit("#/lessons");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(boxOf(100));
    const whole = await edges();
    assert.equal(whole.left, whole.right);
    await page.evaluate(boxOf(1000));
    const begin = await edges();
    assert.equal(begin.left, whole.left);
    assert.notEqual(begin.right, whole.right);
    await page.evaluate(SCROLL_TO_END);
    const end = await edges();
    assert.notEqual(end.left, whole.left);
    assert.equal(end.right, whole.right);
  }
  await page.reload();
});

/** Put in place of the page's own elements, which it would draw anew with the next block. */
const BROKEN = `(() => {
  const wide = '<div style="width: 2000px">wide</div>';
  const pale = '<p style="color: #ccc; background: #fff">pale</p>';
  document.body.innerHTML = '<main><input>' + wide + pale + '</main>';
})()`;

test("what keeps people out is found", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  await open({ name: "broken", address: "#/explorer/1/groups", whole: "tbody tr" });
  await page.evaluate(BROKEN);
  const found = (await findings()).join("\n");
  assert.match(found, /^label: /m);
  assert.match(found, /^color-contrast: /m);
  assert.match((await overflow()).join("\n"), /wide/);
  await page.reload();
});

test("nothing was asked of others, and no script failed", () => {
  assert.deepEqual(site.foreign, []);
  assert.deepEqual(site.errors, []);
});
