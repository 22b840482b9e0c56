/** Tabs of one chain meet through a node that both can dial; who must not join hears why. */
// rules: node-network 1, 2
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { JoinFinding, JoinKey, JoinStartRequest } from "../../../runtimes/browser/link/api.ts";
import { replaceList } from "../../../runtimes/formats/config/ini-edit.ts";
import { issueInto } from "../../../runtimes/folder/certificate-work.ts";
import { createKeyPair, privateKeyPem } from "../../../runtimes/folder/private-key.ts";
import { parsePublicKey } from "../../../runtimes/formats/keys/public-key.ts";
import { createNodeEntropy } from "../../../runtimes/node/machine/entropy.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { request, sleep } from "../../support/process/dev-process.ts";
import { certifyTab, joinTab, joinRequest, keyOfTab } from "../../support/browser/join-tab.ts";
import {
  editFile,
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
} from "../../support/process/node-processes.ts";
import { requireReceipts, send } from "../../support/process/process-checks.ts";
import { changeRole, untilOneLed } from "../../support/process/process-roles.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { openTabPage, type TabPage } from "../../support/browser/tab-node.ts";

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
let chain: ProcessChain;
let other: ProcessChain;
let site: Site;
let listed: TabPage;
/** When the agencies were there: what was certified then for a second has expired by the end. */
let begunMs: number;

/** Another origin of the same server, with a node of its own: every *.localhost is this machine. */
function originOf(name: string): Site {
  return { ...site, base: site.base.replace("127.0.0.1", `${name}.localhost`) };
}

beforeAll(async () => {
  [chain, other, site] = await Promise.all([
    initProcessChain({ nodes: 4, webSocket: true, pauseMs: 50, hosted: true }),
    initProcessChain({ nodes: 1 }),
    openSite(),
  ]);
  begunMs = Date.now();
  listed = await openTabPage(originOf("listed"));
  const { nodeId } = await keyOfTab(listed);
  const [, second] = chain.nodes;
  assert.ok(second);
  const list = { section: "certificate_blacklist", stem: "crl." };
  await editFile(join(second.folder, "config.ini"), (text) => replaceList(text, list, [nodeId]));
  await Promise.all(chain.nodes.map((node) => node.start()));
});

afterAll(async () => {
  await site?.close();
  await Promise.all([chain?.close(), other?.close()]);
});

async function sealersOf({ url }: NodeProcess, number: number): Promise<readonly string[]> {
  const header = await request(url, "getBlockHeaderByNumber", [1, `${number}`, true]);
  const { sealerList, signatureList } = header as {
    readonly sealerList: readonly string[];
    readonly signatureList: readonly { readonly index: string }[];
  };
  return signatureList.map(({ index }) => sealerList[Number(index)] ?? "");
}

/** Waits until a tab shows a reason for its first peer; a first dial may have been too slow. */
async function untilReason(tab: TabPage, reason: string): Promise<void> {
  await tab.until(`status.peers?.[0]?.reason?.includes(${JSON.stringify(reason)})`);
}

/** A key may have voted elsewhere: silent first, it votes once that cannot matter any more. */
async function votesInTime(tab: TabPage, nodeId: string): Promise<void> {
  const [first] = chain.nodes;
  assert.ok(first);
  await joinTab(tab, chain, [first]);
  for (const change of ["addObserver", "addSealer"] as const)
    await changeRole(first, change, nodeId);
  const votes = "status.nodes[0].groups[0].consensus.isSealer";
  for (let isSealer = false; !isSealer; ) {
    await requireReceipts([await send(first)], chain.nodes);
    isSealer = (await tab.page.evaluate(
      `(() => { const status = tab.status(); return ${votes}; })()`,
    )) as boolean;
  }
  await changeRole(first, "remove", nodeId);
}

describe.sequential("tabs that cannot reach each other", () => {
  test("two of them are sealers and need each other's votes", async () => {
    const [first] = chain.nodes;
    assert.ok(first);
    const tabs = await Promise.all(["one", "two"].map((name) => openTabPage(originOf(name))));
    const ids = await Promise.all(tabs.map((tab) => joinTab(tab, chain, [first])));
    const [one] = tabs;
    assert.ok(one);
    // Three of the processes were never dialled by them, and they do not know each other's address.
    for (const tab of tabs) await tab.until("status.nodes[0].peers === 5");
    for (const change of ["addObserver", "addSealer"] as const)
      await Promise.all(ids.map((id) => changeRole(first, change, id)));
    for (const tab of tabs) await tab.until("status.nodes[0].groups[0].consensus.isSealer");
    // Five of six decide: without one of the processes it takes both tabs.
    const last = await untilOneLed(chain.nodes.slice(1), chain.nodes);
    const running = chain.nodes.filter((node) => node !== last);
    await last.end("SIGTERM");
    for (let i = 0; i < 5; i++) await requireReceipts([await send(first)], running);
    const number = await first.blockNumber();
    for (const node of running) {
      const sealers = await sealersOf(node, number);
      assert.ok(ids.every((id) => sealers.includes(id)));
    }
    for (const tab of tabs) await tab.until(`status.nodes[0].groups[0].height >= ${number}`);
    const header = await one.request("getBlockHeaderByNumber", [1, `${number}`, true]);
    assert.equal((header as { signatureList: unknown[] }).signatureList.length, 5);
    await last.start();
    await Promise.all(ids.map((id) => changeRole(first, "remove", id)));
    for (const tab of tabs) await tab.page.close();
    await requireReceipts([await send(last)], chain.nodes);
  });

  test("one that a node refuses hears from that node why", async () => {
    const [first, second] = chain.nodes;
    assert.ok(first && second);
    await joinTab(listed, chain, [second]);
    await untilReason(listed, "refused by the peer: blacklisted");
    await listed.page.evaluate("tab.wipe()");
    const key = await keyOfTab(listed);
    const request = await joinRequest(chain, await certifyTab(other, key), [first]);
    const foreign = {
      ...request,
      authority: await readFile(join(other.folder, "cert/ca.crt"), "utf8"),
    };
    await listed.start(foreign);
    await untilReason(listed, "refused by the peer: no valid certificate");
    await listed.page.evaluate("tab.wipe()");
  });

  test("a key that its user brings along is the node's, and stays", async () => {
    const tab = await openTabPage(originOf("brought"));
    const key = createKeyPair(createNodeEntropy());
    const ask = (request: object) =>
      tab.page.evaluate(`tab.worker.joinKey(${JSON.stringify(request)})`) as Promise<JoinKey>;
    const { nodeId, publicKey } = await ask({ privateKey: privateKeyPem(key) });
    assert.equal(nodeId, key.nodeId);
    assert.deepEqual(parsePublicKey(publicKey, "standard"), key.publicKey);
    assert.equal((await ask({})).nodeId, key.nodeId);
    const another = privateKeyPem(createKeyPair(createNodeEntropy()));
    await assert.rejects(ask({ privateKey: another }), /keeps another key/);
    const national = privateKeyPem(createKeyPair(createNodeEntropy(), "national"));
    await assert.rejects(ask({ privateKey: national }), /of the national suite/);
    // brought-key.test.ts fails when it is not silent, abstention.test.ts when it stays so.
    if (TAKES_ALL_CASES) await votesInTime(tab, nodeId);
    await tab.page.close();
  });

  test("files that do not fit are found before anything is dialled", async () => {
    const [first] = chain.nodes;
    assert.ok(first);
    const home = await mkdtemp(join(tmpdir(), "chain-papers-"));
    try {
      const { nodeId } = await keyOfTab(listed);
      const issued = async (of: ProcessChain, publicKey: string, [now, days] = [Date.now(), 1]) => {
        const out = await mkdtemp(join(home, "papers-"));
        const order = { ca: of.folder, agency: "agency", newAgency: false, name: "tab", out };
        const context = { entropy: createNodeEntropy(), now, days };
        await issueInto({ ...order, kind: "node", publicKey }, context);
        return joinRequest(chain, out, [first]);
      };
      const check = (request: JoinStartRequest) =>
        listed.page.evaluate(`tab.worker.checkJoin(${JSON.stringify(request)})`) as Promise<
          JoinFinding | undefined
        >;
      const good = await issued(chain, nodeId);
      const { authority } = good;
      const foreign = { ...(await issued(other, nodeId)), authority };
      const short = await issued(chain, nodeId, [begunMs, SECOND_MS / DAY_MS]);
      await sleep(Math.max(0, begunMs + 2 * SECOND_MS - Date.now()));
      const genesisHashes = { 1: `0x${"ab".repeat(32)}` };
      const cases: readonly (readonly [JoinStartRequest, string | undefined])[] = [
        [good, undefined],
        [short, "expired"],
        [await issued(chain, nodeId, [Date.now() + 3 * DAY_MS, 1]), "notYetValid"],
        [await issued(chain, first.nodeId), "otherKey"],
        [foreign, "otherChain"],
        [{ ...good, certificate: "nothing" }, "noCertificate"],
        [{ ...good, authority: "" }, "noAuthority"],
        [{ ...good, groups: [] }, "noGenesis"],
        [{ ...good, groups: ["[group]\nid=x"] }, "badGenesis"],
        [{ ...good, genesisHashes }, "otherGenesis"],
        [{ ...good, supportedVersion: "1.0.0" }, "badVersion"],
        [{ ...good, peers: [] }, "noPeer"],
        [{ ...good, peers: ["http://127.0.0.1:1"] }, "badPeer"],
      ];
      for (const [request, problem] of cases)
        assert.equal((await check(request))?.problem, problem);
      await assert.rejects(listed.start(foreign), /belongs to another chain than ca\.crt/);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
