/** The panels of storage, backup and keys, used as a person does, in real Chromium. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { keyPem } from "../../runtimes/formats/keys/key-pem.ts";
import { temporaryFolder } from "../support/ledger/recorded-folder.ts";
import { openSite, type Site } from "../support/browser/site.ts";
import { inFull } from "../support/runner/in-full.ts";

const SECRET = "correct horse";
let site: Site;
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  site = await openSite({ locale: "en-GB", viewport: { width: 360, height: 800 } });
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

const button = (place: Page | Locator, name: string) =>
  place.getByRole("button", { name, exact: true });
const panel = (page: Page, name: string) =>
  page.locator(".panel", { has: page.getByRole("heading", { name, exact: true }) });

const openNode = (): Promise<Page> => site.tab("#/node");

/** Presses a button that saves a file; where the file is. */
async function saved(page: Page, press: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), press.click()]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

async function backUp(page: Page): Promise<readonly string[]> {
  const snapshot = await saved(page, button(page, "Save group 1"));
  await page.getByText(/Group 1 saved to block \d+\. Content hash 0x/).waitFor();
  const genesis = await saved(page, button(page, "Genesis file of group 1"));
  assert.match(snapshot, /chain-node-group1-block\d+\.snapshot$/);
  assert.match(genesis, /group\.1\.genesis$/);
  await page.getByLabel("Passphrase for the file").fill(SECRET);
  await page.getByLabel("The same again").fill("other");
  await button(page, "Save chain file").click();
  await page.getByText("The two passphrases differ.").waitFor();
  await button(page, "Dismiss").click();
  await page.getByLabel("The same again").fill(SECRET);
  return [snapshot, await saved(page, button(page, "Save chain file"))];
}

async function restore(page: Page, [snapshot = "", chainFile = ""]: readonly string[]) {
  const form = panel(page, "Restore a backup");
  await form.getByLabel("Chain file", { exact: true }).setInputFiles(chainFile);
  await form.getByLabel("Backups, one per group").setInputFiles(snapshot);
  const secret = form.getByLabel("Passphrase of the chain file");
  await secret.fill("wrong");
  await button(form, "Restore").click();
  await page.getByText("this is not the passphrase of these keys").waitFor();
  await button(page, "Dismiss").click();
  await secret.fill(SECRET);
  // The word is gone after some seconds: it is waited for from before.
  await Promise.all([
    page.getByText(/Restored: group 1 to block \d+/).waitFor(),
    button(form, "Restore").click(),
  ]);
}

test("a chain is saved, wiped and restored by its buttons, and votes once that is confirmed", async () => {
  const page = await openNode();
  await page.getByText(/ of \d.* [KMGT]iB/).waitFor();
  await page.getByLabel("Nodes").selectOption("1");
  await button(page, "Start").click();
  await page.goto(`${site.base}/#/node`);
  const files = await backUp(page);
  await button(page, "Wipe …").click();
  await button(page.getByRole("dialog"), "Wipe everything").click();
  await restore(page, files);
  await button(page, "Continue").click();
  await button(page, "No other copy runs: vote again").click();
  await page.getByText("The nodes are silent").waitFor({ state: "detached" });
  assert.deepEqual(site.errors, []);
  assert.deepEqual(site.foreign, []);
});

// runtimes/browser/keys.test.ts has keys, PEM and passphrases.
inFull(
  "keys of accounts are kept, saved as PEM and deleted; a wrong passphrase is reported",
  async () => {
    const page = await openNode();
    const keys = panel(page, "Keys");
    await keys.getByLabel("Passphrase", { exact: true }).fill(SECRET);
    await button(keys, "Keep accounts under it").click();
    const secret = new Uint8Array(32).fill(7);
    const suite = createStandardSuite();
    const pem = keyPem("standard", secret, suite.publicKey(secret));
    const address = suite.address(suite.publicKey(secret));
    const name = "alice.pem";
    const input = keys.getByLabel("Add a key from a PEM file");
    await input.setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(pem) });
    await keys.getByText(name).waitFor();
    await input.setInputFiles({ name: "x", mimeType: "text/plain", buffer: Buffer.from("none") });
    await page.getByText(/The file has no private key of secp256k1 or SM2/).waitFor();
    await button(page, "Dismiss").click();
    const path = await saved(page, button(keys, "Save as PEM"));
    assert.equal(path, join(folder, `${address}.pem`));
    await page.reload();
    await keys.getByText(name).waitFor();
    const entry = keys.getByLabel("Passphrase", { exact: true });
    await entry.fill("wrong");
    await button(keys, "Unlock").click();
    await page.getByText("This is not the passphrase of these keys. Try again.").waitFor();
    await entry.fill(SECRET);
    await button(keys, "Unlock").click();
    await button(keys, "Delete").click();
    await button(page.getByRole("dialog"), "Delete it").click();
    await page.getByText("No account is kept yet.").waitFor();
    assert.deepEqual(site.errors, []);
  },
);
