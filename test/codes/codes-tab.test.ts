/** The same cases with nodes in a worker of real Chromium, through the provider of a page. */
// rules: interface 7.3, interface 7.4, interface 7.5
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { type OpenPage, openPage } from "../support/browser/chromium.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { workerBundle } from "../support/browser/recordings-bundle.ts";
import { SECTIONS } from "./sections.ts";
import { untilHolds } from "../support/browser/page-looks.ts";

/** Each line of the worker has a provider of its own, as each node of a tab has. */
const PAGE = `
  import { proxy, wrap } from "comlink";
  import { NodeProvider } from "../../runtimes/browser/link/provider.ts";
  const worker = wrap(new Worker("/codes-worker.js", { type: "module" }));
  const providers = new Map();
  function providerOf(line) {
    const known = providers.get(line);
    if (known) return known;
    const post = (body) => worker.post(line, body);
    const provider = new NodeProvider({ post, heard: () => undefined });
    providers.set(line, provider);
    return provider;
  }
  const ask = (line, method, params) => providerOf(line).request({ method, params }).then(
    (result) => ({ result }),
    ({ name, code, message, data }) => {
      if (name !== "ProviderError") throw new TypeError(name + ": " + message);
      return { error: { code, message, data } };
    },
  );
  worker.meet(proxy(ask)).then(() => {
    globalThis.runCase = (section, code) => worker.run(section, code);
  });
`;

/** The stores of a tab know what only browsers have. */
const WORKER = `
  import { openTabStore } from "../../runtimes/browser/store/open.ts";
  import { serveCases } from "../codes/codes-worker.ts";
  serveCases(openTabStore);
`;

let opened: OpenPage;

beforeAll(async () => {
  const { script } = await bundleFor("browser", PAGE);
  const files = new Map([
    ["page.js", script],
    ["codes-worker.js", await workerBundle(WORKER)],
  ]);
  opened = await openPage(files, "page.js");
  await untilHolds(opened.page, "globalThis.runCase !== undefined");
});
afterAll(async () => {
  await opened.close();
  assert.deepEqual(opened.errors, []);
});

/**
 * One of this many: codes.test.ts has all of them. A provider or a store of a tab that changes
 * codes, or texts of faults, changes those of every section.
 */
const SHARE = TAKES_ALL_CASES ? 1 : 4;

for (const { section, cases, show } of SECTIONS) {
  const some = cases.filter((_, index) => index % SHARE === 0);
  for (const { code, test: name } of some) {
    test.concurrent(`in a tab, ${section} ${show(code)}: ${name}`, () =>
      opened.page.evaluate(`runCase("${section}", ${code})`));
  }
}
