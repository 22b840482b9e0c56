/** The explorer before a gateway: it works, checks, and shows what the gateway has proven. */
import assert from "node:assert/strict";
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
    } finally {
      await site.close();
    }
  } finally {
    await stop(gateway);
    await stop(chain);
  }
});
