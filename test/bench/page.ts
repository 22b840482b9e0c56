/** The page in real Chromium: how soon it shows something, and whether a long session stutters. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { makeHistory, startBuiltChain } from "../support/browser/explorer-chain.ts";
import { ROOT } from "../support/runner/root.ts";
import { FRESH, openSite, type Site } from "../support/browser/site.ts";
import { LongChain } from "./long-chain.ts";

/** What a visit showed. */
export interface PageFigures {
  /** Blocks of the chain that was examined. */
  readonly blocks: number;
  /** Median of a first visit without a cache, and of a later one. */
  readonly firstPaintMs: number;
  readonly laterPaintMs: number;
  /** Tasks of more than 50 ms during the session, the longest first. */
  readonly longTasksMs: readonly number[];
  readonly sessionMs: number;
  /** Rows that were drawn during the session. */
  readonly rowsSeen: number;
  /** Sum of what moved by itself; 0.1 counts as good. */
  readonly layoutShift: number;
}

const HEIGHT = 100_000;
const BLOCKS_PER_SECOND = 10;
const VISITS = 5;
/** Places of the scroll bar that are jumped to. */
const JUMPS = [0.25, 0.9, 0.5, 1, 0.1, 0.75, 0.01, 0.33];

/** Runs before the page's own scripts. */
const WATCH = `
  globalThis.watched = { longTasks: [], shift: 0, rows: new Set() };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) if (!it.hadRecentInput) watched.shift += it.value;
  }).observe({ type: "layout-shift", buffered: true });
`;
const FIRST_PAINT = `(async () => {
  for (;;) {
    const [entry] = performance.getEntriesByName("first-contentful-paint");
    if (entry) return entry.startTime;
    await new Promise((resume) => setTimeout(resume, 10));
  }
})()`;
/** Notes which blocks are on the screen, frame by frame. */
const NOTE_ROWS = `(() => {
  const note = () => {
    for (const { hash } of document.querySelectorAll(".virtual-row a")) watched.rows.add(hash);
    requestAnimationFrame(note);
  };
  note();
})()`;
const RESULT = `({
  longTasks: watched.longTasks,
  shift: watched.shift,
  rows: watched.rows.size,
})`;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function firstPaints(base: string, isFirst: boolean): Promise<number> {
  const paints: number[] = [];
  const kept = isFirst ? undefined : await openSite({ base, profile: FRESH });
  for (let i = 0; i <= VISITS; i++) {
    const site = kept ?? (await openSite({ base, profile: FRESH }));
    const page = await site.tab("#/explorer/1");
    const paint = (await page.evaluate(FIRST_PAINT)) as number;
    // The first visit of a kept profile fills the cache.
    if (isFirst || i > 0) paints.push(paint);
    await page.close();
    if (!kept) await site.close();
  }
  await kept?.close();
  return median(paints);
}

/** Scrolls the list of all blocks as people do: by wheel, by the bar, by keys. */
async function scroll(page: Page): Promise<void> {
  const list = page.locator(".virtual");
  await list.locator("time").first().waitFor();
  await list.hover();
  for (let i = 0; i < 200; i++) {
    await page.mouse.wheel(0, i % 40 === 39 ? -4_000 : 700);
    await page.waitForTimeout(15);
  }
  for (const share of JUMPS) {
    await list.evaluate((element, at) => {
      element.scrollTop = element.scrollHeight * at;
    }, share);
    await list.locator("time").first().waitFor();
    await page.waitForTimeout(300);
  }
  await list.focus();
  for (const key of ["End", "PageUp", "PageUp", "Home", "PageDown", "PageDown", "PageDown"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(250);
  }
}

/** Reads on: a block in the middle, its transaction, the nodes, the transactions. */
async function read(page: Page, base: string): Promise<void> {
  for (const number of [50_000, 99_999, 1]) {
    await page.goto(`${base}/#/explorer/1/block/${number}`);
    await page.locator(".checks").waitFor();
  }
  await page.locator(".tx-row a").first().click();
  await page.locator("[data-proofs] .checks").waitFor();
  for (const [path, whole] of [
    ["/nodes", "tbody tr"],
    ["/transactions", ".virtual-row"],
    ["", ".latest time"],
    ["/blocks", ".virtual-row time"],
  ] as const) {
    await page.goto(`${base}/#/explorer/1${path}`);
    await page.locator(whole).first().waitFor();
    await page.waitForTimeout(500);
  }
}

async function session(site: Site) {
  const page = await site.context.newPage();
  await page.addInitScript(WATCH);
  const began = performance.now();
  await page.goto(`${site.base}/#/explorer/1/blocks`);
  await page.evaluate(NOTE_ROWS);
  await scroll(page);
  await read(page, site.base);
  const sessionMs = performance.now() - began;
  const found = (await page.evaluate(RESULT)) as {
    readonly longTasks: readonly number[];
    readonly shift: number;
    readonly rows: number;
  };
  return { ...found, sessionMs };
}

/** Visits a chain that looks 100,000 blocks long and grows. */
export async function measurePage(say: (line: string) => void): Promise<PageFigures> {
  const chain = await startBuiltChain({ nodes: 4 });
  await makeHistory(chain);
  const long = new LongChain({
    url: chain.rpcUrl,
    height: HEIGHT,
    blocksPerSecond: BLOCKS_PER_SECOND,
    folder: join(ROOT, "dist", "web"),
  });
  const server = await long.start();
  try {
    say("first paint ...");
    const firstPaintMs = await firstPaints(server.url, true);
    const laterPaintMs = await firstPaints(server.url, false);
    say("a session ...");
    const site = await openSite({ base: server.url, profile: FRESH });
    const { longTasks, shift, rows, sessionMs } = await session(site);
    await site.close();
    return {
      blocks: long.height,
      firstPaintMs,
      laterPaintMs,
      longTasksMs: [...longTasks].sort((a, b) => b - a),
      sessionMs,
      rowsSeen: rows,
      layoutShift: shift,
    };
  } finally {
    await server.close();
    await chain.close();
  }
}
