/** Whose word the explorer's certificates rest on, in real Chromium: roles change, trust stays. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import type { Abi } from "abitype";
import type { DevChain } from "../../../runtimes/node/dev/dev-chain.ts";
import { PRECOMPILED } from "../../../web/data/precompiled.ts";
import { clientOf, makeHistory, startBuiltChain } from "../../support/browser/explorer-chain.ts";
import { openSite, type Site } from "../../support/browser/site.ts";

let chain: DevChain;
let site: Site;
let page: Page;
/** In the order of the group. */
let sealers: readonly string[];

beforeAll(async () => {
  chain = await startBuiltChain({ nodes: 4 });
  await makeHistory(chain);
  sealers = (await chain.request("getSealerList", [1])) as readonly string[];
  site = await openSite({ base: chain.rpcUrl, locale: "en-GB" });
  page = await site.tab("#/explorer/1/trust");
});

afterAll(async () => {
  await site?.close();
  await chain?.close();
});

async function visit(path: string, on = page): Promise<void> {
  await on.goto(`${site.base}/#/explorer/1${path}`);
}

/** Changes the role of a node; the number of the block that does. */
async function changeRole(role: "addSealer" | "addObserver", id: string): Promise<number> {
  const consensus = PRECOMPILED.find(({ name }) => name === "Consensus");
  assert.ok(consensus);
  const { address } = consensus;
  const client = clientOf(chain, false);
  const contract = client.contract({ abi: consensus.abi as Abi, address });
  const send = contract.send as unknown as Record<
    string,
    (args: readonly string[]) => Promise<{ readonly receipt: { readonly blockNumber: string } }>
  >;
  const { receipt } = (await send[role]?.([id])) ?? {};
  return Number(receipt?.blockNumber);
}

test("the sealers that were seen first are named, with the block and nobody's word for them", async () => {
  await page.locator('[data-trust="seen"]').waitFor();
  for (const id of sealers) await page.locator(`td code[title="${id}"]`).waitFor();
  await page.getByText("None was met between the blocks").waitFor();
  // A development chain has other operators only where somebody joined it.
  await page.getByText("A development chain starts with all its nodes in one process").waitFor();
});

test("after sealers went and came, the certificates of older and newer blocks stay green", async () => {
  const [, , , last = ""] = sealers;
  const went = await changeRole("addObserver", last);
  const came = await changeRole("addSealer", last);
  const client = clientOf(chain, false);
  const { receipt } = await client.deploy({ abi: [], bytecode: "0x6001600055" });
  const latest = Number(receipt.blockNumber);
  for (const number of [0, 1, went, went + 1, came, latest]) {
    await visit(`/block/${number}`);
    await page.getByRole("heading", { level: 1, name: `Block ${number}`, exact: true }).waitFor();
    await page.locator('.checks[data-verdict="good"] [data-ground="seen"]').waitFor();
  }
  await visit("/trust");
  for (const number of [went + 1, came + 1]) {
    await page.locator(`[data-change="${number}"]`).waitFor();
  }
});

test("what the user compares or enters is kept; other sealers than the chain's are refused", async () => {
  await visit("/trust");
  await page.getByRole("button", { name: "I have compared them" }).click();
  await page.locator('[data-trust="confirmed"]').waitFor();
  await page.reload();
  await page.locator('[data-trust="confirmed"]').waitFor();
  await page.getByRole("button", { name: "Enter the sealers" }).click();
  const field = page.getByLabel("Node IDs that you were given");
  const enter = page.getByRole("button", { name: "Trust these" });
  await field.fill("abc");
  await enter.click();
  await page.getByRole("alert").getByText("128 hexadecimal digits").waitFor();
  await field.fill([...sealers.slice(1), "ab".repeat(64)].join("\n"));
  await enter.click();
  await page.getByRole("alert").getByText("only on your list: abababab").waitFor();
  await field.fill(sealers.join("\n"));
  await enter.click();
  await page.locator('[data-trust="entered"]').waitFor();
  await visit("/block/1");
  await page.locator('.checks[data-verdict="good"] [data-ground="entered"]').waitFor();
});

test("blocks that do not follow from what is trusted are red, until the trust is begun anew", async () => {
  const fresh = await site.tab("#/explorer/1/block/1");
  await fresh.locator('.checks[data-verdict="good"]').waitFor();
  // As if this browser had seen another block 1 of the chain.
  await fresh.evaluate(`(() => {
    const key = Object.keys(localStorage).find((it) => it.startsWith("chain-node.trust.0x"));
    const kept = JSON.parse(localStorage.getItem(key));
    const [first] = kept.steps;
    const other = { ...first, number: 1, hash: "0x" + "5a".repeat(32), parentHash: first.hash };
    localStorage.setItem(key, JSON.stringify({ ...kept, steps: [first, other] }));
  })()`);
  await fresh.reload();
  await fresh.locator('[data-check="sealers"][data-verdict="bad"]').waitFor();
  await fresh.getByText("another block 1 is trusted already").waitFor();
  await fresh.getByRole("link", { name: "Look at them" }).click();
  await fresh.getByRole("button", { name: "Forget and begin anew" }).click();
  await fresh.getByRole("dialog").getByRole("button", { name: "Forget", exact: true }).click();
  await fresh.locator('[data-trust="seen"]').waitFor();
  await visit("/block/1", fresh);
  await fresh.locator('.checks[data-verdict="good"]').waitFor();
  await fresh.close();
});

test("nothing was asked of others, and no script failed", () => {
  assert.deepEqual(site.foreign, []);
  assert.deepEqual(site.errors, []);
});
