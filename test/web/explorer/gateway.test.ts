/** The explorer before a gateway: it works, checks, and shows what the gateway has proven. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { openSite } from "../../support/browser/site.ts";
import { deploy } from "../../support/client/json-rpc-session.ts";
import {
  freePorts,
  post,
  runProgram,
  startDev,
  stop,
  untilSaid,
} from "../../support/process/dev-chain-process.ts";

const SIGNED = /^•proven according to the gateway: sealers \d(, \d){2,3} signed block 1$/;
const AGREED = /^•not proven: most upstreams agree at block 1$/;
const SIGNED_ZH = /^•网关称已证明：共识节点 \d(, \d){2,3} 签署了区块 1$/;

async function requireMark(page: Page, place: string, said: RegExp): Promise<void> {
  const mark = page.locator(`${place} .proof`);
  await mark.waitFor();
  assert.match((await mark.textContent()) ?? "", said, place);
}

/** What each answer rests on stands next to what it shows. */
async function requireMarks(page: Page, receipt: Readonly<Record<string, unknown>>) {
  const go = (rest: string) => page.evaluate((hash) => location.assign(hash), rest);
  await requireMark(page, "main dl", SIGNED);
  await go(`#/explorer/1/tx/${receipt["transactionHash"]}`);
  await requireMark(page, '[data-of="transaction"]', SIGNED);
  await requireMark(page, '[data-of="receipt"]', SIGNED);
  await go(`#/explorer/1/address/${receipt["contractAddress"]}`);
  // The code; and the state, which a call tells. Upstreams that are slow may not agree in time: the
  // page says so, and asks again when it is told to.
  const again = page.locator("dl + .problem button");
  await page.addLocatorHandler(again, async () => await again.click());
  await requireMark(page, "h1 + p", AGREED);
  await requireMark(page, "main dl", AGREED);
  await go("#/explorer/1/block/0");
  await requireMark(page, "main dl", /^•proven according to the gateway: block 0 is trusted/);
  await page.locator('button[aria-label="中文"]').click();
  await go("#/explorer/1/block/1");
  await requireMark(page, "main dl", SIGNED_ZH);
}

test("the explorer of a gateway shows blocks, and who signed the newest", async () => {
  const chain = await startDev(4, "--ephemeral");
  const port = await freePorts(1);
  const gateway = runProgram("gateway", "--upstream", ...chain.ready.rpc, "--port", `${port}`);
  const base = `http://127.0.0.1:${port}`;
  try {
    await untilSaid(gateway, ({ stdout }) => stdout.includes("stop"));
    const receipt = await deploy(async (body) => (await post(base, body)).text);
    const site = await openSite({ base, locale: "en-GB" });
    try {
      const page = await site.tab("#/explorer/1/block/1");
      const hash = page.locator("dd code").first();
      await hash.waitFor();
      assert.equal(await hash.getAttribute("title"), receipt["blockHash"]);
      const proof = page.locator("header .proof");
      await proof.waitFor();
      assert.match((await proof.textContent()) ?? "", /^signed by sealers \d(, \d){2,3}$/);
      assert.match(
        (await proof.getAttribute("title")) ?? "",
        /^certificate; height=1; sealers=\d(,\d){2,3}$/,
      );
      await page.locator(".condition.live").waitFor();
      await requireMarks(page, receipt);
    } finally {
      await site.close();
    }
  } finally {
    await stop(gateway);
    await stop(chain);
  }
});
