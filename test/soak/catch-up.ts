/** A node that was down for ten thousand blocks catches up while the chain goes on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ask, request, sleep } from "../support/process/dev-process.ts";
import { keepBusy } from "../support/process/group-clients.ts";
import { initProcessChain, type NodeProcess, setIni } from "../support/process/node-processes.ts";
import {
  requireSameBlocks,
  send,
  sendAndSee,
  untilConnected,
} from "../support/process/process-checks.ts";
import { changeRole } from "../support/process/process-roles.ts";
import { numberOption, type Soak } from "./soak.ts";

const DEFAULT_BLOCKS = 10_000;
/** Blocks come as fast as the nodes can make them. */
const PAUSE_MS = 0;
/** So that each block has one transaction, and a full pool means blocks without a pause. */
const MOST_PER_BLOCK = "1";
const FULL_POOL = 500;
/** Clients while the node catches up; each waits for a block and sends again. */
const CLIENTS = 2;
const POLL_MS = 200;
/** A line about the progress each this many blocks. */
const TOLD_BLOCKS = 1_000;
/** How far behind a node may be that keeps up. */
const NEAR_BLOCKS = 3;
const LIMIT_MS = 3_600_000;
const LOOKED_AT = 20;
const SECOND_MS = 1_000;

/** Waits until a node stands somewhere. */
async function until(node: NodeProcess, number: number, say?: (line: string) => void) {
  const start = performance.now();
  let told = 0;
  for (;;) {
    // An observer that does not know yet that it is one answers with an error.
    const { result } = await ask(node.url, "getBlockNumber", [1]);
    const head = Number(result ?? 0);
    if (head >= number) return;
    if (head >= told + TOLD_BLOCKS) {
      say?.(`block ${head} after ${((performance.now() - start) / SECOND_MS).toFixed(0)} s`);
      told = head;
    }
    assert.ok(performance.now() - start < LIMIT_MS, `block ${number} within an hour`);
    await sleep(POLL_MS);
  }
}

/** Waits until a node stands where another one does, which goes on. */
async function untilNear(late: NodeProcess, other: NodeProcess): Promise<number> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const [own, head] = await Promise.all([late.blockNumber(), other.blockNumber()]);
    if (own >= head - NEAR_BLOCKS) return own;
    assert.ok(performance.now() < end, `the node stands at ${own} of ${head}`);
    await sleep(POLL_MS);
  }
}

interface Chain {
  /** Two sealers, which go on all the time, and an observer that is away. */
  readonly sealers: readonly NodeProcess[];
  readonly first: NodeProcess;
  readonly late: NodeProcess;
}

/** Sends this many transactions, no more at a time than a pool that is never empty needs. */
async function fill(node: NodeProcess, count: number): Promise<void> {
  for (let sent = 0; sent < count; ) {
    const pending = Number(await request(node.url, "getPendingTxSize", [1]));
    const room = Math.min(count - sent, FULL_POOL - pending);
    for (let i = 0; i < room; i++, sent++) await send(node);
    await sleep(POLL_MS);
  }
}

/** Two sealers and an observer that stand at the same block. */
async function begin(nodes: readonly NodeProcess[]): Promise<Chain> {
  const [first, second, late] = nodes;
  assert.ok(first && second && late);
  for (const { folder } of nodes) {
    const genesis = join(folder, "conf/group.1.genesis");
    await setIni(genesis, "consensus", ["max_trans_num", MOST_PER_BLOCK]);
  }
  await Promise.all(nodes.map((node) => node.start()));
  await untilConnected(nodes);
  const { code } = await changeRole(first, "addObserver", late.nodeId);
  assert.equal(code, 1n);
  await until(late, 1);
  await sendAndSee(first, nodes);
  return { sealers: [first, second], first, late };
}

async function run({ sealers, first, late }: Chain, blocks: number, say: (line: string) => void) {
  const from = await late.blockNumber();
  await late.end("SIGKILL");
  const begunAt = performance.now();
  await Promise.all([fill(first, blocks), until(first, from + blocks, say)]);
  const missed = (await first.blockNumber()) - from;
  const made = perSecond(missed, begunAt);
  const stops = Array.from({ length: CLIENTS }, () => keepBusy(sealers, 1));
  const startedAt = performance.now();
  await late.start();
  const readyMs = performance.now() - startedAt;
  const reached = await untilNear(late, first);
  const caughtUp = perSecond(reached - from, startedAt);
  await Promise.all(stops.map((stop) => stop()));
  await sendAndSee(first, [...sealers, late]);
  // A hash vouches for all blocks below it; that they can be read is examined here and there.
  for (let number = from; number <= reached; number += LOOKED_AT) {
    await requireSameBlocks([...sealers, late], number, number);
  }
  await requireSameBlocks([...sealers, late], reached, reached);
  const madeMeanwhile = reached - from - missed;
  const seconds = (reached - from) / caughtUp;
  say(JSON.stringify({ missed, made, madeMeanwhile, seconds, readyMs, caughtUp }));
}

function perSecond(blocks: number, since: number): number {
  return (blocks * SECOND_MS) / (performance.now() - since);
}

/** `npm run soak -- catch-up [--blocks N]`. */
export const catchUpSoak: Soak = {
  about: `a node misses [--blocks ${DEFAULT_BLOCKS}] and catches up while the chain goes on`,
  async run(args, say) {
    const blocks = numberOption(args, "blocks", DEFAULT_BLOCKS);
    const chain = await initProcessChain({ nodes: 3, sealers: 2, pauseMs: PAUSE_MS });
    try {
      await run(await begin(chain.nodes), blocks, say);
    } finally {
      await chain.close();
    }
  },
};
