/** What keeps people out of a page that a real browser shows. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Serious and critical findings, each with the first element that it is about. */
const findingsOf = (options: object) =>
  `axe.run(document, ${JSON.stringify({ ...options, resultTypes: ["violations"] })})
  .then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => id + ": " + help + " " + nodes[0].html.slice(0, 200)))`;
/** What is wider than the screen, when the page scrolls sideways. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll("main *, header *")]
    .filter((it) => it.getBoundingClientRect().right > clientWidth + 1)
    .slice(0, 3)
    .map((it) => it.outerHTML.slice(0, 120));
})()`;

/** Serious and critical findings of axe. */
export async function axeFindings(page: Page, options: object = {}): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  return (await page.evaluate(findingsOf(options))) as string[];
}

/** What is wider than the screen. */
export async function overflowing(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(OVERFLOW)) as string[];
}
