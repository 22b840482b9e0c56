/** Throughput of chains in a tab of real Chromium, and the sizes of what a page loads. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { RpcCall } from "../../core/client/transport.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { ChainRequest } from "../../runtimes/browser/link/api.ts";
import { ReceiptWatch } from "../../runtimes/shared/benchmark/receipt-watch.ts";
import { MOST_PENDING } from "../../runtimes/shared/benchmark/round.ts";
import type { RoundFigures } from "../../runtimes/shared/benchmark/round-figures.ts";
import { type SignedBytes, TransactionMaker } from "../../runtimes/shared/benchmark/signing.ts";
import { signersOf } from "../../runtimes/tools/benchmark/adapter/accounts.ts";
import { deploy } from "../../runtimes/tools/benchmark/adapter/install.ts";
import { RpcLane } from "../../runtimes/tools/benchmark/adapter/rpc-lane.ts";
import { FRESH, openSite, type Site } from "../support/browser/site.ts";
import { openTabPage, type TabPage } from "../support/browser/tab-node.ts";
import { ROOT } from "../support/runner/root.ts";
import { helloWorldBytecode, signSet } from "./hello-world.ts";
import { CLOCK } from "./load.ts";
import { usageOf } from "./process-usage.ts";
import { profileWorkers } from "./worker-profile.ts";

/** What is measured. */
export interface BrowserRun {
  readonly nodes: number;
  readonly consensus: ChainRequest["consensus"];
  readonly sm?: boolean;
  /** The load comes from a tab that does not keep the worker. */
  readonly fromOtherTab?: boolean;
}

/** Figures of one run. */
export interface BrowserFigures {
  readonly name: string;
  readonly count: number;
  readonly failed: number;
  readonly blocks: number;
  /** Transactions with a receipt / (last receipt - first send). */
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
  /** Transactions on their way at one time. */
  readonly concurrency: number | undefined;
  /** Folder for CPU profiles of the workers. */
  readonly profile: string | undefined;
  readonly say: (line: string) => void;
}

/** Texts that are given to a page at a time. */
const SHARE = 2_000;
const SENDERS = 32;
const MS = 1_000;
/** Equal runs have equal senders. */
const KEY = "42".repeat(32);

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

/** The generator for a page, as one script. */
async function tabScript(): Promise<string> {
  const entryPoints = [join(ROOT, "test/bench/tab-load.ts")];
  const place = { bundle: true, write: false, format: "iife", legalComments: "none" } as const;
  const { outputFiles } = await build({ entryPoints, ...place });
  return outputFiles[0]?.text ?? "";
}

async function give(page: TabPage["page"], calls: readonly SignedBytes[]): Promise<void> {
  await page.evaluate("globalThis.benchCalls = []");
  for (let at = 0; at < calls.length; at += SHARE) {
    const share = calls.slice(at, at + SHARE).map(({ raw, hash }) => [toPrefixedHex(raw), hash]);
    await page.evaluate(`void benchCalls.push(...${JSON.stringify(share)})`);
  }
  await page.evaluate(await tabScript());
}

/** Deploys HelloWorld and signs this many calls of it. */
async function prepare(tab: TabPage, suite: CryptoSuite, count: number) {
  const request = ({ method, params }: RpcCall) => tab.request(method, params);
  const watch = new ReceiptWatch({ pick: () => ({ request }), groupId: 1, clock: CLOCK });
  const lane = new RpcLane({ name: "tab", transport: { request }, groupId: 1, watch });
  const maker = new TransactionMaker(
    { suite, chainId: 1n, groupId: 1 },
    signersOf(KEY, SENDERS, suite),
  );
  await watch.begin();
  const code = hexBytes(helloWorldBytecode());
  const contract = await deploy({ request, groupId: 1, pick: () => lane }, code, maker);
  watch.close();
  const height = Number(await request({ method: "getBlockNumber", params: [1] }));
  return Array.from({ length: count }, (_, i) => signSet(maker, contract, i, height));
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
  load.say(`${name}: signing ${load.count} transactions`);
  const calls = await prepare(tab, suite, load.count);
  const sender = run.fromOtherTab ? await openTabPage(site) : tab;
  await give(sender.page, calls);
  load.say(`${name}: sending`);
  const pids = processesOf(site.profile);
  const before = usageOf(pids);
  const height = async () => Number(await tab.request("getBlockNumber", [1]));
  const from = await height();
  const profiling = await profileWorkers(tab.page, load.profile, name);
  const { counts, latency, durationMs } = await sender.page.evaluate<RoundFigures>(
    `benchLoad(${nodes}, ${load.concurrency ?? MOST_PENDING})`,
  );
  await profiling();
  const after = usageOf(pids);
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return {
    name,
    count: load.count,
    failed: counts.failed,
    blocks: (await height()) - from,
    tps: (counts.succeeded * MS) / durationMs,
    p50Ms: latency.p50Ms ?? Number.NaN,
    p99Ms: latency.p99Ms ?? Number.NaN,
    cpuMsPerTransaction: (cpuSeconds * MS) / Math.max(1, counts.succeeded),
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
