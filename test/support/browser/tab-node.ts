/** The node of a browser from a page that is not ours: a blank one of the same origin. */
import type { Page } from "playwright-core";
import type { StartRequest, TabStatus } from "../../../runtimes/browser/link/api.ts";
import type { Ask } from "../client/json-rpc-session.ts";
import type { Site } from "./site.ts";

/** A page that holds the node of its browser. */
export interface TabPage {
  readonly page: Page;
  /** The text of a JSON-RPC body to a node, and its answer. */
  readonly ask: Ask;
  askNode(node: number): Ask;
  request(method: string, params: readonly unknown[], node?: number): Promise<unknown>;
  start(request: StartRequest): Promise<void>;
  status(): Promise<TabStatus>;
  /** Waits until the status fits; `condition` is an expression over `status`. */
  until(condition: string): Promise<TabStatus>;
}

const HTML = '<!doctype html><meta charset="utf-8"><title>another page</title>';
const PATH = "another-page.html";
const LIMIT_MS = 240_000;
/** By default the page is drawn sixty times a second for as long as it is asked. */
const POLL_MS = 50;

const CONNECT = `import("/bridge.js").then(async ({ connectTabNode }) => {
  globalThis.tab = await connectTabNode();
})`;

function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Opens a tab whose page does nothing but hold the node. */
export async function openTabPage(site: Site): Promise<TabPage> {
  await site.context.route(`${site.base}/${PATH}`, (route) =>
    route.fulfill({ contentType: "text/html", body: HTML }),
  );
  const page = await site.context.newPage();
  await page.goto(`${site.base}/${PATH}`);
  return holdTab(page);
}

/** Connects a page that is open. */
export async function holdTab(page: Page): Promise<TabPage> {
  await page.evaluate(CONNECT);
  const askNode = (node: number): Ask => {
    return (body) => page.evaluate(`tab.worker.post(${json(body)}, ${node})`) as Promise<string>;
  };
  return {
    page,
    ask: askNode(0),
    askNode,
    request: (method, params, node = 0) =>
      page.evaluate(`tab.providerOf(${node}).request(${json({ method, params })})`),
    start: (request) => page.evaluate(`tab.start(${json(request)})`),
    status: () => page.evaluate("tab.status()"),
    async until(condition) {
      const holds = `(() => { const status = tab.status(); return ${condition}; })()`;
      await page.waitForFunction(holds, undefined, { timeout: LIMIT_MS, polling: POLL_MS });
      return page.evaluate("tab.status()");
    },
  };
}
