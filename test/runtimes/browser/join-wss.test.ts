/** A tab joins over WebSocket with TLS, where the browser trusts the certificate of the port. */
// rules: node-network 1
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import type { JoinStartRequest } from "../../../runtimes/browser/link/api.ts";
import { createRsaSet } from "../../../runtimes/folder/rsa-certificate.ts";
import { request } from "../../support/process/dev-process.ts";
import { certifyTab, joinRequest, keyOfTab } from "../../support/browser/join-tab.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  setIni,
} from "../../support/process/node-processes.ts";
import { changeRole } from "../../support/process/process-roles.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { openTabPage, type TabPage } from "../../support/browser/tab-node.ts";
import { seededEntropy } from "../folder/chain-of-certificates.ts";

let chain: ProcessChain;
let node: NodeProcess;
/** One has a browser that trusts the port, the other one that does not. */
let trusting: Site;
let other: Site;

/** Gives the node's port for browsers a certificate that nobody vouches for. */
async function serveTls({ folder }: NodeProcess): Promise<void> {
  const { node: pair } = await createRsaSet("wss", {
    entropy: seededEntropy("wss"),
    now: Date.now(),
  });
  await writeFile(join(folder, "ws.crt"), pair.cert);
  await writeFile(join(folder, "ws.key"), pair.key, { mode: 0o600 });
  const path = join(folder, "config.ini");
  await setIni(path, "p2p", ["ws_cert", "ws.crt"]);
  await setIni(path, "p2p", ["ws_key", "ws.key"]);
}

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 1, webSocket: true, pauseMs: 50, hosted: true });
  const [first] = chain.nodes;
  assert.ok(first);
  node = first;
  await serveTls(node);
  [trusting, other] = await Promise.all([openSite({ trustsAll: true }), openSite()]);
  await node.start();
});

afterAll(async () => {
  await trusting?.close();
  await other?.close();
  await chain?.close();
});

/** A request to join over the port with TLS, with a certificate for the tab's key. */
async function requestOf(tab: TabPage): Promise<JoinStartRequest> {
  const bundle = await certifyTab(chain, await keyOfTab(tab));
  const request = await joinRequest(chain, bundle, [node]);
  return { ...request, peers: [node.webSocket.replace(/^ws:/, "wss:")] };
}

test("a tab is a peer over wss, and reads the chain", async () => {
  const tab = await openTabPage(trusting);
  const start = await requestOf(tab);
  await tab.start(start);
  const { nodes } = await tab.until("status.nodes[0].peers === 1");
  await changeRole(node, "addObserver", nodes[0]?.nodeId ?? "");
  await tab.until("status.nodes[0].groups[0]?.height >= 1");
  const hash = await request(node.url, "getBlockHashByNumber", [1, "0x1"]);
  assert.equal(await tab.request("getBlockHashByNumber", [1, "0x1"]), hash);
  const away = trusting.foreign.map((url) => new URL(url));
  assert.ok(away.length > 0 && away.every(({ protocol }) => protocol === "wss:"));
});

test("where the browser does not trust the port the tab stays alone, and says that it dials", async () => {
  const tab = await openTabPage(other);
  await tab.start(await requestOf(tab));
  const status = await tab.until("status.peers?.[0]?.reason?.startsWith('no WebSocket: ')");
  const [peer] = status.peers ?? [];
  assert.equal(peer?.state, "waiting");
  assert.match(peer?.reason ?? "", /^no WebSocket: .*certificate is not trusted$/);
  assert.equal(status.nodes[0]?.peers, 0);
});
