/** What a browser keeps of its chain, and who runs it: reloads, kills, tabs that come and go. */
// rules: groups 1, groups 2, groups 3
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { groupsContract } from "../../contract/groups.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { createSender } from "../../support/sender.ts";
import { FRESH, openSite, type Site } from "../../support/browser/site.ts";
import { holdTab, openTabPage, type TabPage } from "../../support/browser/tab-node.ts";
import { workersOf } from "../../support/browser/worker-session.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";
import { inFull, inFullAll } from "../../support/runner/in-full.ts";

const RUNNING = "status.phase === 'running'";
const suite = createStandardSuite();

async function withSite(run: (site: Site) => Promise<void>): Promise<void> {
  const site = await openSite();
  try {
    await run(site);
    assert.deepEqual(site.errors, []);
    assert.deepEqual(site.foreign, []);
  } finally {
    await site.close();
  }
}

/** Whose chain of four nodes most tests go on with. */
let shared: Site;
beforeAll(async () => {
  shared = await openSite();
});
afterAll(() => shared?.close());

/** Takes up the shared chain where the test before left it. */
async function onSharedChain(
  run: (site: Site, tab: TabPage, head: number) => Promise<void>,
): Promise<void> {
  const tab = await openChain(shared);
  const head = Number(await tab.request("getBlockNumber", [1]));
  await tab.until(heightIs(head));
  await run(shared, tab, head);
  for (const page of shared.context.pages()) await page.close();
  assert.deepEqual(shared.errors, []);
  assert.deepEqual(shared.foreign, []);
}

/** The chain of four nodes that the browser keeps, or a new one. */
async function openChain(site: Site, consensus: "pbft" | "raft" = "pbft"): Promise<TabPage> {
  const tab = await openTabPage(site);
  // Until the worker has opened what is kept it says nothing.
  const { chain } = await tab.until("status.phase !== 'connecting'");
  if (!chain) await tab.start({ kind: "chain", nodes: 4, consensus });
  await tab.until(RUNNING);
  return tab;
}

function heightIs(height: number): string {
  return `status.nodes.length === 4 &&
    status.nodes.every(({ groups: [group] }) => group?.height === ${height})`;
}

const send = createSender(suite);
async function commit(tab: TabPage, head: number): Promise<string> {
  const { raw, hash } = send({ head });
  await tab.request("sendRawTransaction", [1, raw]);
  await tab.until(`status.nodes[0]?.groups[0]?.height > ${head}`);
  return hash;
}

/** What the suite of groups asks of a chain in a tab. */
async function groupsInTab(site: Site): Promise<void> {
  await groupsContract({
    async open() {
      const tab = await openChain(site);
      const { chain } = await tab.status();
      return {
        nodes: (chain?.nodeIds ?? []).map((nodeId, node) => ({
          nodeId,
          request: (method, params) => tab.request(method, params, node),
        })),
        request: (method, params) => tab.request(method, params),
        close: () => tab.page.close(),
      };
    },
  });
}

// A second group of a tab that does not run, or is not kept, fails tab-backup.test.ts too; what
// groups do, dev-groups.test.ts.
if (TAKES_ALL_CASES)
  test("a generated group runs next to the first one, and both are as they were left", () =>
    withSite(groupsInTab));

/** What was written before the last tab is closed is there when one is opened. */
async function goesOn(site: Site, tab: TabPage, head: number): Promise<void> {
  const hashes = [await commit(tab, head), await commit(tab, head + 1)];
  const { chain } = await tab.until(heightIs(head + 2));
  await tab.page.close();

  const again = await openTabPage(site);
  const status = await again.until(`${RUNNING} && ${heightIs(head + 2)}`);
  assert.deepEqual(status.chain, chain);
  for (const node of [0, 1, 2, 3])
    for (const hash of hashes) {
      const receipt = await again.request("getTransactionReceipt", [1, hash], node);
      assert.equal((receipt as { status: string }).status, "0x0");
    }
  hashes.push(await commit(again, head + 2));
  await again.until(heightIs(head + 3));
}

/** Longer than a round of consensus lasts. */
const ASLEEP_MS = 4_000;
/** Asks through a new connection that waits so long; the answer, or the code of the failure. */
const askWithin = (timeoutMs: number) =>
  `import("/bridge.js").then(({ connectTabNode }) => connectTabNode({ timeoutMs: ${timeoutMs} }))
  .then(({ provider }) => provider.request({ method: "getBlockNumber", params: [1] }))
  .catch(({ code }) => code)`;
const HASTY_MS = 200;
const PATIENT_MS = 60_000;

// Each goes on where the one before ended, while the chains of other kinds go on too.
describe.concurrent("one chain", () => {
  test.sequential("a pbft chain goes on by itself after a reload, with all its blocks", () =>
    onSharedChain(goesOn));

  test.sequential("two tabs share the chain; when its tab closes, the other one goes on with it", async () => {
    await onSharedChain(async (site, owner, head) => {
      const other = await openTabPage(site);
      const seen = await other.until(`${RUNNING} && ${heightIs(head)}`);
      assert.deepEqual([seen.owner, (await owner.status()).owner], ["other", "this"]);
      await other.page.evaluate(`(async () => {
        globalThis.provider = tab.provider;
        globalThis.pushed = [];
        await provider.subscribe("blocks", [1], ({ number }) => pushed.push(number));
      })()`);
      const hash = await commit(other, head);
      await untilHolds(other.page, "pushed.length === 1");
      assert.ok(await owner.request("getTransactionReceipt", [1, hash]));
      await other.until(heightIs(head + 1));

      await owner.page.close();
      // Asked while nobody runs the node, through the provider that was there before.
      const asked = `provider.request({ method: "getBlockNumber", params: [1] })`;
      assert.equal(await other.page.evaluate(asked), `0x${(head + 1).toString(16)}`);
      await other.until(`${RUNNING} && status.owner === "this"`);
      await commit(other, head + 1);
      await untilHolds(other.page, "pushed.length === 2");
      const third = await openTabPage(site);
      assert.equal(Number(await third.request("getBlockNumber", [1])), head + 2);
    });
  });

  // A subscription goes on in the test above; a page that comes back is examined here alone.
  inFull(
    "a subscription outlives a stop of the chain, and a page that was left comes back",
    async () => {
      await onSharedChain(async (site, tab, head) => {
        await tab.page.evaluate(`(async () => {
        globalThis.pushed = [];
        await tab.provider.subscribe("blocks", [1], ({ number }) => pushed.push(number));
      })()`);
        await commit(tab, head);
        await tab.page.evaluate("tab.stop().then(() => tab.worker.resume())");
        await tab.until(RUNNING);
        await commit(tab, head + 1);
        await untilHolds(tab.page, `pushed.join() === "${head + 1},${head + 2}"`);

        await tab.page.goto(`${site.base}/favicon.svg`);
        await tab.page.goBack();
        const back = await holdTab(tab.page);
        await back.until(heightIs(head + 2));
        await commit(back, head + 2);
      });
    },
    { concurrent: false },
  );

  // Nodes that stand still for a time and go on are in the simulator.
  inFull(
    "a worker that was held up, as in a frozen tab, returns to work without a word",
    async () => {
      await onSharedChain(async (site, tab, head) => {
        await commit(tab, head);
        const other = await openTabPage(site);
        const workers = await workersOf(tab.page);
        for (const worker of workers) {
          await worker.send("Debugger.enable");
          await worker.send("Debugger.pause");
        }
        const slept = new Promise((resolve) => setTimeout(resolve, ASLEEP_MS));
        assert.equal(await other.page.evaluate(askWithin(HASTY_MS)), 4_900);
        await slept;
        for (const worker of workers) await worker.send("Debugger.disable");
        await commit(other, head + 1);
        await tab.until(heightIs(head + 2));
        assert.equal(Number(await other.page.evaluate(askWithin(PATIENT_MS))), head + 2);
      });
    },
    { concurrent: false },
  );

  // Last of those on the shared chain: it is gone then.
  test.sequential("data that the browser has thrown away are missed, and nothing begins anew unasked", async () => {
    await onSharedChain(async (site, tab) => {
      await untilHolds(tab.page, "document.cookie.startsWith('chain-node=')");
      const { chain } = await tab.status();
      // As Clear-Site-Data does, or a browser that needs the space.
      const session = await site.context.newCDPSession(tab.page);
      const cleared = { origin: site.base, storageTypes: "indexeddb" };
      await session.send("Storage.clearDataForOrigin", cleared);
      await tab.until("status.nodes.some(({ failures }) => failures.length > 0)");
      await tab.page.close();

      const after = await openTabPage(site);
      const { phase, loss, reason } = await after.until("status.phase !== 'connecting'");
      assert.deepEqual([phase, loss?.nodeId], ["evicted", chain?.nodeIds[0]]);
      assert.match(reason ?? "", /the browser has thrown away .* put a backup back/);
      const request = { kind: "chain", nodes: 4, consensus: "pbft" } as const;
      await assert.rejects(after.start(request), /thrown away/);
      await after.start({ ...request, isNew: true });
      const { chain: other } = await after.until(RUNNING);
      assert.ok(!other?.nodeIds.some((nodeId) => chain?.nodeIds.includes(nodeId)));
      await after.page.evaluate("tab.wipe()");
      await after.until("status.phase === 'off'");
      await after.page.close();
      const last = await openTabPage(site);
      assert.equal((await last.until("status.phase !== 'connecting'")).phase, "off");
    });
  });
});

// Each in a profile of its own: while one waits the others go on.
inFullAll(
  "chains of other kinds",
  () => {
    // What is kept does not depend on the consensus: see the same of pbft above, and raft in a tab
    // in explorer/sources.test.ts.
    test("a raft chain goes on by itself after a reload, with all its blocks", () =>
      withSite(async (site) => goesOn(site, await openChain(site, "raft"), 0)));

    // web/node-page.test.ts stops a chain and goes on; keys behind a passphrase are in
    // keys.test.ts.
    test("a chain that was stopped stays stopped, and keys wait for their passphrase", async () => {
      await withSite(async (site) => {
        const tab = await openTabPage(site);
        const request = { kind: "chain", nodes: 1, consensus: "pbft" } as const;
        await tab.start({ ...request, passphrase: "correct horse" });
        await tab.until(RUNNING);
        await commit(tab, 0);
        await tab.page.evaluate("tab.stop()");
        await tab.page.close();

        const second = await openTabPage(site);
        const { phase, nodes } = await second.until("status.phase !== 'connecting'");
        assert.deepEqual([phase, nodes], ["off", []]);
        const wrong = await second.page.evaluate(
          `tab.start({ ...${JSON.stringify(request)}, passphrase: "horse" })
            .catch(({ name }) => name)`,
        );
        assert.equal(wrong, "KeysLocked");
        await second.until("status.phase === 'locked'");
        await second.start({ ...request, passphrase: "correct horse" });
        await second.until("status.nodes[0]?.groups[0]?.height === 1");
        await second.page.close();

        const third = await openTabPage(site);
        const { reason } = await third.until("status.phase === 'locked'");
        assert.match(reason ?? "", /passphrase/);
        const other = await third.page.evaluate<string>(
          `tab.start({ kind: "chain", nodes: 4, consensus: "raft" })
            .catch(({ message }) => message)`,
        );
        assert.match(other, /this browser keeps a pbft chain with 1 node.*wipe it/);
      });
    });

    // A tab that closes leaves its place to another one above.
    test("a tab that holds the node and answers nothing is reported, and gone past when it closes", async () => {
      await withSite(async (site) => {
        const sleeper = await site.context.newPage();
        await sleeper.goto(`${site.base}/favicon.svg`);
        await sleeper.evaluate(
          `void navigator.locks.request("chain-node.seat", () => new Promise(() => undefined))`,
        );
        const tab = await openTabPage(site);
        const { phase, reason } = await tab.status();
        assert.equal(phase, "connecting");
        assert.match(reason ?? "", /does not answer: bring it to the front, or close it/);
        assert.equal(await tab.page.evaluate(askWithin(HASTY_MS)), 4_900);
        await sleeper.close();
        await tab.until("status.phase === 'off' && status.owner === 'this'");
      });
    });
  },
  { concurrent: true },
);

/** Sends without end; keeps the hash of each transaction whose receipt was answered. */
const LOAD = `(raws) => {
  globalThis.acknowledged = [];
  const provider = tab.provider;
  const ask = (method, ...params) => provider.request({ method, params });
  const pause = () => new Promise((resume) => setTimeout(resume, 20));
  for (const [hash, raw] of raws) {
    ask("sendRawTransaction", 1, raw).then(async () => {
      while (!(await ask("getTransactionReceipt", 1, hash))) await pause();
      acknowledged.push(hash);
    }, () => undefined);
  }
}`;

/** A browser of its own with a chain under load is killed, and opened again. */
async function killUnderLoad(): Promise<void> {
  const first = await openSite({ profile: FRESH });
  const { profile, port } = first;
  const tab = await openChain(first);
  const raws = Array.from({ length: 90 }, () => {
    const { hash, raw } = send({ head: 0 });
    return [hash, raw];
  });
  const warm = JSON.stringify(raws.slice(0, 30));
  await tab.page.evaluate(`(${LOAD})(${warm})`);
  await untilHolds(tab.page, "acknowledged.length >= 10");
  await tab.page.evaluate(`(${LOAD})(${JSON.stringify(raws.slice(30))})`);
  await untilHolds(tab.page, "acknowledged.length >= 10");
  const acknowledged = await tab.page.evaluate<string[]>("acknowledged");
  await first.kill();

  const second = await openSite({ profile, port });
  try {
    const again = await openTabPage(second);
    await again.until(RUNNING);
    for (const hash of acknowledged)
      assert.ok(await again.request("getTransactionReceipt", [1, hash]), hash);
    const head = Number(await again.request("getBlockNumber", [1]));
    await commit(again, head);
    await again.until("new Set(status.nodes.map(({ groups: [g] }) => g?.headHash)).size === 1");
    assert.deepEqual(second.errors, []);
  } finally {
    await second.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// A store that loses what it called durable when the browser is killed fails store-crash.test.ts,
// and a chain that the browser keeps incompletely the reload above.
if (TAKES_ALL_CASES)
  test("a browser that is killed under load has lost no receipt that was answered", killUnderLoad);
