/** Throughput of chains in a tab of real Chromium, and the sizes of what a page loads. */
import { readdirSync, readFileSync } from "node:fs";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { ChainWish } from "../../runtimes/browser/link/api.ts";
import { FRESH, openSite, type Site } from "../support/browser/site.ts";
import { bridgeTab } from "../support/browser/tab-bridge.ts";
import { openTabPage, type TabPage } from "../support/browser/tab-node.ts";
import { openChainClient } from "./chain-client.ts";
import { quantile } from "./load.ts";
import { usageOf } from "./process-usage.ts";
import { profileWorkers } from "./worker-profile.ts";
import type { Submission } from "./target.ts";

/** What is measured. */
export interface BrowserRun {
  readonly nodes: number;
  readonly consensus: ChainWish["consensus"];
  readonly sm?: boolean;
  /** The load comes from a tab that does not keep the worker. */
  readonly fromOtherTab?: boolean;
}

/** Figures of one run. */
export interface BrowserFigures {
  readonly name: string;
  readonly count: number;
  readonly refused: number;
  readonly blocks: number;
  /** Transactions in blocks / (last one seen - first send). */
  readonly tps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all processes of the browser, its page and its load included. */
  readonly cpuMsPerTransaction: number;
  readonly rssMiB: number;
}

/** How much load there is. */
export interface BrowserLoad {
  readonly count: number;
  /** Requests under way at a time. */
  readonly lanes: number;
  /** Folder for CPU profiles of the workers. */
  readonly profile: string | undefined;
  readonly say: (line: string) => void;
}

/** Texts that are given to a page at a time. */
const SHARE = 2_000;

/** Runs in the page: a closed loop through the provider, and a watch on the blocks. */
const LOAD = `async (lanes, nodes) => {
  const sentAt = new Map();
  const seenAt = new Map();
  const pending = new Set(load.map(({ hash }) => hash));
  const first = tab.providerOf(0);
  const ask = (method, ...params) => first.request({ method, params });
  let next = Number(await ask("getBlockNumber", 1));
  const from = next;
  let refused = 0;
  let allSent = false;
  const watch = async () => {
    while (!allSent || pending.size > 0) {
      const head = Number(await ask("getBlockNumber", 1));
      while (next < head) {
        next += 1;
        const { transactions } = await ask("getBlockByNumber", 1, "0x" + next.toString(16), false);
        const now = performance.now();
        for (const hash of transactions) if (pending.delete(hash)) seenAt.set(hash, now);
      }
      await new Promise((resume) => setTimeout(resume, 20));
    }
  };
  const began = performance.now();
  const watching = watch();
  const send = async (lane) => {
    const provider = tab.providerOf(lane % nodes);
    for (let i = lane; i < load.length; i += lanes) {
      const { hash, params } = load[i];
      sentAt.set(hash, performance.now());
      await provider.request({ method: "sendRawTransaction", params }).catch((cause) => {
        refused += 1;
        pending.delete(hash);
        if (refused === 1) console.warn("first refusal", cause.message);
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => send(lane)));
  allSent = true;
  await watching;
  const seconds = (Math.max(...seenAt.values()) - began) / 1000;
  const times = [...seenAt].map(([hash, at]) => at - sentAt.get(hash));
  return { seconds, refused, blocks: next - from, seen: seenAt.size, times };
}`;

interface Loaded {
  readonly seconds: number;
  readonly refused: number;
  readonly blocks: number;
  readonly seen: number;
  readonly times: readonly number[];
}

/** The processes of a browser: those that name its profile, and all below them. */
function processesOf(profile: string): readonly number[] {
  const parents = new Map<number, number>();
  const found = new Set<number>();
  for (const name of readdirSync("/proc").filter((it) => /^\d+$/.test(it))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]));
      if (readFileSync(`/proc/${name}/cmdline`, "utf8").includes(profile)) found.add(Number(name));
    } catch {
      // It ended meanwhile.
    }
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

async function give(page: TabPage["page"], submissions: readonly Submission[]): Promise<void> {
  await page.evaluate("globalThis.load = []");
  for (let at = 0; at < submissions.length; at += SHARE) {
    const share = submissions.slice(at, at + SHARE).map(({ hash, body }) => {
      const { params } = JSON.parse(body) as { params: readonly unknown[] };
      return { hash, params };
    });
    await page.evaluate(`void load.push(...${JSON.stringify(share)})`);
  }
}

function nameOf({ nodes, consensus, sm, fromOtherTab }: BrowserRun): string {
  const of = nodes === 1 ? "1 node" : `${nodes} nodes`;
  return [of, consensus, sm ? "SM2 and SM3" : "", fromOtherTab ? "from another tab" : ""]
    .filter(Boolean)
    .join(", ");
}

async function measureOn(
  site: Site,
  suite: CryptoSuite,
  run: BrowserRun,
  load: BrowserLoad,
): Promise<BrowserFigures> {
  const { nodes, consensus, sm = false } = run;
  const name = nameOf(run);
  const tab = await openTabPage(site);
  await tab.start({ kind: "chain", nodes, consensus, sm });
  await tab.until("status.phase === 'running'");
  const bridge = await bridgeTab(tab, nodes);
  const client = await openChainClient(suite, bridge.urls[0] ?? "");
  load.say(`${name}: signing ${load.count} transactions`);
  const submissions = await client.prepare(load.count, load.lanes);
  const sender = run.fromOtherTab ? await openTabPage(site) : tab;
  await give(sender.page, submissions);
  load.say(`${name}: sending`);
  const pids = processesOf(site.profile);
  const before = usageOf(pids);
  const profiling = await profileWorkers(tab.page, load.profile, name);
  const loaded = await sender.page.evaluate<Loaded>(`(${LOAD})(${load.lanes}, ${nodes})`);
  await profiling();
  const after = usageOf(pids);
  const last = submissions.at(-1);
  if (last) await client.requireSuccess(last.hash);
  client.close();
  bridge.close();
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return {
    name,
    count: load.count,
    refused: loaded.refused,
    blocks: loaded.blocks,
    tps: loaded.seen / loaded.seconds,
    p50Ms: quantile(loaded.times, 0.5),
    p99Ms: quantile(loaded.times, 0.99),
    cpuMsPerTransaction: (cpuSeconds * 1000) / Math.max(1, loaded.seen),
    rssMiB: after.rssMiB,
  };
}

/** One chain in a browser of its own. */
export async function measureBrowser(
  suite: CryptoSuite,
  run: BrowserRun,
  load: BrowserLoad,
): Promise<BrowserFigures> {
  const site = await openSite({ profile: FRESH });
  try {
    return await measureOn(site, suite, run, load);
  } finally {
    await site.close();
  }
}
