/** A browser whose storage is full: what the chain in the tab does, and how it goes on. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, test } from "vitest";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { createSender, deployment } from "../../support/sender.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { openTabPage, type TabPage } from "../../support/browser/tab-node.ts";

const send = createSender(createStandardSuite());
/** A contract of this size per block: the room is soon used. */
const CODE = new Uint8Array(20_000).fill(0x5b);
const ROOM_BYTES = 200_000;

/**
 * Gives the site little room, before it has used any: Chromium remembers for half a minute how much
 * there was.
 */
async function limitRoom(site: Site, tab: TabPage): Promise<() => Promise<void>> {
  const session = await site.context.newCDPSession(tab.page);
  const origin = site.base;
  const quotaSize = ROOM_BYTES;
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize });
  return async () => {
    await session.send("Storage.overrideQuotaForOrigin", { origin });
  };
}

interface GroupStatus {
  readonly code: string;
  readonly message: string;
  readonly status: string;
}

const statusOf = async (tab: TabPage) =>
  (await tab.request("queryGroupStatus", [1])) as GroupStatus;

/** Sends large transactions until the group says that it stopped. */
async function sendUntilFull(tab: TabPage): Promise<GroupStatus> {
  for (;;) {
    const status = await statusOf(tab);
    if (status.message !== "") return status;
    const { raw } = send({ head: 0, input: deployment(CODE) });
    await tab.request("sendRawTransaction", [1, raw]).catch(() => undefined);
    await sleep(20);
  }
}

test("when the storage is full the group stops and says so, and goes on once there is room", async () => {
  const site = await openSite();
  try {
    const tab = await openTabPage(site);
    const makeRoom = await limitRoom(site, tab);
    await tab.start({ kind: "chain", nodes: 1, consensus: "pbft" });
    await tab.until("status.phase === 'running'");
    const before = send({ head: 0 });
    await tab.request("sendRawTransaction", [1, before.raw]);
    await tab.until("status.nodes[0]?.groups[0]?.height >= 1");
    const { message } = await sendUntilFull(tab);
    assert.match(message, /the browser's storage for this site is full; make space, then start/);
    const { nodes } = await tab.until("status.nodes[0]?.failures.length > 0");
    assert.match(nodes[0]?.failures[0]?.reason ?? "", /storage for this site is full/);
    await assert.rejects(
      tab.request("getBlockNumber", [1]),
      /storage for this site is full|-32603/,
    );
    assert.ok(await tab.request("getClientVersion", []));

    await makeRoom();
    await tab.request("stopGroup", [1]);
    const { code } = (await tab.request("startGroup", [1])) as GroupStatus;
    assert.equal(code, "0x0");
    assert.ok(await tab.request("getTransactionReceipt", [1, before.hash]));
    const head = Number(await tab.request("getBlockNumber", [1]));
    const after = send({ head });
    await tab.request("sendRawTransaction", [1, after.raw]);
    await tab.until(`status.nodes[0]?.groups[0]?.height > ${head}`);
    assert.deepEqual(await statusOf(tab), { code: "0x0", message: "", status: "RUNNING" });
    assert.deepEqual(site.foreign, []);
  } finally {
    await site.close();
  }
});

test("a full storage keeps nobody from stopping, saving and wiping the chain", async () => {
  const site = await openSite();
  try {
    const tab = await openTabPage(site);
    await limitRoom(site, tab);
    const request = { kind: "chain", nodes: 1, consensus: "pbft" } as const;
    await tab.start(request);
    await tab.until("status.phase === 'running'");
    await sendUntilFull(tab);
    await tab.page.evaluate("tab.stop()");
    await tab.until("status.phase === 'off'");
    const first = `(async () => {
      const { id, height } = await tab.worker.openBackup(1);
      const { bytes } = await tab.worker.nextPiece(id);
      await tab.worker.endBackup(id);
      return height > 0 && bytes.length > 0;
    })()`;
    assert.equal(await tab.page.evaluate(first), true);
    await tab.page.evaluate("tab.wipe()");
    await tab.until("status.phase === 'off' && !status.chain");
    await tab.start(request);
    await tab.until("status.phase === 'running'");
  } finally {
    await site.close();
  }
});

/** The page of the tests that leave a chain which can be wiped: each begins with nothing. */
let shared: { readonly site: Site; readonly tab: TabPage } | undefined;
afterAll(() => shared?.site.close());

async function inSharedTab(work: (tab: TabPage, site: Site) => Promise<void>): Promise<void> {
  if (!shared) {
    const site = await openSite();
    shared = { site, tab: await openTabPage(site) };
  }
  await work(shared.tab, shared.site);
  await shared.tab.page.evaluate("tab.wipe()");
  await shared.tab.until("status.phase === 'off' && !status.chain");
}

test("a ledger that somebody deleted does not begin anew under the key of its node", async () => {
  await inSharedTab(async (tab) => {
    await tab.start({ kind: "chain", nodes: 1, consensus: "pbft" });
    await tab.until("status.phase === 'running'");
    const name = (await tab.status()).chain?.name ?? "";
    await tab.page.evaluate("tab.stop()");
    await tab.page.evaluate(`new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase("chain-node/${name}/node0/group1");
      request.onsuccess = resolve;
      request.onerror = reject;
    })`);
    await tab.page.evaluate("tab.worker.resume()").catch(() => undefined);
    const { nodes, reason } = await tab.until(
      "status.phase === 'failed' || status.nodes[0]?.failures.length > 0",
    );
    const said = nodes[0]?.failures[0]?.reason ?? reason ?? "";
    assert.match(said, /was deleted by the browser or you: restore a backup, or wipe the chain/);
    await assert.rejects(tab.request("getBlockNumber", [1]));
    await tab.page.evaluate("tab.wipe()");
    await tab.start({ kind: "chain", nodes: 1, consensus: "pbft" });
    await tab.until("status.nodes[0]?.groups[0]?.height === 0");
  });
});

test("a chain whose data were cleared while it ran can be wiped, and another one begun", async () => {
  await inSharedTab(async (tab, site) => {
    const request = { kind: "chain", nodes: 1, consensus: "pbft" } as const;
    await tab.start(request);
    const { chain } = await tab.until("status.nodes[0]?.groups[0]?.height === 0");
    const session = await site.context.newCDPSession(tab.page);
    const cleared = { origin: site.base, storageTypes: "indexeddb" };
    await session.send("Storage.clearDataForOrigin", cleared);
    await tab.page.evaluate("tab.wipe()");
    await tab.until("status.phase === 'off' && !status.chain");
    await tab.start(request);
    const again = await tab.until("status.nodes[0]?.groups[0]?.height === 0");
    assert.notDeepEqual(again.chain?.nodeIds, chain?.nodeIds);
    const { raw } = send({ head: 0 });
    await tab.request("sendRawTransaction", [1, raw]);
    await tab.until("status.nodes[0]?.groups[0]?.height === 1");
  });
});

/**
 * What the browser does to an open database when it clears the site's data, before it says so: each
 * transaction is aborted.
 */
const LOSE_LIST = `(() => {
  const { transaction } = IDBDatabase.prototype;
  let lost;
  IDBDatabase.prototype.transaction = function (...args) {
    const made = transaction.apply(this, args);
    if (this.name === "chain-node") lost ??= this;
    if (this === lost) queueMicrotask(() => made.abort());
    return made;
  };
})()`;

test("a chain can be wiped while its data are being cleared, and another one begun", async () => {
  await inSharedTab(async (tab) => {
    const request = { kind: "chain", nodes: 1, consensus: "pbft" } as const;
    await tab.start(request);
    await tab.until("status.nodes[0]?.groups[0]?.height === 0");
    const host = tab.page.workers().find((worker) => worker.url().includes("node-worker"));
    assert.ok(host);
    await host.evaluate(LOSE_LIST);
    await tab.page.evaluate("tab.wipe()");
    await tab.until("status.phase === 'off' && !status.chain");
    await tab.start(request);
    await tab.until("status.nodes[0]?.groups[0]?.height === 0");
  });
});
