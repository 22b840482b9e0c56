/**
 * The page before a node that lies, in real Chromium: no tick stands next to a lie, and no false
 * value without its mark. A page that contradicts says so in its title and its first line.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import type { DevChain } from "../../../runtimes/node/dev/dev-chain.ts";
import {
  makeHistory,
  type Seen,
  startBuiltChain,
  teachAbi,
} from "../../support/browser/explorer-chain.ts";
import {
  FALSE_TEXTS,
  LIES,
  type Lie,
  type LyingProxy,
  startLyingProxy,
} from "../../support/browser/lying-proxy.ts";
import { until, untilText } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { type SitePage, sitePages } from "../../support/browser/site-pages.ts";
import { benchOf } from "../../support/browser/workbench.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { inFull } from "../../support/runner/in-full.ts";

let chain: DevChain;
let proxy: LyingProxy;
let site: Site;
let seen: Seen;
let page: Page;

beforeAll(async () => {
  chain = await startBuiltChain({ nodes: 4 });
  seen = await makeHistory(chain);
  proxy = await startLyingProxy(chain.rpcUrl);
  site = await openSite({ base: proxy.base, locale: "en-GB" });
  page = await site.tab("#/explorer/1/block/1");
  // The browser has seen the true chain before.
  await page.locator('[data-page-proof="proven"]').waitFor();
});

afterAll(async () => {
  await site?.close();
  await proxy?.close();
  await chain?.close();
});

/** What a page shows of false values and of comfort. */
interface Look {
  /** Texts with a false value in them that have no mark. */
  readonly unmarked: readonly string[];
  /** How many have one. */
  readonly marked: number;
  /** Texts with a tick. */
  readonly ticks: readonly string[];
  readonly title: string;
  /** The first line of the part, below the bar of the explorer. */
  readonly first: string;
  readonly proof: string | undefined;
  readonly isSettled: boolean;
}

/** Runs in the page. A mark counts where it can be seen, as soon as its value can be. */
const LOOK = `(falseTexts) => {
  const isIn = (text) => falseTexts.some((it) => text.toLowerCase().includes(it));
  const marks = (holder) => [holder, ...holder.querySelectorAll("*")]
    .filter((it) => it.hasAttribute("data-proof-mark") && it.checkVisibility());
  const isMarked = (element) => {
    const holder = element.closest("[data-proof]");
    const proof = holder?.dataset.proof;
    return (proof === "unproven" || proof === "contradicted") && marks(holder).length > 0;
  };
  const told = [];
  const ticks = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement: element, data } = node;
    if (element.closest("script, style")) continue;
    if (data.includes("✓")) ticks.push(element.parentElement.textContent);
    if (isIn(data)) told.push([data, isMarked(element)]);
  }
  for (const element of document.querySelectorAll("main *"))
    for (const said of [element.title, element.ariaLabel, element.value])
      if (typeof said === "string" && isIn(said)) told.push([said, isMarked(element)]);
  for (const element of document.querySelectorAll("main .good"))
    ticks.push(element.outerHTML.slice(0, 100));
  const first = [...document.querySelectorAll("main p, main h1, main h2, main dl")]
    .find((it) => it.checkVisibility() && !it.closest(".explorer-bar"));
  return {
    unmarked: told.filter(([, isIt]) => !isIt).map(([text]) => text.slice(0, 80)),
    marked: told.filter(([, isIt]) => isIt).length,
    ticks,
    title: document.title,
    first: first?.textContent ?? "",
    proof: document.querySelector("main [data-page-proof]")?.dataset.pageProof,
    isSettled: document.querySelector('main .loading, [data-proof="pending"]') === null,
  };
}`;

async function look(lies: readonly Lie[]): Promise<Look> {
  const texts = JSON.stringify(lies.flatMap((lie) => FALSE_TEXTS[lie]));
  return (await page.evaluate(`(${LOOK})(${texts})`)) as Look;
}

/** Pages on which something of the chain stands. */
function pagesOf(): readonly SitePage[] {
  const { address } = sitePages(seen).find(({ name }) => name === "explorer-block") ?? {};
  assert.ok(address);
  const more = [
    { name: "explorer-block-0", address: "#/explorer/1/block/0", whole: "main h1" },
    { name: "explorer-deployed", address: `#/explorer/1/tx/${seen.deployed}`, whole: "main h1" },
    {
      name: "explorer-account",
      address: `#/explorer/1/address/${chain.accounts[0]?.address}`,
      whole: "main h1",
    },
  ];
  const whole = (name: string, selector: string) => (name === "explorer-trust" ? "h1" : selector);
  return [...sitePages(seen), ...more]
    .filter(({ name }) => !/^(theatre|lesson)/.test(name))
    .map((it) => ({ ...it, whole: whole(it.name, it.whole) }));
}

/** Whether the open page was loaded since the lies changed: what it has read is forgotten then. */
let isLoaded = false;

function lieAbout(lies: readonly Lie[]): void {
  proxy.lieAbout(lies);
  isLoaded = false;
}

/** Goes to a page as somebody does who opens the site anew, or who is there already. */
async function open(address: string): Promise<void> {
  if (isLoaded) {
    await page.evaluate(`new Promise((drawn) => {
      if (location.hash === ${JSON.stringify(address)}) drawn();
      const next = () => requestAnimationFrame(() => requestAnimationFrame(drawn));
      addEventListener("hashchange", next, { once: true });
      location.hash = ${JSON.stringify(address)};
    })`);
  } else {
    await page.goto("about:blank");
    await page.goto(`${site.base}/${address}`);
    isLoaded = true;
  }
  await page.locator("main h1").first().waitFor();
}

/** What a page shows once it has read all. */
async function visit({ address }: Pick<SitePage, "address">, lies: readonly Lie[]): Promise<Look> {
  await open(address);
  // What is read piece by piece has come when two looks in a row are the same.
  let last = "";
  return await until(
    () => look(lies),
    (found) => {
      const text = JSON.stringify(found);
      const isSame = found.isSettled && text === last;
      last = text;
      return isSame;
    },
    `${address} settles`,
  );
}

const CONTRADICTED = /^✗ This page is NOT what the sealers agreed on/;

function assertNoComfort(name: string, found: Look): void {
  assert.deepEqual(found.unmarked, [], `${name}: false values without a mark`);
  const isLie = found.proof === "contradicted" || found.title.startsWith("✗");
  // What a true block proves stays proven next to the receipts of its list, which have a mark.
  const isPart = /^explorer-block/.test(name) && found.proof === "proven";
  if (found.marked > 0 && !isPart)
    assert.deepEqual(found.ticks, [], `${name}: ticks next to a lie`);
  if (!isLie) return;
  assert.deepEqual(found.ticks, [], `${name}: ticks on a page that is contradicted`);
  assert.match(found.title, /^✗ NOT proven – /, name);
  assert.match(found.first, CONTRADICTED, name);
}

/** The pages that each lie contradicts: no others may say that they are contradicted. */
const CONTRADICTS: Readonly<Record<(typeof LIES)[number], readonly string[]>> = {
  transaction: ["explorer-block", "explorer-transaction", "explorer-failed", "explorer-deployed"],
  receipt: ["explorer-transaction", "explorer-failed", "explorer-deployed"],
  block: [
    "explorer-block",
    "explorer-block-0",
    "explorer-transaction",
    "explorer-failed",
    "explorer-deployed",
    "explorer-trust",
  ],
  // A changed list may be the one of the next block: it is marked, and contradicts nothing yet.
  sealers: [],
  code: [],
};

/** What a receipt reports falsely stands on most pages; the others need the same marks. */
const TOLD = TAKES_ALL_CASES ? LIES : (["receipt"] as const);
for (const lie of TOLD) {
  test(`a lie about the ${lie} is marked wherever it stands, and has no tick`, async () => {
    lieAbout([lie]);
    let marked = 0;
    const contradicted: string[] = [];
    for (const it of pagesOf()) {
      const found = await visit(it, [lie]);
      assertNoComfort(it.name, found);
      marked += found.marked;
      if (found.title.startsWith("✗")) contradicted.push(it.name);
    }
    assert.ok(proxy.changed > 0 && marked > 0, "nothing false was shown");
    assert.deepEqual(contradicted.sort(), [...CONTRADICTS[lie]].sort());
  });
}

// Each lie alone: the receipt above, a block below, and what else may lie in core/client/told-
// lies.test.ts.
inFull(
  "all lies together: no page of the chain has a tick, or an unmarked false value",
  async () => {
    let marked = 0;
    for (const it of pagesOf()) {
      // Each is opened anew.
      lieAbout(LIES);
      const found = await visit(it, LIES);
      assertNoComfort(it.name, found);
      marked += found.marked;
      if (it.name.startsWith("explorer") || it.name === "workbench") {
        assert.deepEqual(found.ticks, [], it.name);
      }
    }
    assert.ok(marked > 0);
  },
);

test("a failure that is reported as a success has no tick, in no list either", async () => {
  lieAbout(["receipt"]);
  for (const address of [`#/explorer/1/tx/${seen.reverted}`, "#/explorer/1/transactions"]) {
    await visit({ address }, ["receipt"]);
    await page.locator(".badge.told").first().waitFor();
    assert.equal(await page.locator("main .badge.good").count(), 0);
  }
});

// The same receipt, on pages of the explorer.
inFull("what the workbench sent is not green by a false receipt, and says so", async () => {
  lieAbout([]);
  await teachAbi(page, site.base, seen);
  await page.goto("about:blank");
  await page.goto(`${site.base}/#/workbench`);
  const bench = await benchOf(page);
  await bench.side("Contracts");
  const card = page.locator(`[data-contract="${seen.address}"]`);
  await card.locator("summary").first().click();
  const greet = await bench.functionOf(card, "greet");
  assert.equal((await bench.run(greet, { text: "good morning" })).kind, "sent");
  await page.locator("[data-outcome=sent].good").waitFor();
  lieAbout(["receipt"]);
  const sent = await bench.run(greet, { text: "good evening" });
  assert.equal(sent.kind, "sent", sent.text);
  const box = page.locator("[data-outcome=sent]");
  await box.locator('[data-page-proof="contradicted"]').waitFor();
  assert.equal(await box.locator(".good").count(), 0);
  const said = (await box.textContent()) ?? "";
  assert.match(said, /8,888,888 ✗ NOT proven/);
  assert.doesNotMatch(said, /✓/);
  assert.deepEqual((await look(["receipt"])).unmarked, []);
});

test("a block that fits in itself and that nobody signed has no tick, and marks", async () => {
  lieAbout(["unsealed"]);
  for (const address of ["#/explorer/1/block/2", "#/explorer/1/block/1"]) {
    const found = await visit({ address }, ["unsealed"]);
    assert.equal(found.proof, "unproven");
    assert.deepEqual([found.unmarked, found.ticks], [[], []]);
    assert.ok(found.marked > 0);
    assert.equal(await page.locator('[data-check="header"][data-verdict="good"]').count(), 1);
  }
});

test("a page whose marks are taken away is found, and so is a tick", async () => {
  const place = { address: `#/explorer/1/tx/${seen.greeted}` };
  lieAbout(["receipt"]);
  await visit(place, ["receipt"]);
  await page.evaluate(`(() => {
    for (const it of document.querySelectorAll("[data-proof-mark]")) it.remove();
    document.querySelector("main h1").append(" ✓");
  })()`);
  const found = await look(["receipt"]);
  assert.ok(found.unmarked.length > 0);
  assert.equal(found.ticks.length, 1);
});

// Words of both languages stand in one table; explorer.test.ts changes the language.
inFull("the marks are in the language of the page", async () => {
  lieAbout(["receipt"]);
  await visit({ address: `#/explorer/1/tx/${seen.greeted}` }, ["receipt"]);
  await page.getByRole("button", { name: "中文" }).click();
  await untilText(page.locator("[data-page-proof]"), /与共识结果不符/);
  await untilText(page.locator("[data-contradicted]"), /此页与共识结果不符/);
  await page.locator("dd [data-proof-mark]", { hasText: "验证未通过" }).first().waitFor();
  await until(
    () => page.title(),
    (title) => title.startsWith("✗ 验证未通过 – 交易 "),
    "the title in Chinese",
  );
  await page.getByRole("button", { name: "English" }).click();
});

test("a node that tells the truth again is shown as before", async () => {
  lieAbout([]);
  for (const address of [`#/explorer/1/tx/${seen.greeted}`, "#/explorer/1/block/2"]) {
    const found = await visit({ address }, LIES);
    assert.deepEqual([found.proof, found.marked], ["proven", 0]);
    assert.ok(found.ticks.length > 0);
    assert.doesNotMatch(found.title, /✗/);
  }
});

test("nothing was asked of others, and no script failed", () => {
  assert.deepEqual(site.foreign, []);
  // The proxy has no web sockets: the page asks instead.
  assert.deepEqual(
    site.errors.filter((it) => !/WebSocket connection/.test(it)),
    [],
  );
});
