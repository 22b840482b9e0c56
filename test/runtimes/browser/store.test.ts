/** The store of a browser, in real Chromium. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { STORE_CASES } from "../../contract/store-cases.ts";
import { cases, propertySeed } from "../../support/runner/cases.ts";
import { bundleFor } from "../../support/browser/platform-bundle.ts";
import { type ScriptServer, serveScripts } from "../../support/browser/script-server.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";

const SCRIPT = `
  import * as tests from "./browser/store-script.ts";
  globalThis.tests = tests;
`;

let server: ScriptServer;
let site: Site;
let page: Page;

beforeAll(async () => {
  const { script } = await bundleFor("browser", SCRIPT);
  server = await serveScripts(new Map([["page.js", script]]), "page.js");
  site = await openSite({ base: server.base });
  page = await site.tab();
  await untilHolds(page, "globalThis.tests !== undefined");
});

afterAll(async () => {
  await site?.close();
  server?.close();
});

const run = (call: string): Promise<unknown> => page.evaluate(`globalThis.tests.${call}`);

describe("the store of a browser", () => {
  for (const { name } of STORE_CASES)
    test(name, async () => {
      assert.equal(await run(`runCase(${JSON.stringify(name)})`), undefined);
    });
});

test("commits, openings and ranges in any order give what a store in memory gives", async () => {
  await run(`runProperty(${cases(80)}, ${propertySeed()})`);
});

test("a commit of which a part cannot be written leaves nothing", async () => {
  await run("runHalf()");
});

test("merges that find no room lose nothing and are not tried again and again", async () => {
  await run("runNoRoom()");
});

test("files are there after an opening, and gone once removed", async () => {
  await run("runFiles()");
});

test("a chain that is wiped leaves nothing, also when the wiping was cut short", async () => {
  await run("runChains()");
});

describe("a bit that the disk changed is told, and not given", () => {
  for (const [kind, wanted] of [
    ["records", /^damaged records holds a damaged database: .* is not as it was written/],
    ["pages", /damaged pages holds damaged data: page 0 of segment \d+ is not as it was written; /],
    [
      "journal",
      /damaged journal holds damaged data: its journal is not as it was written; restore/,
    ],
  ] as const)
    test(`in ${kind}`, async () => {
      assert.match(String(await run(`runDamage("${kind}")`)), wanted);
    });
});

test("a row that is gone is told by the look through all", async () => {
  const told = String(await run("runLostRow()"));
  assert.match(told, /table table has 1 keys of rows, and 2 were written/);
});

test("a database that is open is not opened again", async () => {
  assert.equal(await run("runLocked()"), "locked");
});

test("a read that is cut off says so to who asked, and to nobody else", async () => {
  assert.match(String(await run("runCutRead()")), /cut cannot be read or written: /);
});

test("nobody learned of an error", () => {
  assert.deepEqual(site.errors, []);
});
