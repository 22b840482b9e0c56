/** The form with which a browser joins a network, in real Chromium. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import {
  type DevProcess,
  request,
  startDevProcess,
  steadyPorts,
} from "../support/process/dev-process.ts";
import { untilCount } from "../support/browser/page-looks.ts";
import { openSite, type Site } from "../support/browser/site.ts";
import { inFull } from "../support/runner/in-full.ts";

const LIMIT_MS = 240_000;
let data: string;
let dev: DevProcess;
let site: Site;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "chain-panel-"));
  const port = await steadyPorts(8);
  dev = await startDevProcess({ data, port, args: ["--channel-port", `${port + 4}`] });
  site = await openSite({ base: dev.urls[0] ?? "", locale: "en-US" });
});

afterAll(async () => {
  await site?.close();
  await dev?.end("SIGTERM");
  await rm(data, { recursive: true, force: true });
});

describe.sequential("the form to join a network", () => {
  // The words of the form are examined here alone.
  inFull("what is missing or wrong is reported in words", async () => {
    const page = await site.tab("#/node");
    const panel = page.getByRole("region", { name: "Join a network" });
    const go = panel.getByRole("button", { name: "Join", exact: true });
    const said = (words: string) => panel.getByRole("alert").filter({ hasText: words }).waitFor();
    assert.ok(await go.isDisabled(), "there is no key yet");
    await panel.getByRole("button", { name: "Make a key" }).click();
    await panel.getByText("--public-key tab.pub").waitFor();
    await go.click();
    await said("There is no certificate of this node");
    const files = panel.getByLabel("Files");
    const publicKey = await page.evaluate(`(async () => {
      const { connectTabNode } = await import("/bridge.js");
      const { publicKey } = await (await connectTabNode()).worker.joinKey({});
      return publicKey;
    })()`);
    const answer = await fetch(`${dev.urls[0]}/join`, { method: "POST", body: String(publicKey) });
    const offer = (await answer.json()) as { certificate: string; authority: string };
    const file = (name: string, text: string) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    });
    await files.setInputFiles([file("notes.txt", "nothing"), file("node.crt", offer.certificate)]);
    await page.getByText("notes.txt is no certificate").waitFor();
    await go.click();
    await said("ca.crt) is missing");
    await files.setInputFiles([file("ca.crt", offer.authority)]);
    await panel.getByText("✓ certificate of the chain").waitFor();
    await go.click();
    await said("The genesis file of a group is missing");
    await panel.getByRole("button", { name: "Take group" }).click();
    await panel.getByText("✓ genesis file of group 1").waitFor();
    await panel.getByLabel("Hash of block 0").fill(`0x${"ab".repeat(32)}`);
    await go.click();
    await said("The genesis file is another one");
    const hash = await request(dev.urls[0] ?? "", "getBlockHashByNumber", [1, "0x0"]);
    await panel.getByLabel("Hash of block 0").fill(String(hash));
    await go.click();
    await said("Name at least one peer");
    await panel.getByLabel("Peers").fill("http://127.0.0.1:1");
    await go.click();
    await said("is no WebSocket address");
    await panel.getByLabel("Peers").fill("ws://127.0.0.1:9");
    await go.click();
    await page.getByText("No answer from there").waitFor();
    await page.getByRole("button", { name: "Wipe …" }).click();
    await page.getByRole("button", { name: "Wipe everything" }).click();
    await page.getByRole("button", { name: "Make a key" }).waitFor();
    await page.close();
  });

  test(
    "a development chain is joined with one click, and gives roles",
    async () => {
      const page = await site.tab("#/node");
      await page.getByRole("button", { name: "Join the chain of this page" }).click();
      await page.getByText("a node of chain 1, PBFT").waitFor();
      const said = (words: RegExp) => page.getByRole("status").filter({ hasText: words }).waitFor();
      await page.getByRole("button", { name: "Make it an observer" }).click();
      await said(/an observer now\. Account 0x[0-9a-f]{40} of this development chain/);
      const badge = (word: RegExp) => page.locator("tbody .badge", { hasText: word });
      await badge(/observer/).waitFor();
      await untilCount(badge(/connected/), 4);
      await page.getByRole("button", { name: "Make it a sealer" }).click();
      await badge(/sealer|leader/).waitFor();
      await said(/a sealer now\. Account 0x[0-9a-f]{40}/);
      await page.getByText("The chain counts on this tab").waitFor();
      const asked = page.waitForEvent("dialog");
      await page.close({ runBeforeUnload: true });
      const dialog = await asked;
      assert.equal(dialog.type(), "beforeunload");
      await dialog.dismiss();
      await page.getByRole("button", { name: "Take it out of the group" }).click();
      await page.getByText("has no role in the group yet").waitFor();
      await badge(/no role/).waitFor();
      await said(/out of the group\. Account 0x[0-9a-f]{40}/);
      const closed = page.waitForEvent("close");
      await page.close({ runBeforeUnload: true });
      await closed;
    },
    LIMIT_MS,
  );
});
