/** Kills a chain under load and starts it again: what it served is still there, and it goes on. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { Random } from "../simulation/random.ts";
import {
  ask,
  type DevProcess,
  freePort,
  receiptOf,
  request,
  sleep,
  startDevProcess,
  waitForReceipt,
} from "./dev-process.ts";
import { createSender, type SignedCall } from "./sender.ts";

/** What a run is made with. */
export interface KillOptions {
  readonly suite: CryptoSuite;
  readonly kills: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** What a run has seen. */
export interface KillSights {
  readonly kills: number;
  readonly sent: number;
  readonly served: number;
  readonly blocks: number;
  readonly longestStartMs: number;
  readonly longestRecoveryMs: number;
}

const LANES = 32;
/** The chain runs this long before a kill, at least and at most. */
const SHORTEST_RUN_MS = 300;
const LONGEST_RUN_MS = 3_000;
/** After a start every node has everything, and something new, within this time. */
const RECOVERY_MS = 60_000;
const LOOK_MS = 5;

/** Transactions and the blocks that their receipts named. */
interface Book {
  sent: number;
  readonly served: Map<string, string>;
}

/** One client: sends, waits for the receipt on another node, notes what it was told. */
async function drive(chain: DevProcess, { next, book, random, isOver }: Driving): Promise<void> {
  while (!isOver()) {
    const { hash, raw } = next();
    try {
      const { error } = await ask(random.pick(chain.urls), "sendRawTransaction", [1, raw]);
      assert.equal(error, undefined);
      book.sent++;
      for (let receipt: Awaited<ReturnType<typeof receiptOf>>; !receipt && !isOver(); ) {
        receipt = await receiptOf(random.pick(chain.urls), hash);
        if (receipt) book.served.set(hash, receipt.blockHash);
        else await sleep(LOOK_MS);
      }
    } catch (cause) {
      // A killed chain closes its sockets: fetch tells that with a TypeError.
      if (!isOver() || !(cause instanceof TypeError)) throw cause;
    }
  }
}

interface Driving {
  readonly next: () => SignedCall;
  readonly book: Book;
  readonly random: Random;
  readonly isOver: () => boolean;
}

async function runUntilKilled(chain: DevProcess, driving: Omit<Driving, "isOver">): Promise<void> {
  let over = false;
  const clients = Array.from({ length: LANES }, () =>
    drive(chain, { ...driving, isOver: () => over }),
  );
  const ends = Promise.all(clients);
  // Told below: the chain is ended first.
  ends.catch(() => undefined);
  await sleep(driving.random.between(SHORTEST_RUN_MS, LONGEST_RUN_MS));
  over = true;
  await chain.end("SIGKILL");
  await ends;
}

/** Everything that was served is on every node, in the same block. */
async function requireServed(chain: DevProcess, served: Iterable<[string, string]>): Promise<void> {
  const left = [...served];
  const lane = async () => {
    for (let pair = left.pop(); pair; pair = left.pop()) {
      const [hash, blockHash] = pair;
      for (const url of chain.urls) {
        const receipt = await waitForReceipt(url, hash, RECOVERY_MS);
        assert.equal(receipt.blockHash, blockHash, `the block of ${hash} on ${url}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function requireOneChain({ urls }: DevProcess): Promise<number> {
  const heads = await Promise.all(urls.map((url) => request(url, "getBlockNumber", [1])));
  const lowest = Math.min(...heads.map(Number));
  const hashes = await Promise.all(
    urls.map((url) => request(url, "getBlockHashByNumber", [1, `${lowest}`])),
  );
  assert.equal(new Set(hashes).size, 1, `one block ${lowest}: ${hashes.join(", ")}`);
  return lowest;
}

/** Runs it; throws when something does not hold. */
export async function runKills({ suite, kills, seed, say }: KillOptions): Promise<KillSights> {
  const data = await mkdtemp(join(tmpdir(), "chain-kill-"));
  const port = await freePort();
  const random = new Random(seed);
  const sign = createSender(suite);
  const book: Book = { sent: 0, served: new Map() };
  let [head, longestStartMs, longestRecoveryMs] = [0, 0, 0];
  const next = () => sign({ head });
  let chain = await startDevProcess({ data, port });
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = book.served.size;
      await runUntilKilled(chain, { next, book, random });
      const killedAt = performance.now();
      chain = await startDevProcess({ data, port });
      const startMs = performance.now() - killedAt;
      await requireServed(chain, [...book.served].slice(before));
      const fresh = next();
      await request(random.pick(chain.urls), "sendRawTransaction", [1, fresh.raw]);
      await requireServed(chain, [
        [
          fresh.hash,
          (await waitForReceipt(chain.urls[0] ?? "", fresh.hash, RECOVERY_MS)).blockHash,
        ],
      ]);
      const recoveryMs = performance.now() - killedAt;
      head = await requireOneChain(chain);
      longestStartMs = Math.max(longestStartMs, startMs);
      longestRecoveryMs = Math.max(longestRecoveryMs, recoveryMs);
      say(
        `kill ${kill}: ${book.served.size - before} receipts, block ${head}, ` +
          `ready after ${startMs.toFixed(0)} ms, goes on after ${recoveryMs.toFixed(0)} ms`,
      );
    }
    await requireServed(chain, book.served);
    await chain.end("SIGTERM");
  } finally {
    await chain.end("SIGKILL");
    await rm(data, { recursive: true, force: true });
  }
  const { sent, served } = book;
  return { kills, sent, served: served.size, blocks: head, longestStartMs, longestRecoveryMs };
}
