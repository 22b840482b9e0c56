/** Random damages to the database of a tab's ledger: each is refused or told, none is served. */
// rules: README 30
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { byteString } from "../../../core/bytes/byte-string.ts";
import type { StoreWrite } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { bundleFor } from "../../support/browser/platform-bundle.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";
import { type ScriptServer, serveScripts } from "../../support/browser/script-server.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { openTestChain } from "../../support/execution/test-chain.ts";
import { cases } from "../../support/runner/cases.ts";
import type { Sight } from "./damages-script.ts";

const SCRIPT = `
  import * as tests from "./browser/damages-script.ts";
  globalThis.tests = tests;
`;
const BLOCKS = 18;
const DAMAGES = 60;
const COUNTER = assemble("0 sload 1 add 0 sstore stop");

let server: ScriptServer;
let site: Site;
let page: Page;

/** The commits of a small chain. */
async function chainCommits() {
  const commits: (readonly StoreWrite[])[] = [];
  const memory = openMemoryStore();
  const store = Object.assign(Object.create(memory) as typeof memory, {
    commit(writes: readonly StoreWrite[]) {
      commits.push(writes);
      return memory.commit(writes, { durable: true });
    },
  });
  const chain = await openTestChain({ store });
  const counters = [await chain.deploy(COUNTER), await chain.deploy(COUNTER)];
  for (let block = 0; block < BLOCKS; block++)
    await chain.block(...counters.map((to) => ({ to })), {});
  return commits.map((writes) =>
    writes.map(({ key, value }) => [key, value ? byteString(value) : null]),
  );
}

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

test("a bit, a record that is gone, values that changed places: refused or told", async () => {
  const commits = JSON.stringify(await chainCommits());
  const kept = (await page.evaluate(`globalThis.tests.keepChain(${commits})`)) as object;
  // Each part of a database is there to be damaged.
  for (const records of Object.values(kept)) assert.ok(records > 1, JSON.stringify(kept));
  const sights: Sight[] = [];
  for (let seed = 1; seed <= cases(DAMAGES, 12); seed++)
    sights.push((await page.evaluate(`globalThis.tests.runDamage(${seed})`)) as Sight);
  const faulty = sights.filter(({ fault }) => fault !== undefined);
  assert.deepEqual(faulty, []);
  const harmless = sights.filter(({ outcome }) => outcome === "harmless");
  assert.ok(harmless.length * 4 < sights.length, JSON.stringify(harmless, undefined, 1));
});
