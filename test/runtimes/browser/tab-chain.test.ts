/** Chains that lie in a browser tab, in real Chromium. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { deploy } from "../../support/client/json-rpc-session.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { openTabPage } from "../../support/browser/tab-node.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** As many nodes as a tab takes. */
const LARGEST = { nodes: 7, consensus: "pbft", sm: false } as const;
/**
 * Others start chains of these kinds too: tab-kept.test.ts, explorer/sources.test.ts and
 * workbench/tab-workbench.test.ts.
 */
const OTHERS = [
  { nodes: 4, consensus: "pbft", sm: false },
  { nodes: 3, consensus: "raft", sm: false },
  { nodes: 1, consensus: "pbft", sm: true },
] as const;
const CHAINS = TAKES_ALL_CASES ? [LARGEST, ...OTHERS] : [LARGEST];

describe.sequential("a chain in the tab", () => {
  for (const { nodes, consensus, sm } of CHAINS) {
    const name = `${nodes} nodes under ${consensus}${sm ? " of the national suite" : ""}`;
    test(`${name} take a transaction and agree on it`, async () => {
      const tab = await openTabPage(site);
      await tab.start({ kind: "chain", nodes, consensus, sm });
      const { chain } = await tab.until("status.phase === 'running'");
      assert.deepEqual(await tab.request("getSealerList", [1]), chain?.nodeIds);
      const receipt = await deploy(tab.ask, sm ? createSmSuite() : createStandardSuite());
      assert.equal(receipt["status"], "0x0");
      assert.equal(receipt["blockNumber"], "0x1");
      const all = `status.nodes.length === ${nodes} &&
        status.nodes.every(({ groups: [group] }) => group?.height === 1)`;
      const { nodes: states } = await tab.until(all);
      assert.equal(new Set(states.map(({ groups: [group] }) => group?.headHash)).size, 1);
      await tab.page.evaluate("tab.wipe()");
      await tab.until("status.phase === 'off' && status.chain === undefined");
      await tab.page.close();
      assert.deepEqual(site.errors, []);
    });
  }
});
