/** A browser tab is a member of a chain of four nodes. */
// rules: node-network 1, 2
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { cases } from "../../support/runner/cases.ts";
import { request } from "../../support/process/dev-process.ts";
import { joinTab } from "../../support/browser/join-tab.ts";
import {
  bodyOf,
  isSameShape,
  OWN_READS,
  type Read,
  readsOfBlock,
  readsOfState,
  type SeenBlock,
} from "../../support/ledger/ledger-reads.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../support/process/node-processes.ts";
import { prepareLedger } from "../../support/ledger/prepared-ledger.ts";
import { requireReceipts, send } from "../../support/process/process-checks.ts";
import { changeRole, untilOneLed } from "../../support/process/process-roles.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { openTabPage, type TabPage } from "../../support/browser/tab-node.ts";
import { inFull } from "../../support/runner/in-full.ts";

const LIMIT_MS = 300_000;
/** Several requests of a node that catches up. */
const BLOCKS = cases(1_000, 60);
let chain: ProcessChain;
let first: NodeProcess;
let site: Site;
let tab: TabPage;
let nodeId: string;

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, webSocket: true, pauseMs: 50, hosted: true });
  await prepareLedger(chain, BLOCKS);
  await Promise.all([
    ...chain.nodes.map((node) => node.start()),
    openSite().then((opened) => {
      site = opened;
    }),
  ]);
  const [node] = chain.nodes;
  assert.ok(node);
  first = node;
});

afterAll(async () => {
  await site?.close();
  await chain?.close();
});

const asked = (reads: readonly Read[]) => reads.map((read) => bodyOf(read));

/** The answers of the tab's node, in one go. */
async function fromTab(reads: readonly Read[]): Promise<readonly unknown[]> {
  const work = `Promise.all(${JSON.stringify(asked(reads))}.map((one) => tab.worker.post(one, 0)))`;
  return ((await tab.page.evaluate(work)) as string[]).map((text) => JSON.parse(text));
}

async function fromNode({ url }: NodeProcess, reads: readonly Read[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const body of asked(reads)) {
    answers.push(await (await fetch(url, { method: "POST", body })).json());
  }
  return answers;
}

async function blockOf({ url }: NodeProcess, number: number): Promise<SeenBlock> {
  return (await request(url, "getBlockByNumber", [1, `${number}`, true])) as SeenBlock;
}

/** The header of a block as a node shows it, with its seals. */
interface Sealed {
  readonly sealerList: readonly string[];
  readonly signatureList: readonly { readonly index: string }[];
  readonly sealer: string;
}

async function isSealedByTab({ url }: NodeProcess, number: number): Promise<boolean> {
  const header = await request(url, "getBlockHeaderByNumber", [1, `${number}`, true]);
  const { sealerList, signatureList } = header as Sealed;
  const index = sealerList.indexOf(nodeId);
  return signatureList.some((seal) => Number(seal.index) === index);
}

/** Sends through a node and waits until all given nodes have the receipt. */
async function commit(through: NodeProcess, nodes: readonly NodeProcess[]): Promise<void> {
  await requireReceipts([await send(through)], nodes);
}

describe.sequential("a tab in a network", () => {
  test("joins as an observer and catches up", async () => {
    tab = await openTabPage(site);
    nodeId = await joinTab(tab, chain, chain.nodes);
    await tab.until("status.nodes[0].peers === 4");
    await changeRole(first, "addObserver", nodeId);
    const status = await tab.until(`status.nodes[0].groups[0]?.height >= ${BLOCKS}`);
    assert.ok(status.peers?.every(({ state }) => state === "connected"));
    const peers = (await tab.request("getPeers", [1])) as readonly Record<string, unknown>[];
    const names = peers.map((peer) => `${peer["Agency"]} ${peer["Node"]}`).sort();
    assert.deepEqual(
      names,
      [0, 1, 2, 3].map((index) => `agency node${index}`),
    );
  });

  test("answers all ledger reads as the Node peers do", async () => {
    const head = await untilEqual(chain.nodes, BLOCKS + 1, LIMIT_MS);
    await tab.until(`status.nodes[0].groups[0].height >= ${head}`);
    const numbers = [...Array.from({ length: 24 }, (_, i) => i), BLOCKS / 2, BLOCKS - 1, BLOCKS];
    const blocks = await Promise.all(numbers.map((number) => blockOf(first, number)));
    const reads = blocks.flatMap((block, i) => readsOfBlock(numbers[i] ?? 0, block));
    const created = await request(first.url, "getTransactionReceipt", [
      1,
      blocks[1]?.transactions[0]?.hash,
    ]);
    const { contractAddress } = created as { contractAddress: string };
    const all = [...reads, ...readsOfState(contractAddress)];
    const [own, theirs] = [await fromTab(all), await fromNode(first, all)];
    for (const [i, read] of all.entries()) {
      assert.deepEqual(own[i], theirs[i], `${read.method} ${JSON.stringify(read.params)}`);
    }
    const [mine, others] = [await fromTab(OWN_READS), await fromNode(first, OWN_READS)];
    for (const [i, { method }] of OWN_READS.entries()) {
      const seen = `${method}: ${JSON.stringify(mine[i])} and ${JSON.stringify(others[i])}`;
      assert.ok(isSameShape(mine[i], others[i]) && isSameShape(others[i], mine[i]), seen);
    }
  });

  test("becomes a sealer, and the chain commits with its votes", async () => {
    await changeRole(first, "addSealer", nodeId);
    await tab.until("status.nodes[0].groups[0].consensus.isSealer");
    // Four of five decide: without one of the processes it takes the tab.
    const last = await untilOneLed(chain.nodes.slice(1), chain.nodes);
    const running = chain.nodes.filter((node) => node !== last);
    await last.end("SIGTERM");
    for (let i = 0; i < 4; i++) await commit(running[i % 3] ?? first, running);
    const head = await first.blockNumber();
    for (let number = head - 3; number <= head; number++) {
      assert.ok(await isSealedByTab(first, number), `block ${number} has the seal of the tab`);
    }
    await last.start();
    await untilEqual(chain.nodes, head, LIMIT_MS);
    assert.deepEqual(site.errors, []);
    const peers = new Set(chain.nodes.map(({ webSocket }) => new URL(webSocket).host));
    assert.ok(site.foreign.every((url) => peers.has(new URL(url).host)));
  });

  // core/node/consensus/abstaining-sealer.test.ts has a sealer that keeps quiet, with every
  // message.
  inFull("keeps quiet while it is hidden, and comes back", async () => {
    await tab.page.evaluate(`Object.defineProperty(document, "hidden", {
      configurable: true, get: () => globalThis.isAway === true });
      globalThis.isAway = true; document.dispatchEvent(new Event("visibilitychange"));`);
    await tab.until("status.isQuiet && !status.nodes[0].groups[0].consensus.isChangingView");
    const isSealedAnywhere = async (number: number) =>
      (await Promise.all(chain.nodes.map((node) => isSealedByTab(node, number)))).some(Boolean);
    // A vote that was under way is the last one.
    for (let sealed = true; sealed; ) {
      await commit(first, chain.nodes);
      sealed = await isSealedAnywhere(await first.blockNumber());
    }
    const before = await first.blockNumber();
    for (let i = 0; i < 3; i++) await commit(first, chain.nodes);
    const head = await first.blockNumber();
    for (let number = before + 1; number <= head; number++) {
      assert.ok(!(await isSealedAnywhere(number)), `block ${number} is without it`);
    }
    await tab.page.evaluate(
      'globalThis.isAway = false; document.dispatchEvent(new Event("visibilitychange"));',
    );
    await tab.until(`!status.isQuiet && status.nodes[0].groups[0].height >= ${head}`);
    const end = performance.now() + LIMIT_MS;
    for (let found = false; !found; ) {
      assert.ok(performance.now() < end, "its seals are back");
      await commit(first, chain.nodes);
      found = await isSealedAnywhere(await first.blockNumber());
    }
  });

  // A node that is killed, and views that end its turns, are in crash-kill and the simulator.
  inFull("closing it leaves a chain that goes on", async () => {
    await tab.page.close();
    const views = () => chain.nodes.reduce((sum, node) => sum + node.viewChanges().length, 0);
    const before = views();
    // Until its turn has come, which the others end by a view.
    for (let i = 0; views() === before; i++) {
      assert.ok(i < chain.nodes.length + 2, "its turn comes");
      await commit(chain.nodes[i % 4] ?? first, chain.nodes);
    }
    await commit(first, chain.nodes);
  });
});
