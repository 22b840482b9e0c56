/** A page that a node of a development chain served joins it with one request. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { encodeCall } from "../../../core/abi/encode.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import {
  type DevProcess,
  request,
  startDevProcess,
  steadyPorts,
  waitForReceipt,
} from "../../support/process/dev-process.ts";
import { keyOfTab } from "../../support/browser/join-tab.ts";
import { createSender } from "../../support/sender.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { holdTab, openTabPage, type TabPage } from "../../support/browser/tab-node.ts";

const LIMIT_MS = 240_000;
const CONSENSUS = `0x${"1003".padStart(40, "0")}`;
const suite = createStandardSuite();
const sign = createSender(suite);
let data: string;
let port: number;
let dev: DevProcess;
let site: Site;
let tab: TabPage;
let nodeId: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "chain-dev-join-"));
  port = await steadyPorts(8);
  dev = await startDevProcess({ data, port, args: ["--channel-port", `${port + 4}`] });
  site = await openSite({ base: dev.urls[0] ?? "" });
});

afterAll(async () => {
  await site?.close();
  await dev?.end("SIGTERM");
  await rm(data, { recursive: true, force: true });
});

async function send(to?: string, input?: Uint8Array): Promise<number> {
  const [url = ""] = dev.urls;
  const head = Number(await request(url, "getBlockNumber", [1]));
  const call = to === undefined || !input ? { head } : { head, to, input };
  const { raw, hash } = sign(call);
  await request(url, "sendRawTransaction", [1, raw]);
  const receipt = await waitForReceipt(url, hash, LIMIT_MS);
  assert.equal(receipt.status, "0x0");
  return Number(receipt.blockNumber);
}

const changeRole = (method: string) => send(CONSENSUS, encodeCall(method, [nodeId], suite.hash));

describe.sequential("a tab and a development chain", () => {
  test("one request gives all that joining takes", async () => {
    tab = await openTabPage(site);
    ({ nodeId } = await keyOfTab(tab));
    await tab.page.evaluate(`(async () => {
      const { publicKey } = await tab.worker.joinKey({});
      const answer = await fetch("/join", { method: "POST", body: publicKey });
      await tab.start({ kind: "join", ...(await answer.json()) });
    })()`);
    await tab.until("status.phase === 'running' && status.nodes[0].peers === 4");
    await changeRole("addObserver(string)");
    const number = await send();
    await tab.until(`status.nodes[0].groups[0].height >= ${number}`);
    const peers = await request(dev.urls[0] ?? "", "getPeers", [1]);
    assert.equal((peers as unknown[]).length, 4);
    assert.deepEqual(site.errors, []);
  });

  test("as a sealer it votes with the nodes that are joined in memory", async () => {
    await changeRole("addSealer(string)");
    await tab.until("status.nodes[0].groups[0].consensus.isSealer");
    const sealers = new Set<string>();
    // Each in its turn proposes: one of them is the tab.
    for (let i = 0; i < 40 && !sealers.has(nodeId); i++) {
      const number = await send();
      const header = await request(dev.urls[0] ?? "", "getBlockHeaderByNumber", [
        1,
        `${number}`,
        false,
      ]);
      const { sealer, sealerList } = header as { sealer: string; sealerList: string[] };
      sealers.add(sealerList[Number(sealer)] ?? "");
    }
    assert.ok(sealers.has(nodeId), "the tab proposes blocks");
  });

  test("chain and tab that start again find each other", async () => {
    const { nodes } = await tab.status();
    const height = nodes[0]?.groups[0]?.height ?? 0;
    await dev.end("SIGTERM");
    await tab.until("status.nodes[0].peers === 0");
    dev = await startDevProcess({ data, port, args: ["--channel-port", `${port + 4}`] });
    // With its key and its ledger, and at the ports that it knows.
    await tab.page.reload();
    tab = await holdTab(tab.page);
    const status = await tab.until("status.phase === 'running' && status.nodes[0].peers === 4");
    assert.deepEqual(status.chain?.nodeIds, [nodeId]);
    assert.ok((status.nodes[0]?.groups[0]?.height ?? 0) >= height);
    assert.equal(status.nodes[0]?.groups[0]?.silence, undefined);
    const number = await send();
    await tab.until(`status.nodes[0].groups[0].height >= ${number}`);
  });

  test("a page of another origin, and what is no key, get nothing", async () => {
    const [url = ""] = dev.urls;
    const ask = (body: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${url}/join`, { method: "POST", body, headers });
    assert.equal((await ask(nodeId, { Origin: "https://elsewhere.example" })).status, 403);
    assert.equal((await ask("nothing")).status, 400);
    assert.equal((await ask("x".repeat(100_000))).status, 413);
    assert.equal((await ask(nodeId)).status, 200);
  });
});
