/**
 * Transactions that burn all the work that one may do, next to ordinary ones, on a chain that must
 * not stall.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeCall } from "../../../core/abi/encode.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { assemble } from "../execution/assembler.ts";
import {
  type DevProcess,
  freePort,
  receiptOf,
  request,
  type SeenReceipt,
  sleep,
  startDevProcess,
  waitForReceipt,
} from "./dev-process.ts";
import { createSender, deployment, type SignedCall } from "../sender.ts";

/** What a run is made with. */
export interface HeavyOptions {
  readonly suite: CryptoSuite;
  /** Transactions that burn everything. */
  readonly heavy: number;
  /** Transactions that do next to nothing. */
  readonly ordinary: number;
  /** tx_gas_limit; that of the genesis when absent. */
  readonly gasLimit?: number;
  readonly limitMs: number;
  readonly say: (line: string) => void;
}

/** What a run has seen. */
export interface HeavySights {
  readonly seconds: number;
  readonly ordinarySeconds: number;
  readonly reads: number;
  readonly longestReadMs: number;
  /** Reads that took longer than {@link SLOW_READ_MS}. */
  readonly slowReads: number;
  readonly blocks: number;
  readonly blocksWithHeavy: number;
  readonly lastView: number;
}

/** Within this time a read has to be answered, whatever executes. */
export const SLOW_READ_MS = 500;
const READ_PAUSE_MS = 50;
const LOOK_MS = 200;
const PREPARE_MS = 60_000;
/** The receipt's status of a transaction that did too much. Source: execution 5 */
const OUT_OF_GAS = "0xc";
const SYSTEM_CONFIG = `0x${"0".repeat(36)}1000`;

/**
 * Calls itself twice with everything it has, then burns the rest: a frame that runs out of gas
 * gives all of it back, so that the work doubles with each level.
 * Source: execution 4
 */
export const DOUBLING_CONTRACT: Uint8Array = assemble(`
  0 0 0 0 0 address gas call pop
  0 0 0 0 0 address gas call pop
  burn: @burn jump
`);

/** Asks for the block number of one node after the other, and remembers the slowest answer. */
class Reader {
  reads = 0;
  longestMs = 0;
  slow = 0;
  #over = false;
  readonly #done: Promise<void>;

  constructor(urls: readonly string[]) {
    this.#done = this.#run(urls);
    // Told by stop.
    this.#done.catch(() => undefined);
  }

  async #run(urls: readonly string[]): Promise<void> {
    for (let i = 0; !this.#over; i++) {
      const began = performance.now();
      await request(urls[i % urls.length] ?? "", "getBlockNumber", [1]);
      const tookMs = performance.now() - began;
      this.longestMs = Math.max(this.longestMs, tookMs);
      if (tookMs > SLOW_READ_MS) this.slow++;
      this.reads++;
      await sleep(READ_PAUSE_MS);
    }
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#done;
  }
}

async function send({ urls }: DevProcess, calls: readonly SignedCall[]): Promise<void> {
  for (const [i, { raw }] of calls.entries()) {
    await request(urls[i % urls.length] ?? "", "sendRawTransaction", [1, raw]);
  }
}

/** Waits until every node has every receipt; gives those of the first node. */
async function collect(
  { urls }: DevProcess,
  calls: readonly SignedCall[],
  limitMs: number,
): Promise<SeenReceipt[]> {
  const end = performance.now() + limitMs;
  const receipts: SeenReceipt[] = [];
  for (const url of [...urls].reverse()) {
    receipts.length = 0;
    for (const { hash } of calls) {
      let receipt = await receiptOf(url, hash);
      for (; !receipt; receipt = await receiptOf(url, hash)) {
        assert.ok(performance.now() < end, `${hash} is committed within ${limitMs} ms`);
        await sleep(LOOK_MS);
      }
      receipts.push(receipt);
    }
  }
  return receipts;
}

async function setGasLimit(
  { urls: [url = ""] }: DevProcess,
  sign: ReturnType<typeof createSender>,
  { suite, gas }: { readonly suite: CryptoSuite; readonly gas: number },
): Promise<void> {
  const values = ["tx_gas_limit", `${gas}`];
  const input = encodeCall("setValueByKey(string,string)", values, suite.hash);
  const call = sign({ to: SYSTEM_CONFIG, input, head: 0 });
  await request(url, "sendRawTransaction", [1, call.raw]);
  assert.equal((await waitForReceipt(url, call.hash, PREPARE_MS)).status, "0x0");
  assert.equal(await request(url, "getSystemConfigByKey", [1, "tx_gas_limit"]), `${gas}`);
}

async function burn(chain: DevProcess, options: HeavyOptions): Promise<HeavySights> {
  const { suite, heavy, ordinary, gasLimit, limitMs, say } = options;
  const sign = createSender(suite);
  const [url = ""] = chain.urls;
  const creation = sign({ input: deployment(DOUBLING_CONTRACT), head: 0 });
  await request(url, "sendRawTransaction", [1, creation.raw]);
  const { contractAddress: to } = await waitForReceipt(url, creation.hash, PREPARE_MS);
  if (gasLimit !== undefined) {
    await setGasLimit(chain, sign, { suite, gas: gasLimit });
  }
  const reader = new Reader(chain.urls);
  const began = performance.now();
  const heavies = Array.from({ length: heavy }, () =>
    sign({ to, input: new Uint8Array(0), head: 0 }),
  );
  const ordinaries = Array.from({ length: ordinary }, () => sign({ head: 0 }));
  await send(chain, heavies);
  await send(chain, ordinaries);
  const secondsSince = () => (performance.now() - began) / 1_000;
  const normal = collect(chain, ordinaries, limitMs).then((receipts) => {
    for (const { status } of receipts) assert.equal(status, "0x0");
    say(`${ordinary} ordinary transactions after ${secondsSince().toFixed(1)} s`);
    return secondsSince();
  });
  const slow = collect(chain, heavies, limitMs).then((receipts) => {
    say(`${heavy} heavy transactions after ${secondsSince().toFixed(1)} s`);
    return receipts;
  });
  const [ordinarySeconds, burnt] = await Promise.all([normal, slow]);
  const seconds = secondsSince();
  await reader.stop();
  for (const { status } of burnt) assert.equal(status, OUT_OF_GAS);
  const status = (await request(url, "getPbftView", [1])) as string;
  return {
    seconds,
    ordinarySeconds,
    reads: reader.reads,
    longestReadMs: reader.longestMs,
    slowReads: reader.slow,
    blocks: Number(await request(url, "getBlockNumber", [1])),
    blocksWithHeavy: new Set(burnt.map(({ blockHash }) => blockHash)).size,
    lastView: Number(status),
  };
}

/** Runs it on a chain of its own; throws when something does not hold. */
export async function runHeavy(options: HeavyOptions): Promise<HeavySights> {
  const data = await mkdtemp(join(tmpdir(), "chain-heavy-"));
  const chain = await startDevProcess({ data, port: await freePort() });
  try {
    return await burn(chain, options);
  } finally {
    await chain.end("SIGKILL");
    await rm(data, { recursive: true, force: true });
  }
}
