/** What every endpoint does, and every chain: asked of the node of a tab in real Chromium. */
// rules: rpc-semantics 1
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { METHODS } from "../../../core/rpc/registry.ts";
import { jsonRpcContract } from "../../contract/json-rpc.ts";
import type { LiveChain } from "../../contract/live-chain.ts";
import { rpcDetailsContract } from "../../contract/rpc-details.ts";
import { contractsContract } from "../../contract/solidity-contracts.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { clientScenario, TOLD } from "../client-scenario.ts";
import { createSender } from "../../support/sender.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { bridgeTab } from "../../support/browser/tab-bridge.ts";
import { openTabPage, type TabPage } from "../../support/browser/tab-node.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";

let site: Site;
let tab: TabPage;
let url = "";
const undo: (() => void)[] = [];

async function openChain(nodes: number): Promise<TabPage> {
  const opened = await openTabPage(site);
  await opened.start({ kind: "chain", nodes, consensus: "pbft" });
  await opened.until("status.phase === 'running'");
  return opened;
}

async function wipe(opened: TabPage): Promise<void> {
  await opened.page.evaluate("tab.wipe()");
  await opened.page.close();
}

beforeAll(async () => {
  site = await openSite();
  tab = await openChain(1);
  const bridge = await bridgeTab(tab, 1);
  undo.push(bridge.close);
  url = bridge.urls[0] ?? "";
});
afterAll(async () => {
  for (const step of undo) step();
  assert.deepEqual(site.errors, []);
  assert.deepEqual(site.foreign, []);
  await site.close();
});

/** A response of the tab's own app, carried out of the page. */
async function fetchInTab(path: string, { method, headers, body }: RequestInit) {
  const init = JSON.stringify({ method, headers: headers ?? {}, body });
  const [status, told, text] = await tab.page.evaluate<[number, [string, string][], string]>(
    `tab.fetch(${JSON.stringify(path)}, ${init}).then(async (response) =>
      [response.status, [...response.headers], await response.text()])`,
  );
  return new Response(text, { status, headers: told });
}

jsonRpcContract("the app in a tab", async () => ({
  request: fetchInTab,
  close: async () => undefined,
}));

rpcDetailsContract("requests of any size and shape in a tab", () => url);

test("each method is answered through the provider, or refused with code and message", async () => {
  const names = JSON.stringify(METHODS.map(({ name }) => name));
  const answers = await tab.page.evaluate<[string, string, number | undefined][]>(
    `Promise.all(${names}.map((method) => tab.provider.request({ method }).then(
      () => [method, "result"],
      (cause) => [method, cause.message && cause.name, cause.code],
    )))`,
  );
  assert.equal(answers.length, METHODS.length);
  for (const [method, what, code] of answers) {
    if (what === "result") continue;
    // Without parameters most are refused, as by any node.
    assert.deepEqual([what, code], ["ProviderError", -32_602], method);
  }
});

test("what is no request, or no chain, is refused in words, and nothing begins", async () => {
  const codes = await tab.page.evaluate(
    `Promise.all([undefined, null, {}, { method: 5 }, { method: "nothing" }].map((asked) =>
      tab.provider.request(asked).catch(({ code }) => code)))`,
  );
  assert.deepEqual(codes, [-32_600, -32_600, -32_600, -32_600, -32_601]);
  await tab.page.evaluate("tab.stop()");
  const refusals = await tab.page.evaluate(
    `Promise.all([
      undefined,
      { kind: "else" },
      { kind: "chain", nodes: 8, consensus: "pbft" },
      { kind: "chain", nodes: 1, consensus: "poa" },
      { kind: "join", chainId: 1 },
    ].map((request) => tab.start(request).catch(({ name, message }) => name + ": " + message)))`,
  );
  assert.deepEqual(refusals, [
    'TabFault: what shall run has the kind "chain" or "join"',
    'TabFault: what shall run has the kind "chain" or "join"',
    "TabFault: a tab runs 1 to 7 nodes, not 8",
    'TabFault: what shall run cannot have this consensus: "poa"',
    "TabFault: what shall run cannot have this certificate: none",
  ]);
  await tab.page.evaluate("tab.worker.resume()");
  await tab.until("status.phase === 'running'");
});

test("errors of the node come with their data", async () => {
  const refused = await tab.page.evaluate(
    `tab.provider.request({ method: "getBlockNumber", params: [9] })
      .catch(({ name, code, message, data }) => ({ name, code, message, data }))`,
  );
  const { error } = JSON.parse(
    await tab.ask('{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[9]}'),
  ) as { error: object };
  assert.deepEqual(refused, { name: "ProviderError", data: undefined, ...error });
});

test("blocks are pushed until nobody wants them; a wrong kind is refused", async () => {
  const wrong = await tab.page.evaluate(
    `tab.provider.subscribe("nothing", [1], () => {}).catch(({ code }) => code)`,
  );
  assert.equal(wrong, -32_602);
  await tab.page.evaluate(`(async () => {
    globalThis.pushed = [];
    globalThis.stop = await tab.provider.subscribe("blocks", [1], ({ number }) => {
      pushed.push(number);
    });
  })()`);
  const send = createSender(createStandardSuite());
  await tab.request("sendRawTransaction", [1, send({ head: 0 }).raw]);
  await untilHolds(tab.page, "pushed.length > 0");
  await tab.page.evaluate("stop()");
  await tab.request("sendRawTransaction", [1, send({ head: 1 }).raw]);
  await tab.until("status.nodes[0]?.groups[0]?.height === 2");
  assert.deepEqual(await tab.page.evaluate("pushed"), [1]);
});

test("the typed client deploys, calls, and proves a receipt", async () => {
  const { chain } = await tab.status();
  const place = {
    url,
    sealers: chain?.nodeIds ?? [],
    suite: "standard",
    privateKey: "21",
  } as const;
  const told = await clientScenario({ ...place, privateKey: place.privateKey.repeat(32) });
  assert.deepEqual(told, TOLD);
});

/** Four nodes in the tab, each behind a URL. */
async function openFour(): Promise<LiveChain> {
  await wipe(tab);
  const opened = await openChain(4);
  const bridge = await bridgeTab(opened, 4);
  const { chain } = await opened.status();
  return {
    urls: bridge.urls,
    accounts: chain?.accounts ?? [],
    async close() {
      bridge.close();
      await wipe(opened);
    },
  };
}

// What contracts do is no matter of the tab: dev-contracts.test.ts has the same suite, and the
// typed client above deploys, calls and proves in the tab.
if (TAKES_ALL_CASES) contractsContract("contracts on a chain in a tab", openFour);
