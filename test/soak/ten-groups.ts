/** Ten groups on four processes under load: what stopping one of them is to the others. */
import assert from "node:assert/strict";
import {
  blockIntervals,
  countTimeouts,
  groupsText,
  keepBusy,
  stopEverywhere,
  untilBlocks,
} from "../support/process/group-clients.ts";
import { sleep } from "../support/process/dev-process.ts";
import { initProcessChain, type NodeProcess } from "../support/process/node-processes.ts";
import { untilConnected } from "../support/process/process-checks.ts";
import { numberOption, type Soak } from "./soak.ts";

const DEFAULT_SECONDS = 60;
const IDS = Array.from({ length: 10 }, (_, index) => index + 1);
const STOPPED = 4;
const OTHERS = IDS.filter((id) => id !== STOPPED);
const SECOND_MS = 1_000;
/** Blocks of each group before anything is measured. */
const WARM_BLOCKS = 3;
const MOST_TIMES_SLOWER = 2;

/** What a phase was like in the groups that stay. */
interface Phase {
  readonly blocks: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Views that ended by time-out. */
  readonly timeouts: number;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Lets the load run and measures all blocks of that time. */
async function measure(nodes: readonly NodeProcess[], seconds: number): Promise<Phase> {
  const [first] = nodes;
  assert.ok(first);
  const heads = () => Promise.all(OTHERS.map((id) => first.blockNumber(id)));
  const [from, before] = [await heads(), countTimeouts(nodes)];
  await sleep(seconds * SECOND_MS);
  const [to, after] = [await heads(), countTimeouts(nodes)];
  const lists = OTHERS.map((id, i) => blockIntervals(first, id, [from[i] ?? 0, to[i] ?? 0]));
  const sorted = (await Promise.all(lists)).flat().sort((a, b) => a - b);
  return {
    blocks: sorted.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    timeouts: after - before,
  };
}

/** `npm run soak -- ten-groups [--seconds N]`. */
export const tenGroupsSoak: Soak = {
  about: `ten groups, one is stopped: [--seconds ${DEFAULT_SECONDS}] before and after`,
  async run(args, say) {
    const seconds = numberOption(args, "seconds", DEFAULT_SECONDS);
    const chain = await initProcessChain({ nodes: 4, groups: groupsText(IDS) });
    try {
      const { nodes } = chain;
      const [first] = nodes;
      assert.ok(first);
      await Promise.all(nodes.map((node) => node.start()));
      await untilConnected(nodes);
      const stops = new Map(IDS.map((id) => [id, keepBusy(nodes, id)]));
      await Promise.all(IDS.map((id) => untilBlocks(first, id, WARM_BLOCKS)));
      const before = await measure(nodes, seconds);
      say(`before: ${JSON.stringify(before)}`);
      await stops.get(STOPPED)?.();
      const [, after] = await Promise.all([
        stopEverywhere(nodes, STOPPED),
        measure(nodes, seconds),
      ]);
      say(`after:  ${JSON.stringify(after)}`);
      await Promise.all(OTHERS.map((id) => stops.get(id)?.()));
      assert.equal(before.timeouts, 0, "the machine has time for ten groups: run it elsewhere");
      assert.equal(after.timeouts, 0, "no view of the others ends by time-out");
      assert.ok(after.p99Ms < MOST_TIMES_SLOWER * before.p99Ms, "the others are as fast as before");
    } finally {
      await chain.close();
    }
  },
};
