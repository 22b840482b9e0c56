/**
 * What worker threads would gain for independent transactions: half of a block goes to a second
 * thread, which reads committed rows from the same store and sends outcomes and changed rows back.
 * Putting those rows together is not counted, so the gain is at most what is printed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { decodeTransaction } from "../../../core/model/transaction.ts";
import { gasLimit } from "../../../core/ledger/state-rows.ts";
import type { ExecuteRequest } from "../../../core/ports/executor.ts";
import { openLevelStore } from "../../../runtimes/node/store/store.ts";
import { openTestChain, rawTransaction } from "../../support/execution/test-chain.ts";
import { type Bench, executeShare, openBench, type Share, type ShareResult } from "./share.ts";
import { WORKLOADS, type Workload } from "./workloads.ts";

/** Milliseconds of one block, but for the shares. */
export interface ParallelFigures {
  readonly name: string;
  readonly transactions: number;
  /** The transactions in one thread. */
  readonly serialMs: number;
  /** The transactions in two threads, until the results are together. */
  readonly splitMs: number;
  /** CPU of both threads over that of one. */
  readonly cpuRatio: number;
  /** What stays in one thread: roots, receipts, hashes. */
  readonly sealMs: number;
  /** CPU of the rest of a node's work: decoding, recovering senders, writing. */
  readonly otherMs: number;
  /** Less time from proposal to executed block, when the second core has nothing else to do. */
  readonly latencyGain: number;
  /** More transactions per second, when both cores are busy anyway. */
  readonly throughputGain: number;
}

const WARM_SHARE = 0.5;
/** Signatures that are recovered to know what one costs. */
const RECOVERED = 200;

interface Timed {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Means of work that is repeated for a time. */
async function timed(forMs: number, work: () => Promise<unknown>): Promise<Timed> {
  const warm = performance.now() + WARM_SHARE * forMs;
  while (performance.now() < warm) await work();
  const [wall, cpu] = [performance.now(), cpuMs()];
  let runs = 0;
  while (runs < 2 || performance.now() - wall < forMs) {
    await work();
    runs++;
  }
  return { wallMs: (performance.now() - wall) / runs, cpuMs: (cpuMs() - cpu) / runs };
}

/** A thread that executes shares. */
class SecondThread {
  readonly #worker: Worker;
  #fail: (cause: unknown) => void = () => {};

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("error", (cause) => this.#fail(cause));
  }

  static async start(folder: string): Promise<SecondThread> {
    const url = new URL("./parallel-worker.js", import.meta.url);
    const thread = new SecondThread(new Worker(url, { workerData: { folder } }));
    await thread.#answer();
    return thread;
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#worker.once("message", resolve);
    });
  }

  execute(share: Share): Promise<ShareResult> {
    const answer = this.#answer();
    this.#worker.postMessage(share);
    return answer as Promise<ShareResult>;
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.postMessage(null);
    await exited;
  }
}

function shareOf(request: ExecuteRequest, bench: Bench, [from, to]: readonly [number, number]) {
  const { header, transactions, senders } = request;
  const { number, timestamp, parentHash } = header;
  const parentNumber = number - 1;
  const position = { parentNumber, parentHash, number, timestamp };
  return {
    transactions: transactions.slice(from, to),
    senders: senders.slice(from, to),
    position: { ...position, gasLimit: gasLimit(bench.rows, parentNumber) },
  };
}

/** CPU of decoding a block and recovering its senders. */
function admissionMs(request: ExecuteRequest, suite: CryptoSuite): number {
  const { transactions } = request;
  const key = new Uint8Array(32).fill(7);
  const digest = suite.hash(key);
  const signature = suite.sign(digest, key);
  const decoding = cpuMs();
  for (const raw of transactions) decodeTransaction(raw, suite);
  const recovering = cpuMs();
  for (let i = 0; i < RECOVERED; i++) suite.recover(digest, signature);
  const each = (cpuMs() - recovering) / RECOVERED;
  return recovering - decoding + each * transactions.length;
}

async function measureOne(workload: Workload, suite: CryptoSuite, forMs: number) {
  const folder = await mkdtemp(join(tmpdir(), "chain-node-parallel-"));
  const store = await openLevelStore(folder, { create: true });
  try {
    const chain = await openTestChain({ store, processor: { suite } });
    const sendings = await workload.block(chain);
    const request = chain.propose(sendings.map(rawTransaction));
    const bench = await openBench(folder);
    const thread = await SecondThread.start(folder);
    const { length } = request.transactions;
    const [all, mine, other] = [
      shareOf(request, bench, [0, length]),
      shareOf(request, bench, [0, length / 2]),
      shareOf(request, bench, [length / 2, length]),
    ];
    const serial = await timed(forMs, async () => executeShare(bench, all));
    const split = await timed(forMs, async () => {
      const answer = thread.execute(other);
      executeShare(bench, mine);
      await answer;
    });
    await thread.close();
    await bench.close();
    const whole = await timed(forMs, () => chain.processor.execute(request));
    const outcome = await chain.processor.execute(request);
    const executed = cpuMs();
    if (!outcome.ok) throw new RangeError(`${workload.name}: ${outcome.reason}`);
    await chain.processor.write(outcome.block.hash, []);
    const writeMs = cpuMs() - executed;
    await chain.processor.close();
    const otherMs = admissionMs(request, suite) + writeMs;
    return figuresOf(workload, { serial, split, whole, otherMs });
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly serial: Timed;
  readonly split: Timed;
  /** The whole execution of the block, roots included. */
  readonly whole: Timed;
  readonly otherMs: number;
}

function figuresOf(workload: Workload, measured: Measured): ParallelFigures {
  const { serial, split, whole, otherMs } = measured;
  const sealMs = Math.max(0, whole.wallMs - serial.wallMs);
  const cpu = whole.cpuMs + otherMs;
  return {
    name: workload.name,
    transactions: workload.size,
    serialMs: serial.wallMs,
    splitMs: split.wallMs,
    cpuRatio: split.cpuMs / serial.cpuMs,
    sealMs,
    otherMs,
    latencyGain: (serial.wallMs + sealMs) / (split.wallMs + sealMs) - 1,
    throughputGain: cpu / (cpu - serial.cpuMs + split.cpuMs) - 1,
  };
}

/** Measures every workload, three times for so long. */
export async function measureParallel(
  suite: CryptoSuite,
  forMs: number,
  progress: (line: string) => void,
): Promise<readonly ParallelFigures[]> {
  const figures: ParallelFigures[] = [];
  for (const workload of WORKLOADS) {
    progress(`two threads: ${workload.name}`);
    figures.push(await measureOne(workload, suite, forMs));
  }
  return figures;
}
