/** A page whose node goes away, and whose address is another chain when somebody answers again. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { startDevProcess, steadyPorts } from "../../support/process/dev-process.ts";
import { openSite } from "../../support/browser/site.ts";

test("the page says that its node is gone, and shows the chain that comes back, not the old one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-node-restart-"));
  const port = await steadyPorts(1);
  const start = (name: string) =>
    startDevProcess({ data: join(folder, name), port, args: ["--nodes", "1"] });
  let node = await start("first");
  const site = await openSite({ base: `http://127.0.0.1:${port}`, locale: "en-GB" });
  try {
    const page = await site.tab("#/explorer/1/block/0");
    const hash = page.locator("dd code").first();
    await hash.waitFor();
    const before = await hash.getAttribute("title");
    await page.locator(".condition.live").waitFor();
    await page.locator('[data-check="first"][data-verdict="good"]').waitFor();
    await node.end("SIGTERM");
    await page.locator(".condition.away").waitFor();
    await page.getByRole("status").getByText("The node does not answer").waitFor();
    node = await start("second");
    await page.locator(".condition.live").waitFor();
    await page.locator(`dd code[title="${before}"]`).waitFor({ state: "detached" });
    await hash.waitFor();
    assert.notEqual(await hash.getAttribute("title"), before);
    // Another chain than the one that was seen here first: nobody has reported yet that it is
    // meant.
    await page.locator('[data-check="first"][data-verdict="warn"]').waitFor();
    await page.getByRole("link", { name: "Look at them" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("Another chain answered here before").waitFor();
    await alert.getByText("as with --ephemeral at every start").waitFor();
    await page.getByRole("button", { name: "I mean this new chain" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.goBack();
    await page.locator('[data-check="first"][data-verdict="good"]').waitFor();
  } finally {
    await site.close();
    await node.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
});
