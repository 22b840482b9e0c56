/** Examines a page that draws itself anew: each waits until it shows what is expected. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/** Nothing that a page is waited for takes longer, also on a machine with other work. */
const PATIENCE_MS = 240_000;
/** Each look lays the page out anew. */
const POLL_MS = 100;

/** Waits until exactly this many elements match. */
export async function untilCount(places: Locator, count: number): Promise<void> {
  await until(
    () => places.count(),
    (found) => found === count,
    `${count} of ${places}`,
  );
}

/** Waits until the text of all that matches fits; an element may come and go meanwhile. */
export async function untilText(places: Locator, words: RegExp, newest = 0): Promise<void> {
  const look = async () => (await places.allInnerTexts()).slice(-newest).join("\n");
  await until(look, (text) => words.test(text), `${words} in ${places}`);
}

/** Waits until the page has exactly this title. */
export async function untilTitle(page: Page, title: string): Promise<void> {
  await until(
    () => page.title(),
    (found) => found === title,
    `the title ${title}`,
  );
}

/**
 * Waits until an expression is true in the page. The driver's own wait evaluates text inside the
 * page, which the page's policy forbids unless it is true at the first look.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(
    () => page.evaluate(expression),
    (found) => found === true,
    expression,
  );
}

/**
 * Waits until an expression holds in a page whose policy allows that. By default the driver looks
 * whenever the page is drawn, which it then is sixty times a second.
 */
export async function untilHolds(page: Page, expression: string): Promise<void> {
  await page.waitForFunction(expression, undefined, { polling: POLL_MS });
}

/** Looks again until the answer holds; gives it. */
export async function until<Answer>(
  look: () => Promise<Answer>,
  holds: (answer: Answer) => boolean,
  what: string,
): Promise<Answer> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await look();
    if (holds(answer)) return answer;
    assert.ok(performance.now() < end, `in vain: ${what}, there is ${JSON.stringify(answer)}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
