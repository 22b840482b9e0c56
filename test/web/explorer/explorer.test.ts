/** The explorer in real Chromium, served by a node of a dev chain. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished, test } from "vitest";
import type { Abi } from "abitype";
import { greeter } from "../../../docs/examples/greeter.ts";
import type { DevChain } from "../../../runtimes/node/dev/dev-chain.ts";
import { PRECOMPILED } from "../../../web/data/precompiled.ts";
import { shortText } from "../../../web/format.ts";
import {
  clientOf,
  makeHistory,
  type Seen,
  startBuiltChain,
  teachAbi,
} from "../../support/browser/explorer-chain.ts";
import { untilCount, untilText, untilTitle } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { inFull } from "../../support/runner/in-full.ts";

let chain: DevChain;
let site: Site;
let seen: Seen;
let page: Page;

beforeAll(async () => {
  chain = await startBuiltChain({ nodes: 4 });
  seen = await makeHistory(chain);
  site = await openSite({ base: chain.rpcUrl, locale: "en-GB" });
  page = await site.tab("#/explorer/1");
});

afterAll(async () => {
  await site?.close();
  await chain?.close();
});

async function visit(path: string): Promise<void> {
  await page.goto(`${site.base}/#/explorer/1${path}`);
}

/** Loads the page anew at an address of the site: it knows nothing of what was examined before. */
async function open(address: string): Promise<void> {
  await page.goto(`${site.base}/${address}`);
  await page.reload();
}

function ask<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
  return chain.request(method, params) as Promise<Result>;
}

interface Told {
  readonly hash: string;
  readonly stateRoot: string;
  readonly sealerList: readonly string[];
}

test("the overview shows the height, the totals and the latest blocks that the node reports", async () => {
  await visit("");
  await page.locator(`.height[data-height="${seen.blocks}"]`).waitFor();
  const figures = page.locator(".figures");
  await figures.getByText("Transactions", { exact: true }).waitFor();
  const totals = page.locator(".figure strong");
  await totals.nth(1).getByText(String(seen.blocks), { exact: true }).waitFor();
  await totals.nth(2).getByText("1", { exact: true }).waitFor();
  await untilCount(page.locator(".latest li"), seen.blocks + 1);
});

test("the latest transactions and the gas of a block are what the receipts say", async () => {
  await visit("");
  await page.locator(`[data-latest-transactions] a[href$="${seen.reverted}"]`).waitFor();
  await page.locator('dd a[href="#/explorer/1/block/0"]').waitFor();
  const { gasUsed } = await ask<{ readonly gasUsed: string }>(
    "getTransactionReceipt",
    1,
    seen.greeted,
  );
  await visit("/block/2");
  const gas = Number(gasUsed).toLocaleString("en-GB");
  const words = `${gas} ? not proven by its receipts; 0 in the header`;
  await page.locator("[data-gas]", { hasText: words }).waitFor();
});

test("a new block appears by itself", async () => {
  await visit("/blocks");
  await page.locator(".virtual-row").first().waitFor();
  const { address } = seen;
  const contract = clientOf(chain, false).contract({ abi: greeter.abi, address });
  const { receipt } = await contract.send.greet(["one more"]);
  const number = Number(receipt.blockNumber);
  await page.locator(`.virtual-row a[href="#/explorer/1/block/${number}"]`).waitFor();
  await page.locator(`.height[data-height="${number}"]`).waitFor();
});

test("a block shows what the node reports, and its certificate is verified", async () => {
  await visit("/block/2");
  const told = await ask<Told>("getBlockByNumber", 1, "2", false);
  await page.locator('[data-verdict="good"].checks').waitFor();
  for (const value of [told.hash, told.stateRoot])
    await page.locator("main").getByText(value).first().waitFor();
  await page.locator('[data-check="seals"][data-verdict="good"]').waitFor();
  const header = await ask<{ signatureList: unknown[] }>("getBlockHeaderByNumber", 1, "2", true);
  await untilCount(page.getByText("signed", { exact: true }), header.signatureList.length);
  await visit(`/block/${told.hash}`);
  await page.getByRole("heading", { level: 1, name: "Block 2" }).waitFor();
});

test("the first block carries no seals, and the page says what that means", async () => {
  await visit("/block/0");
  await page.locator('[data-check="first"][data-verdict="good"]').waitFor();
  await page.getByText("First blocks carry no signatures").waitFor();
});

test("a transaction is proved in the page; with the ABI its call, result and event have names", async () => {
  await visit(`/tx/${seen.greeted}`);
  await page.locator('[data-proofs] [data-verdict="good"].checks').waitFor();
  await page.getByText("unknown event").waitFor();
  await teachAbi(page, site.base, seen);
  await visit(`/tx/${seen.greeted}`);
  await page.getByText("greet(string)").waitFor();
  await page.getByText("Greeted(address,string,uint256)").waitFor();
  const main = page.locator("main");
  for (const words of ["good morning", "My greeter"]) await main.getByText(words).first().waitFor();
});

test("what was reverted is red and gives the contract's reason", async () => {
  await visit(`/tx/${seen.reverted}`);
  await page.locator("[data-reason]").getByText("say something").waitFor();
  await page.locator(".badge.bad", { hasText: "RevertInstruction" }).first().waitFor();
  await visit(`/tx/${seen.deployed}`);
  await page.getByText("Made contract").waitFor();
  await untilText(page.locator("main"), new RegExp(seen.address.slice(2, 8), "i"));
});

// lies.test.ts has it.
inFull("a node that lies about a receipt is found out: the page is red", async () => {
  const gas = /"gasUsed":"0x[0-9a-f]+"/;
  await lieOf("getTransactionReceipt", (told) => told.replace(gas, '"gasUsed":"0x1"'));
  await open(`#/explorer/1/tx/${seen.greeted}`);
  await page.locator('[data-proofs] [data-verdict="bad"].checks').waitFor();
  await page.locator('[data-check="receipt"][data-verdict="bad"]').waitFor();
});

/**
 * Some answers of the node are changed on their way, until the test ends. What the page keeps of
 * them goes when it is opened anew.
 */
async function lieOf(method: string, change: (answer: string) => string): Promise<void> {
  const stop = () => page.unrouteAll({ behavior: "wait" });
  await stop();
  onTestFinished(stop);
  await page.route(`${site.base}/`, async (route) => {
    const request = route.request();
    const isMeant = request.postData()?.includes(`"${method}"`);
    if (request.method() !== "POST" || !isMeant) return route.continue();
    const response = await route.fetch();
    return route.fulfill({ response, body: change(await response.text()) });
  });
}

test("a node that shows another block than it sealed, or answers another transaction, is found out", async () => {
  const time = /"timestamp":"0x[0-9a-f]+"/;
  await lieOf("getBlockByNumber", (it) => it.replace(time, '"timestamp":"0x1"'));
  await open("#/explorer/1/block/2");
  await page.locator('[data-check="header"][data-verdict="bad"]').waitFor();
  const other = await ask("getTransactionByHash", 1, seen.deployed);
  const swapped = JSON.stringify({ jsonrpc: "2.0", id: 1, result: other });
  await lieOf("getTransactionByHash", () => swapped);
  await open(`#/explorer/1/tx/${seen.greeted}`);
  await page.getByRole("alert").getByText("another transaction").waitFor();
});

// Examined here alone.
inFull("an answer that breaks a page leaves the rest of the page alive", async () => {
  await lieOf("getSyncStatus", () => '{"jsonrpc":"2.0","id":1,"result":{}}');
  await open("#/explorer/1/nodes");
  await page.getByRole("alert").getByText("This part of the page failed").waitFor();
  await page.getByRole("link", { name: "Lessons" }).click();
  await page.locator("main h1").waitFor();
});

test("what a precompiled contract refuses is not shown as done", async () => {
  const consensus = PRECOMPILED.find(({ name }) => name === "Consensus");
  assert.ok(consensus);
  const { address } = consensus;
  const abi = consensus.abi as Abi;
  const contract = clientOf(chain, false).contract({ abi, address });
  const send = contract.send as unknown as Record<
    string,
    (args: readonly string[]) => Promise<{ readonly receipt: { readonly transactionHash: string } }>
  >;
  const { receipt } = (await send["addSealer"]?.(["ab"])) ?? {};
  await open(`#/explorer/1/tx/${receipt?.transactionHash}`);
  await page.locator(".badge.warn").getByText("refused").waitFor();
});

// A block appears by itself above; lists by themselves are in lists.test.ts.
inFull("a list of transactions that was opened by its address waits with what is new", async () => {
  await open("#/explorer/1/transactions");
  await page.getByText("All blocks were examined.").waitFor();
  const rows = await page.locator(".tx-row:not(.head)").count();
  const { address } = seen;
  const contract = clientOf(chain, false).contract({ abi: greeter.abi, address });
  await contract.send.greet(["again"]);
  await page.getByRole("button", { name: "Show 1 newer blocks" }).waitFor();
  await untilCount(page.locator(".tx-row:not(.head)"), rows);
  await page.getByRole("button", { name: "Show 1 newer blocks" }).click();
  await page.getByRole("button", { name: "Nothing newer" }).waitFor();
});

test("the search leads to blocks, transactions, addresses and names", async () => {
  await visit("/nodes");
  const titled = (title: string) => untilTitle(page, `${title} – chain-node`);
  const places: readonly (readonly [string, RegExp, string])[] = [
    ["1", /block\/1$/, "Block 1"],
    [seen.greeted, new RegExp(`tx/${seen.greeted}$`), `Transaction ${shortText(seen.greeted)}`],
    [seen.address, new RegExp(`address/${seen.address}$`), `Address ${shortText(seen.address)}`],
    ["HelloWorld:1.0", /contracts\?name=HelloWorld/, "Contracts"],
  ];
  await titled("Nodes");
  for (const [typed, address, title] of places) {
    await page.keyboard.press("/");
    await page.locator("[data-search]").fill(typed);
    await page.keyboard.press("Enter");
    await page.waitForURL(address);
    await titled(title);
  }
  await page.getByText("Nothing is registered").waitFor();
  await page.locator("[data-search]").fill("ab".repeat(32));
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("no transaction and no block").waitFor();
});

// The search itself is in the test above.
inFull(
  "what somebody types into the search outlives a change of page, a problem does not",
  async () => {
    await visit("/nodes");
    await seek("0xdea11a9c");
    await page.getByRole("alert").waitFor();
    await page.locator("[data-search]").fill("half a wo");
    await visit("/blocks");
    await untilTitle(page, "Blocks – chain-node");
    await page.getByRole("heading", { level: 1, name: "Blocks" }).waitFor();
    await page.keyboard.type("rd");
    assert.equal(await page.locator("[data-search]:focus").inputValue(), "half a word");
    await untilCount(page.locator(".search-problem"), 0);
    await seek("0xdea11a9c", "Blocks");
    await page.getByRole("alert").waitFor();
    await visit("/nodes");
    await untilCount(page.locator(".search-problem"), 0);
  },
);

/** Types into the search of the page with that title, and asks. */
async function seek(typed: string, title = "Nodes"): Promise<void> {
  await untilTitle(page, `${title} – chain-node`);
  await page.locator("[data-search]").fill(typed);
  await page.keyboard.press("Enter");
}

// lists.test.ts tells what is a block, a hash, an address or a name.
inFull(
  "digits that are neither an address nor a hash are no number of a block that is not there",
  async () => {
    await visit("/nodes");
    for (const typed of ["0xdea11a9c", "0xdea11a9c…9fdf6f", `0x${"12".repeat(19)}`]) {
      await seek(typed);
      const words = `“${typed}” is no address, no hash and no block of this group`;
      await page.getByRole("alert").getByText(words).waitFor();
      assert.match(page.url(), /\/nodes$/);
    }
    await visit("/contracts?name=0xdea11a9c…9fdf6f");
    await page.getByText("an address has 40 hexadecimal digits, a hash 64").waitFor();
    await seek("0x2", "Contracts");
    await page.waitForURL(/block\/2$/);
  },
);

// The same search with another word.
inFull(
  "a name that nothing is registered under leads to the contract that the browser calls so",
  async () => {
    // Whatever earlier tests taught this browser is forgotten: the name is given here.
    await page.evaluate("localStorage.clear()");
    await page.reload();
    await teachAbi(page, site.base, seen);
    await visit("/nodes");
    await seek("My greeter");
    await page.waitForURL(new RegExp(`address/${seen.address}$`));
    // In the overview the name leaves little room for the digits: the link tells all of them.
    await visit("");
    const named = page.locator(`[data-latest-transactions] a[title="${seen.address}" i]`);
    await named.filter({ hasText: "My greeter" }).first().waitFor();
  },
);

// The search above begins with the key.
inFull("the key / leads to the search from every part", async () => {
  for (const part of ["node", "lessons", "workbench", "theatre"]) {
    await page.goto(`${site.base}/#/${part}`);
    await page.locator(`#main[data-part=${part}] h1`).first().waitFor();
    await page.locator(".height[data-height]").waitFor();
    await page.locator("body").press("/");
    await page.waitForSelector("#main[data-part=explorer] h1");
    await page.locator("[data-search]:focus").waitFor();
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/block\/1$/);
  }
});

test("members, groups, the pool and the transactions of an address are what the node reports", async () => {
  const sealers = await ask<readonly string[]>("getSealerList", 1);
  await visit("/nodes");
  await page.locator(`tbody code[title="${sealers[3]}"]`).first().waitFor();
  await page.locator("main").getByText(/PBFT/).first().waitFor();
  await visit("/groups");
  await page.locator("tbody").getByText("RUNNING").waitFor();
  await visit("/pool");
  await page.getByText("The pool is empty.").waitFor();
  await visit(`/address/${seen.address}`);
  await page.getByRole("button", { name: "Look through the blocks" }).click();
  await page.getByText("All blocks were examined.").waitFor();
  const height = Number(await ask<string>("getBlockNumber", 1));
  // All but the call of the precompiled contract.
  await untilCount(page.locator(".tx-row:not(.head)"), height - 1);
});

test("what there is not is reported in words", async () => {
  await visit("/block/999999");
  await page.getByRole("alert").getByText("no block of this number").waitFor();
  await visit(`/tx/0x${"00".repeat(32)}`);
  await page.getByText("neither in a block nor waiting").waitFor();
  const misread = ["/block/zzz", "/block/0x12ab", `/tx/0x${"12".repeat(31)}`, "/address/0x12"];
  const words = [/“zzz” is neither/, "There is no block", "no hash of a transaction", "no address"];
  for (const [at, path] of misread.entries()) {
    await visit(path);
    await page.getByText(words[at] ?? "").waitFor();
  }
  await visit("/nowhere");
  await page.getByText("has no page").waitFor();
  await page.goto(`${site.base}/#/explorer/77`);
  await page.getByText("does not run on this node").waitFor();
  await page.goto(`${site.base}/#/explorer/1`);
  await page.getByRole("heading", { level: 1, name: "Group 1" }).waitFor();
});

// What there is not is reported in words above.
inFull(
  "an address that leads nowhere is named, with a way on to the overview and the search",
  async () => {
    await open("#/explorers/1/block/2");
    await untilTitle(page, "There is no such page – chain-node");
    await page.locator("[data-no-page]").getByText("#/explorers/1/block/2").waitFor();
    assert.equal(await page.locator("header nav [aria-current]").count(), 0);
    await page.locator("main").getByRole("link", { name: "Search" }).click();
    await page.locator("[data-search]:focus").waitFor();
    for (const address of ["#/lessons/pbft-nowhere/1", "#/theatre/nowhere"]) {
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
      await page.locator("[data-no-page]").getByText(address).waitFor();
    }
    await page.locator("main").getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { level: 1, name: "Group 1" }).waitFor();
  },
);

// title.test.ts has the titles.
inFull("every page has a title of its own, in the language that was chosen", async () => {
  await visit("/blocks");
  const titled = (title: string) => untilTitle(page, `${title} – chain-node`);
  await titled("Blocks");
  const places = [
    ["#/explorer/1/block/2", "Block 2"],
    [`#/explorer/1/tx/${seen.greeted}`, `Transaction ${shortText(seen.greeted)}`],
    ["#/lessons/pbft-normal/1", "PBFT: the normal case"],
    ["#/theatre", "Theatre"],
    ["#/node", "Node"],
  ];
  for (const [address = "", title = ""] of places) {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await titled(title);
  }
  await page.getByRole("button", { name: "中文" }).click();
  await titled("节点");
  await page.getByRole("button", { name: "English" }).click();
  await titled("Node");
});

test("language, theme and keys: chosen once, kept, and told on ?", async () => {
  await visit("");
  await page.getByRole("button", { name: "中文" }).click();
  await page.getByRole("link", { name: "区块", exact: true }).waitFor();
  await page.locator("html[lang=zh]").waitFor();
  await page.reload();
  await page.getByRole("link", { name: "区块", exact: true }).waitFor();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("button", { name: /Theme: as the system/ }).click();
  await page.getByRole("button", { name: /Theme: light/ }).click();
  await page.locator("html[data-theme=dark]").waitFor();
  await page.getByRole("button", { name: /Theme: dark/ }).click();
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("/");
  assert.equal(await page.getByRole("dialog", { name: "Keys" }).count(), 1);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

// Keys lead to places in the two tests above.
inFull("a keyboard alone gets to the content, and stays where a link led", async () => {
  await open("#/explorer/1");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  await page.locator(".skip:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#main:focus").waitFor();
  await page.getByRole("link", { name: "Nodes", exact: true }).click();
  await page.locator("h1:focus").waitFor();
});

test("nothing was asked of others, and no script failed", () => {
  assert.deepEqual(site.foreign, []);
  assert.deepEqual(site.errors, []);
});
