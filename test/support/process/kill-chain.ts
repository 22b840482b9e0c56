/** Kills a chain under load and starts it again: what it served is still there, and it goes on. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { Random } from "../../simulation/random.ts";
import {
  type DevProcess,
  freePort,
  request,
  sleep,
  startDevProcess,
  waitForReceipt,
} from "./dev-process.ts";
import { createSender } from "../sender.ts";
import { KEEN, type Load, newTold, noteServed, requireServed, startLoad } from "./told-clients.ts";

/** What a run is made with. */
export interface KillOptions {
  readonly suite: CryptoSuite;
  readonly kills: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** The chain runs at most so long before a kill; the time of a soak if absent. */
  readonly longestRunMs?: number;
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

/** The chain runs this long before a kill, at least and at most. */
const SHORTEST_RUN_MS = 300;
const LONGEST_RUN_MS = 3_000;
/** Between two looks for the first receipt. */
const LOOK_MS = 50;
/** After a start every node has everything, and something new, within this time. */
const RECOVERY_MS = 60_000;

async function runUntilKilled(
  chain: DevProcess,
  load: Omit<Load, "urls" | "mayFail">,
  longestMs: number,
) {
  const { served } = load.told;
  const before = served.size;
  const stop = startLoad({ ...load, urls: chain.urls, mayFail: () => false });
  await sleep(load.random.between(SHORTEST_RUN_MS, longestMs));
  const limit = performance.now() + RECOVERY_MS;
  while (served.size === before && performance.now() < limit) await sleep(LOOK_MS);
  const wasServed = served.size > before;
  const ends = stop();
  ends.catch(() => undefined);
  await chain.end("SIGKILL");
  await ends;
  assert.ok(wasServed, "a receipt was served before the kill");
  assert.equal(load.told.refused.size, 0, "nothing is refused");
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
export async function runKills(options: KillOptions): Promise<KillSights> {
  const { suite, kills, seed, say, longestRunMs = LONGEST_RUN_MS } = options;
  const data = await mkdtemp(join(tmpdir(), "chain-kill-"));
  const port = await freePort();
  const random = new Random(seed);
  const sign = createSender(suite);
  const told = newTold();
  let [longestStartMs, longestRecoveryMs] = [0, 0];
  let chain = await startDevProcess({ data, port });
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = told.served.size;
      await runUntilKilled(chain, { pace: KEEN, sign, told, random }, longestRunMs);
      const killedAt = performance.now();
      chain = await startDevProcess({ data, port });
      const startMs = performance.now() - killedAt;
      const { urls } = chain;
      await requireServed(urls, [...told.served].slice(before));
      const { raw, hash } = sign(told);
      await request(random.pick(urls), "sendRawTransaction", [1, raw]);
      noteServed(told, hash, await waitForReceipt(urls[0] ?? "", hash, RECOVERY_MS));
      await requireServed(urls, [...told.served].slice(-1));
      const recoveryMs = performance.now() - killedAt;
      told.head = await requireOneChain(chain);
      longestStartMs = Math.max(longestStartMs, startMs);
      longestRecoveryMs = Math.max(longestRecoveryMs, recoveryMs);
      say(
        `kill ${kill}: ${told.served.size - before} receipts, block ${told.head}, ` +
          `ready after ${startMs.toFixed(0)} ms, goes on after ${recoveryMs.toFixed(0)} ms`,
      );
    }
    await requireServed(chain.urls, told.served);
    await chain.end("SIGTERM");
  } finally {
    await chain.end("SIGKILL");
    await rm(data, { recursive: true, force: true });
  }
  const { sent, served, head: blocks } = told;
  return { kills, sent, served: served.size, blocks, longestStartMs, longestRecoveryMs };
}
