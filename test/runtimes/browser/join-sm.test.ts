/** A tab joins a chain of the national algorithms, and is reached through a relay there too. */
// rules: node-network 1, sm-suite 7
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { encodeCall } from "../../../core/abi/encode.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { request } from "../../support/process/dev-process.ts";
import { joinTab } from "../../support/browser/join-tab.ts";
import { initProcessChain, type ProcessChain } from "../../support/process/node-processes.ts";
import { requireReceipts, send } from "../../support/process/process-checks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { openTabPage } from "../../support/browser/tab-node.ts";

const CONSENSUS = `0x${"1003".padStart(40, "0")}`;
let chain: ProcessChain;
let site: Site;

beforeAll(async () => {
  [chain, site] = await Promise.all([
    initProcessChain({ nodes: 2, webSocket: true, pauseMs: 50, sm: true, hosted: true }),
    openSite(),
  ]);
});

afterAll(async () => {
  await site?.close();
  await chain?.close();
});

test("a tab makes an SM2 key, and begins with the join bundle of a chain of SM2 and SM3", async () => {
  const tab = await openTabPage(site);
  const nodeId = await joinTab(tab, chain, chain.nodes);
  const { chain: kept } = await tab.until("status.nodes[0].groups[0]?.height === 0");
  assert.deepEqual([kept?.sm, kept?.nodeIds], [true, [nodeId]]);
  await tab.page.evaluate("tab.wipe()");
  await tab.page.close();
});

/** A tab is met by a node that it never dialled, and has the blocks that were written before. */
async function isReached(): Promise<void> {
  await Promise.all(chain.nodes.map((node) => node.start()));
  const [first, second] = chain.nodes;
  assert.ok(first && second);
  const tab = await openTabPage(site);
  const nodeId = await joinTab(tab, chain, [first]);
  await tab.until("status.nodes[0].peers === 2");
  const input = encodeCall("addObserver(string)", [nodeId], createSmSuite().hash);
  await requireReceipts([await send(second, { to: CONSENSUS, input })], chain.nodes);
  const peers = await request(second.url, "getPeers", [1]);
  assert.ok((peers as { NodeID: string }[]).some(({ NodeID }) => NodeID === nodeId));
  await tab.until("status.nodes[0].groups[0]?.height >= 1");
  const hash = await request(first.url, "getBlockHashByNumber", [1, "0x1"]);
  assert.equal(await tab.request("getBlockHashByNumber", [1, "0x1"]), hash);
  assert.deepEqual(site.errors, []);
}

// Joining over a relay fails join-relay.test.ts, links and blocks of the suite fail
// network-national.test.ts: the network of a tab and of a server is the same.
if (TAKES_ALL_CASES)
  test("a tab with SM2 keys is a peer of nodes that it never dialled", isReached);
