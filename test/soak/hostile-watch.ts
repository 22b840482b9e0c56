/** What the soak with hostile clients looks at, and how it begins. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hexBytes } from "../../core/bytes/hex.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { createSender, deployment } from "../support/sender.ts";
import { request, sleep, waitForReceipt } from "../support/process/dev-process.ts";
import { channelPortOf } from "../support/process/large-work.ts";
import type { NodeProcess, ProcessChain } from "../support/process/node-processes.ts";
import type { Target } from "./hostile-attackers.ts";

/** Bytes. */
export const MIB: number = 1024 * 1024;
const ASK_EVERY_MS = 50;
/** A turn that is counted. */
const LONG_TURN_MS = 50;
/** A receipt is there within this time. */
const RECEIPT_MS = 60_000;
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

async function peerPortOf({ folder }: NodeProcess): Promise<number> {
  const config = await readFile(join(folder, "config.ini"), "utf8");
  return Number(/^\[p2p\][^[]*^\s*listen_port\s*=\s*(\d+)/m.exec(config)?.[1]);
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
  const ports = { channelPort: await channelPortOf(node), peerPort: await peerPortOf(node) };
  const place = { ...ports, sdk: join(chain, "agency", "sdk") };
  return { url, longReceipt: hash, burner, heavy: heavy.map((it) => it.raw), ...place };
}

/** Asks as an ordinary client does. */
export class Asker {
  readonly tookMs: number[] = [];
  failed = 0;
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(ask: () => Promise<unknown>) {
    this.#done = this.#run(ask);
  }

  async #run(ask: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now();
      await ask().catch(() => void this.failed++);
      this.tookMs.push(performance.now() - began);
      await sleep(ASK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  get figures() {
    const [p50Ms, p99Ms, mostMs] = [this.at(0.5), this.at(0.99), this.at(1 - 1e-9)];
    return { asked: this.tookMs.length, failed: this.failed, p50Ms, p99Ms, mostMs };
  }

  at(part: number): number {
    const sorted = this.tookMs.toSorted((left, right) => left - right);
    return Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  }
}

/** What a process has in memory. */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

async function healthOf(url: string): Promise<{ readonly pid: number }> {
  return (await (await fetch(`${url}/readyz`)).json()) as { pid: number };
}

const LONGEST_TURN = /^chain_node_longest_turn_seconds ([\d.e+-]+)$/m;

/** What the memory of a node is, in MiB. */
export async function memoryOf(node: NodeProcess): Promise<Record<string, number>> {
  return memoryIn(await (await fetch(node.metricsUrl)).text());
}

function memoryIn(text: string): Record<string, number> {
  const found = text.matchAll(/^chain_node_memory_bytes\{kind="(\w+)"\} ([\d.e+]+)$/gm);
  return Object.fromEntries(
    [...found].map(([, kind = "", bytes]) => [kind, Math.round(Number(bytes) / MIB)]),
  );
}

/** Who attacks. */
export interface Attack {
  readonly rows: string;
  readonly nice: number;
}

/** Looks at the node from outside. */
export class Watch {
  mostMib = 0;
  /** What the memory was when it was most. */
  kindsAtMost: Record<string, number> = {};
  mostTurnMs = 0;
  readonly longTurnsMs: number[] = [];
  unhealthy = 0;
  get figures() {
    return {
      mostMib: Math.round(this.mostMib),
      atMost: this.kindsAtMost,
      mostTurnMs: Math.round(this.mostTurnMs),
      longTurnsMs: this.longTurnsMs,
      unhealthy: this.unhealthy,
    };
  }

  async look(node: NodeProcess, pid: number): Promise<void> {
    const resident = await residentMib(pid);
    const text = await (await fetch(node.metricsUrl)).text();
    if (resident > this.mostMib) this.kindsAtMost = memoryIn(text);
    this.mostMib = Math.max(this.mostMib, resident);
    const turn = Number(LONGEST_TURN.exec(text)?.[1] ?? 0) * 1_000;
    this.mostTurnMs = Math.max(this.mostTurnMs, turn);
    // A turn is told of for a minute.
    if (turn >= LONG_TURN_MS && this.longTurnsMs.at(-1) !== Math.round(turn))
      this.longTurnsMs.push(Math.round(turn));
    await healthOf(node.url).catch(() => void this.unhealthy++);
  }
}

/** Seconds of processor time that a process has had: attackers without any attack nobody. */
export async function cpuSeconds(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  const [, , ...fields] = text.slice(text.lastIndexOf(")")).split(" ");
  return Math.round((Number(fields[10]) + Number(fields[11])) / CLOCK_TICKS);
}

/** Starts their process; they attack when this resolves. */
export async function startAttackers(target: Target, { rows, nice }: Attack) {
  const [program = ""] = process.argv.slice(1);
  const options = ["--rows", rows, "--nice", `${nice}`];
  const args = [program, "hostile", "--attack", JSON.stringify(target), ...options];
  const attackers = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(attackers.stdout, "data");
  return attackers;
}

/** Starts the nodes, and puts on the chain what the attackers need. */
export async function started({ folder, nodes }: ProcessChain, victim: NodeProcess) {
  for (const node of nodes) await node.start();
  const target = await prepared(folder, victim);
  const { pid } = await healthOf(victim.url);
  return { target, pid };
}
