/**
 * Hostile clients, all at once, against one node of four that has work to do: whoever asks it for
 * little is answered, and the chain goes on.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { hexBytes } from "../../core/bytes/hex.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { NODE_ENVIRONMENT } from "../../runtimes/folder/node-scripts.ts";
import { createSender, deployment } from "../support/sender.ts";
import { request, sleep, waitForReceipt } from "../support/process/dev-process.ts";
import { countTimeouts } from "../support/process/group-clients.ts";
import { channelPortOf } from "../support/process/large-work.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
} from "../support/process/node-processes.ts";
import { startLoad } from "../support/process/steady-load.ts";
import { ROWS, type Target } from "./hostile-attackers.ts";
import { numberOption, type Soak, textOption } from "./soak.ts";

const MIB = 1024 * 1024;
const MINUTES = 10;
const RATE = 100;
const MINUTE_MS = 60_000;
const WARM_MS = 45_000;
const ASK_EVERY_MS = 50;
const LOOK_EVERY_MS = 1_000;
/** Bounds of the acceptance. */
const MOST_TURN_MS = 100;
const MOST_P99_MS = 250;
const MOST_RSS_MIB = 600;
const MOST_GROWTH_MIB = 100;
/** A receipt is there within this time. */
const RECEIPT_MS = 60_000;
/** Lowest priority. */
const NICE = 19;
/** Of /proc, in a second. */
const CLOCK_TICKS = 100;

/** LOG0 of a MiB of zeros, 30 times. */
const LOGGER = hexBytes(`${"62100000" + "6000" + "a0"}`.repeat(30));
/** Jumps to its start until its gas is gone. */
const BURNER = hexBytes("5b600056");

async function deployed(url: string, code: Uint8Array): Promise<string> {
  const send = createSender(createStandardSuite());
  const { raw, hash } = send({ head: 0, input: deployment(code) });
  await request(url, "sendRawTransaction", [1, raw]);
  return (await waitForReceipt(url, hash, RECEIPT_MS)).contractAddress;
}

/** Puts a long receipt on the chain, and what else the attackers need. */
async function prepared(chain: string, node: NodeProcess): Promise<Target> {
  const { url } = node;
  const send = createSender(createStandardSuite());
  const logger = await deployed(url, LOGGER);
  const burner = await deployed(url, BURNER);
  const { raw, hash } = send({ head: 0, to: logger, input: new Uint8Array(0) });
  await request(url, "sendRawTransaction", [1, raw]);
  const { status } = await waitForReceipt(url, hash, RECEIPT_MS);
  assert.equal(status, "0x0", "the long receipt is on the chain");
  const heavy = Array.from({ length: 5 }, () =>
    send({ head: 0, to: burner, input: new Uint8Array(0) }),
  );
  const place = { channelPort: await channelPortOf(node), sdk: join(chain, "agency", "sdk") };
  return { url, longReceipt: hash, burner, heavy: heavy.map((it) => it.raw), ...place };
}

/** Asks as an ordinary client does. */
class Asker {
  readonly tookMs: number[] = [];
  failed = 0;
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(url: string) {
    this.#done = this.#run(url);
  }

  async #run(url: string): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now();
      await request(url, "getBlockNumber", [1]).catch(() => void this.failed++);
      this.tookMs.push(performance.now() - began);
      await sleep(ASK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  at(part: number): number {
    const sorted = this.tookMs.toSorted((left, right) => left - right);
    return Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  }
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

async function healthOf(url: string): Promise<{ readonly pid: number }> {
  return (await (await fetch(`${url}/readyz`)).json()) as { pid: number };
}

const LONGEST_TURN = /^chain_node_longest_turn_seconds ([\d.e+-]+)$/m;

/** What the memory of a node is, in MiB. */
async function memoryOf(node: NodeProcess): Promise<Record<string, number>> {
  return memoryIn(await (await fetch(node.metricsUrl)).text());
}

function memoryIn(text: string): Record<string, number> {
  const found = text.matchAll(/^chain_node_memory_bytes\{kind="(\w+)"\} ([\d.e+]+)$/gm);
  return Object.fromEntries(
    [...found].map(([, kind = "", bytes]) => [kind, Math.round(Number(bytes) / MIB)]),
  );
}

/** Who attacks. */
interface Attack {
  readonly rows: string;
  readonly nice: number;
}

/** Looks at the node from outside. */
class Watch {
  mostMib = 0;
  /** What the memory was when it was most. */
  kindsAtMost: Record<string, number> = {};
  mostTurnMs = 0;
  readonly longTurnsMs: number[] = [];
  unhealthy = 0;

  async look(node: NodeProcess, pid: number): Promise<void> {
    const resident = await residentMib(pid);
    const text = await (await fetch(node.metricsUrl)).text();
    if (resident > this.mostMib) this.kindsAtMost = memoryIn(text);
    this.mostMib = Math.max(this.mostMib, resident);
    const turn = Number(LONGEST_TURN.exec(text)?.[1] ?? 0) * 1_000;
    this.mostTurnMs = Math.max(this.mostTurnMs, turn);
    if (turn >= MOST_TURN_MS / 2) this.longTurnsMs.push(Math.round(turn));
    await healthOf(node.url).catch(() => void this.unhealthy++);
  }
}

/** Seconds of processor time that a process has had: attackers without any attack nobody. */
async function cpuSeconds(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  const [, , ...fields] = text.slice(text.lastIndexOf(")")).split(" ");
  return Math.round((Number(fields[10]) + Number(fields[11])) / CLOCK_TICKS);
}

function startAttackers(target: Target, { rows, nice }: Attack) {
  const [program = ""] = process.argv.slice(1);
  const wish = ["--rows", rows, "--nice", `${nice}`];
  const args = [program, "hostile", "--attack", JSON.stringify(target), ...wish];
  return spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
}

/** The attackers' own process. */
async function attack(target: Target, { rows, nice }: Attack): Promise<void> {
  setPriority(nice);
  await Promise.all(rows.split(",").flatMap((name) => ROWS[name]?.(target) ?? []));
}

/** Starts the nodes, and puts on the chain what the attackers need. */
async function started({ folder, nodes }: ProcessChain, victim: NodeProcess) {
  for (const node of nodes) await node.start();
  const target = await prepared(folder, victim);
  const { pid } = await healthOf(victim.url);
  return { target, pid };
}

async function run(minutes: number, by: Attack, say: (line: string) => void): Promise<void> {
  // As the scripts of a node's folder start it.
  Object.assign(process.env, NODE_ENVIRONMENT);
  const chain = await initProcessChain({ nodes: 4, metrics: true });
  try {
    const [victim, ...others] = chain.nodes;
    assert.ok(victim);
    const { target, pid } = await started(chain, victim);
    const load = startLoad(
      others.map(({ url }) => url),
      RATE,
    );
    // Code is compiled and heaps have grown to what the load alone takes.
    await sleep(WARM_MS);
    const atStart = await memoryOf(victim);
    const startMib = await residentMib(pid);
    const timeouts = countTimeouts(chain.nodes);
    const asker = new Asker(victim.url);
    const watch = new Watch();
    const attackers = startAttackers(target, by);
    const end = performance.now() + minutes * MINUTE_MS;
    while (performance.now() < end) {
      await watch.look(victim, pid).catch((cause: unknown) => say(`not seen: ${String(cause)}`));
      await sleep(LOOK_EVERY_MS);
    }
    const atEnd = await memoryOf(victim);
    await asker.stop();
    const attackerCpuSeconds = await cpuSeconds(attackers.pid);
    attackers.kill("SIGKILL");
    await sleep(MINUTE_MS);
    const endMib = await residentMib(pid);
    const report = await load.stop();
    const views = countTimeouts(chain.nodes) - timeouts;
    const { mostMib, mostTurnMs, longTurnsMs, unhealthy } = watch;
    const figures = {
      ...by,
      attackerCpuSeconds,
      asked: asker.tookMs.length,
      failed: asker.failed,
      p50Ms: asker.at(0.5),
      p99Ms: asker.at(0.99),
      mostMs: asker.at(1 - 1e-9),
      startMib: Math.round(startMib),
      mostMib: Math.round(mostMib),
      endMib: Math.round(endMib),
      atStart,
      atMost: watch.kindsAtMost,
      atEnd,
      kindsAtEnd: await memoryOf(victim),
      mostTurnMs: Math.round(mostTurnMs),
      longTurnsMs,
      unhealthy,
      views,
      submitted: report.submitted,
      refused: report.refused.length,
      lost: report.lost.length,
      longestGapMs: Math.round(report.longestGapMs),
    };
    say(JSON.stringify(figures, undefined, 1));
    say(victim.errors());
    assert.ok(mostTurnMs <= MOST_TURN_MS, `a turn took ${mostTurnMs} ms`);
    assert.ok(figures.p99Ms <= MOST_P99_MS, `p99 of another client: ${figures.p99Ms} ms`);
    assert.ok(mostMib <= MOST_RSS_MIB, `${mostMib} MiB resident`);
    assert.ok(endMib - startMib <= MOST_GROWTH_MIB, `${endMib - startMib} MiB more a minute later`);
    assert.equal(views, 0, "views were lost");
  } finally {
    await chain.close();
  }
}

/** `npm run soak -- hostile [--minutes N] [--rows NAME,NAME] [--nice N]`. */
export const hostileSoak: Soak = {
  about:
    `hostile clients, all at once: [--minutes ${MINUTES}] [--rows all] [--nice ${NICE}]` +
    " [--attack TARGET]",
  async run(args, say) {
    const rows = textOption(args, "rows") ?? Object.keys(ROWS).join();
    const target = textOption(args, "attack");
    const by = { rows, nice: numberOption(args, "nice", NICE) };
    if (target !== undefined) return attack(JSON.parse(target) as Target, by);
    await run(numberOption(args, "minutes", MINUTES), by, say);
  },
};
