/**
 * Web pages of other origins in real Chromium, against a development chain: what they send, read
 * and show, and that the node's own page, listed pages and programs go on as before.
 */
// rules: README 24
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, Frame, Page, Response } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { encodeCall } from "../../../core/abi/encode.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { openContext } from "../../support/browser/chromium.ts";
import {
  type DevProcess,
  request,
  startDevProcess,
  steadyPorts,
  waitForReceipt,
} from "../../support/process/dev-process.ts";
import { createSender } from "../../support/sender.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";

const LIMIT_MS = 120_000;
const CONSENSUS = `0x${"1003".padStart(40, "0")}`;
const FORBIDDEN = -100_001;
const suite = createStandardSuite();
const sign = createSender(suite);

let folder: string;
let dev: DevProcess;
let outsiders: Server;
let context: BrowserContext;
/** RPC URL of node 0, and its port. */
let url: string;
let port: number;
/** Port of the server of another origin. */
let other: number;
/** Removes node 1 from the sealers, signed by a key that nobody knows. */
let removal: { readonly body: string; readonly hash: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chain-strange-pages-"));
  outsiders = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end("<!doctype html><title>another origin</title>");
  });
  await new Promise<void>((resolve) => outsiders.listen(0, "127.0.0.1", resolve));
  ({ port: other } = outsiders.address() as AddressInfo);
  port = await steadyPorts(2);
  const lists = ["--cors", `http://app.example.com:${other}`, "--allow-host", "ours.example.com"];
  const args = ["--nodes", "2", "--channel-port", `${await steadyPorts(2)}`, ...lists];
  dev = await startDevProcess({ data: join(folder, "chain"), port, args });
  url = dev.urls[0] ?? "";
  const second = (await (await fetch(`${dev.urls[1]}/readyz`)).json()) as { nodeId: string };
  const input = encodeCall("remove(string)", [second.nodeId], suite.hash);
  const { raw, hash } = sign({ head: 0, to: CONSENSUS, input });
  removal = { body: bodyOf("sendRawTransaction", [1, raw]), hash };
  context = await openContext();
}, LIMIT_MS);

afterAll(async () => {
  await context?.close();
  outsiders?.close();
  await dev?.end("SIGTERM");
  await rm(folder, { recursive: true, force: true });
});

function bodyOf(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

async function tabAt(address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

const sealers = async () => ((await request(url, "getSealerList", [1])) as string[]).length;

/** Sends without leave to read the answer, as any page can; what the node answers. */
async function blindPost(page: Page, body: string): Promise<Response> {
  const isAnswer = (it: Response) => it.url() === `${url}/`;
  const send = ([to, text]: readonly [string, string]) =>
    fetch(to, { method: "POST", mode: "no-cors", body: text }).then(() => undefined);
  const sent = () => page.evaluate(send, [`${url}/`, body] as const);
  const [answer] = await Promise.all([page.waitForResponse(isAnswer), sent()]);
  return answer;
}

/** A document that sends itself: a form says `name=value`, so that the sign is part of an id. */
function formOf(body: string): string {
  const [name, value] = body.replace('"id":1', '"id":"=1"').split("=");
  const field = `<input name='${name}' value='${value}'>`;
  const form = `<form method="post" enctype="text/plain" action="${url}/">${field}</form>`;
  return `${form}<script>document.forms[0].submit()</script>`;
}

/** Shows a document in a frame whose origin is none. */
const frameOf = (page: Page, html: string) =>
  page.evaluate((text) => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-forms");
    frame.srcdoc = text;
    document.body.append(frame);
  }, html);

/**
 * The code of the node's answer to a document that sent itself, read where it is shown: of a frame
 * whose process changes the requests are not always told.
 */
async function codeShown(page: Page): Promise<number | undefined> {
  const isAnswer = (it: Frame) => it.url() === `${url}/`;
  while (!page.frames().some(isAnswer)) await sleep(20);
  const shown = page.frames().find(isAnswer)?.locator("pre");
  const { error } = JSON.parse((await shown?.textContent()) ?? "") as { error?: { code: number } };
  return error?.code;
}

/** Statuses of what a page asks its own origin for. */
function statuses(page: Page, asked: readonly (readonly [string, string | undefined])[]) {
  return page.evaluate(
    (all) =>
      Promise.all(
        all.map(async ([path, body]) => {
          const init = body === undefined ? {} : { method: "POST", body };
          const answer = await fetch(path, init);
          void answer.body?.cancel();
          return answer.status;
        }),
      ),
    asked,
  );
}

/** How a page's WebSocket to an address ends up. */
function socketFrom(page: Page, to: string): Promise<string> {
  return page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }),
    to,
  );
}

const ALL_FOREIGN = [
  ["a page of another origin", () => `http://evil.example.com:${other}`],
  ["a page from another port of the same host", () => `http://127.0.0.1:${other}`],
] as const;
/** Whose page it is, the node reads in one header: all forms of it are in http-server.test.ts. */
const FOREIGN = TAKES_ALL_CASES ? ALL_FOREIGN : ALL_FOREIGN.slice(0, 1);
for (const [who, addressOf] of FOREIGN) {
  test(`a blind POST of ${who} takes no sealer out of the chain`, async () => {
    const page = await tabAt(addressOf());
    for (const body of [removal.body, bodyOf("stopGroup", [1])])
      assert.equal((await blindPost(page, body)).status(), 200);
    // Answered is submitted: what was taken would be there or executed.
    assert.equal(Number(await request(url, "getPendingTxSize", [1])), 0);
    assert.equal(await sealers(), 2);
    const html = formOf(removal.body);
    await frameOf(page, html);
    assert.equal(await codeShown(page), FORBIDDEN);
    await page.goto(addressOf());
    await page.setContent(html);
    assert.equal(await codeShown(page), FORBIDDEN);
    assert.equal(await sealers(), 2);
    await page.close();
  });

  test(`${who} cannot read answers, and gets no WebSocket`, async () => {
    const page = await tabAt(addressOf());
    const read = page.evaluate(async (to) => (await fetch(`${to}/readyz`)).status, url);
    await assert.rejects(read, /Failed to fetch/);
    assert.equal(await socketFrom(page, `ws://127.0.0.1:${port}/`), "refused");
    await page.close();
  });

  test(`${who} cannot show the node's page in a frame`, async () => {
    const page = await tabAt(addressOf());
    await page.evaluate(
      (to) =>
        new Promise<void>((resolve) => {
          const frame = document.createElement("iframe");
          frame.onload = () => resolve();
          frame.src = to;
          document.body.append(frame);
        }),
      `${url}/`,
    );
    const [frame] = page.mainFrame().childFrames();
    // The page learns of it before the driver does.
    await frame?.waitForURL("chrome-error://chromewebdata/");
    await page.close();
  });
}

const PATHS = [
  "/index.html",
  "/readyz",
  "/healthz",
  "/live?group=1",
  "/page.json",
  "/main.js",
] as const;

test("under a rebound name a page reads and sends nothing", async () => {
  const page = await context.newPage();
  const answer = await page.goto(`http://rebound.example.com:${port}/`);
  assert.equal(answer?.status(), 403);
  assert.match((await answer?.text()) ?? "", /\(rebound\.example\.com\).*allow-host/);
  // The refusal is a document of the name's own origin: all is asked from there.
  assert.equal(await page.evaluate("location.host"), `rebound.example.com:${port}`);
  const reads = PATHS.map((path) => [path, undefined] as const);
  const posts = [bodyOf("getPeers", [1]), bodyOf("getBlockNumber", [1]), removal.body, "key"];
  const asked = [...reads, ...posts.map((body) => ["/", body] as const), ["/join", "key"] as const];
  assert.deepEqual(new Set(await statuses(page, asked)), new Set([403]));
  assert.equal(await socketFrom(page, `ws://rebound.example.com:${port}/`), "refused");
  assert.equal(await sealers(), 2);
  await page.close();
});

test("under a listed name and an address the page is there, and may do everything", async () => {
  const hosts = [`ours.example.com:${port}`, `127.0.0.1:${port}`, `localhost:${port}`];
  for (const host of TAKES_ALL_CASES ? hosts : hosts.slice(0, 1)) {
    const page = await tabAt(`http://${host}/`);
    await page.locator("h1, nav").first().waitFor();
    const asked = PATHS.map((path) => [path, undefined] as const);
    assert.deepEqual(new Set(await statuses(page, asked)), new Set([200]));
    const answer = await page.evaluate(
      async (body) => (await (await fetch("/", { method: "POST", body })).json()).error?.code,
      bodyOf("sendRawTransaction", [1, "0xff"]),
    );
    // The bytes are no transaction: they came as far as that.
    assert.equal(answer, -32_603);
    assert.equal(await socketFrom(page, `ws://${host}/`), "open");
    await page.close();
  }
});

test("the page connects to its own port and to nothing else", async () => {
  const page = await tabAt(`${url}/`);
  for (const to of [`ws://127.0.0.1:${other}/`, `http://127.0.0.1:${other}/`]) {
    const blocked = page.evaluate(
      (address) =>
        new Promise<string>((resolve) => {
          const tell = (event: SecurityPolicyViolationEvent) => resolve(event.effectiveDirective);
          document.addEventListener("securitypolicyviolation", tell, { once: true });
          if (address.startsWith("ws")) new WebSocket(address);
          else void fetch(address).catch(() => undefined);
        }),
      to,
    );
    assert.equal(await blocked, "connect-src");
  }
  await page.close();
});

/** A request as programs send it. */
function program(headers: Record<string, string>, body?: string) {
  return new Promise<number | undefined>((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const asking = httpRequest({ port, host: "127.0.0.1", path: "/readyz", method, headers });
    asking.once("response", (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    asking.once("error", reject);
    asking.end(body);
  });
}

test("SDKs, curl and a proxy with a Kubernetes name are not concerned", async () => {
  const callers = [
    { host: "chain.example.net:8545", "user-agent": "curl/8.5.0" },
    { host: "node0.chain.svc:8545", via: "1.1 envoy", "x-forwarded-for": "192.0.2.7" },
    { host: "node0.chain.svc.cluster.local:8545", "user-agent": "Apache-HttpClient/4.5.13" },
    { host: "node0.chain.svc:8545", "user-agent": "node", "sec-fetch-mode": "cors" },
  ];
  for (const headers of callers)
    for (const body of [undefined, bodyOf("getBlockNumber", [1])])
      assert.equal(await program(headers, body), 200, JSON.stringify(headers));
});

// Last: what other origins sent in vain was right in all but where it came from.
test("the same POST of a listed page does what it says", async () => {
  const page = await tabAt(`http://app.example.com:${other}`);
  const answer = await page.evaluate(
    async ([to, body]) => (await (await fetch(to, { method: "POST", body })).json()).result,
    [url, removal.body] as const,
  );
  assert.equal(answer, removal.hash);
  await waitForReceipt(url, removal.hash, LIMIT_MS);
  assert.equal(await sealers(), 1);
  assert.equal(await socketFrom(page, `ws://127.0.0.1:${port}/`), "open");
  await page.close();
});
