/** The explorer over other chains than the usual: one of Raft in the tab, one of SM2 and SM3. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { greeter } from "../../../docs/examples/greeter.ts";
import { devAccounts } from "../../../runtimes/shared/dev/dev-accounts.ts";
import {
  accountFromPrivateKey,
  createClient,
  customTransport,
  standardSuite,
} from "../../../runtimes/shared/client/client.ts";
import { makeHistory, startBuiltChain, teachAbi } from "../../support/browser/explorer-chain.ts";
import { openSite } from "../../support/browser/site.ts";
import { openTabPage } from "../../support/browser/tab-node.ts";

test.concurrent("without a chain the page says what to do; a chain that starts in the tab is shown", async () => {
  const site = await openSite({ locale: "en-GB" });
  try {
    const page = await site.tab("#/explorer");
    await page.getByText("No chain to show").waitFor();
    await page.getByRole("link", { name: "Run a chain in this tab" }).waitFor();
    const tab = await openTabPage(site);
    await tab.start({ kind: "chain", nodes: 3, consensus: "raft" });
    await page.getByRole("heading", { level: 1, name: "Group 1" }).waitFor();
    const transport = customTransport({
      request: ({ method, params }) => tab.request(method, params),
    });
    const [first] = devAccounts(standardSuite);
    const account = accountFromPrivateKey(first?.privateKey ?? "");
    const client = createClient({ transport, account });
    const { receipt } = await client.deploy({ ...greeter, args: ["from a tab"] });
    const number = Number(receipt.blockNumber);
    await page.locator(`.height[data-height="${number}"]`).waitFor();
    await page.locator(`.latest a[href="#/explorer/1/block/${number}"]`).click();
    await page.locator('[data-check="seals"][data-verdict="warn"]').waitFor();
    await page.getByRole("link", { name: "Nodes", exact: true }).click();
    await page.getByText("Raft", { exact: true }).waitFor();
    await page.locator("tbody").getByText("leader").waitFor();
    await page.getByRole("link", { name: "Trust", exact: true }).click();
    await page.getByText("All nodes of this chain run in this browser").waitFor();
    // Another chain in the same browser, started from another page, takes its place.
    await page.goto(`${site.base}/#/explorer/1/block/0`);
    const hash = page.locator("dd code").first();
    await hash.waitFor();
    const before = await hash.getAttribute("title");
    await tab.page.evaluate("tab.worker.wipe()");
    await tab.start({ kind: "chain", nodes: 1, consensus: "pbft" });
    await page.locator(`dd code[title="${before}"]`).waitFor({ state: "detached" });
    await hash.waitFor();
    assert.deepEqual(site.errors, []);
    assert.deepEqual(site.foreign, []);
  } finally {
    await site.close();
  }
});

test.concurrent("on a chain of SM2 and SM3 proofs are verified, and Keccak selectors understood", async () => {
  const chain = await startBuiltChain({ nodes: 1, sm: true });
  const site = await openSite({ base: chain.rpcUrl, locale: "en-GB" });
  try {
    const seen = await makeHistory(chain, true);
    const page = await site.tab(`#/explorer/1/tx/${seen.greeted}`);
    await page.locator('[data-proofs] [data-verdict="good"].checks').waitFor();
    await teachAbi(page, site.base, seen);
    await page.goto(`${site.base}/#/explorer/1/tx/${seen.greeted}`);
    await page.getByText("greet(string)").waitFor();
    await page.getByText("Greeted(address,string,uint256)").waitFor();
    assert.deepEqual(site.errors, []);
  } finally {
    await site.close();
    await chain.close();
  }
});
