/** How fast four processes make blocks in a ring and in a star, next to the full mesh. */
import assert from "node:assert/strict";
import { sleep } from "../support/process/dev-process.ts";
import { cutInto, type GraphName, untilGraph } from "../support/process/graphs.ts";
import { countTimeouts } from "../support/process/group-clients.ts";
import { initProcessChain, type ProcessChain } from "../support/process/node-processes.ts";
import { startLoad } from "../support/process/steady-load.ts";
import { numberOption, type Soak } from "./soak.ts";

const NODES = 4;
const PAUSE_MS = 100;
const DEFAULT_SECONDS = 20;
const DEFAULT_RATE = 20;
const SECOND_MS = 1_000;
/** Nothing is measured before. */
const WARM_MS = 3_000;
/** Of the blocks of the full mesh. */
const LEAST_SHARE = 0.5;

/** What is measured, and how. */
interface Trial {
  readonly seconds: number;
  /** Transactions in a second, to all nodes in turns. */
  readonly rate: number;
}

/** Blocks in a second, and views that timed out meanwhile. */
async function measure({ nodes }: ProcessChain, name: GraphName, { seconds, rate }: Trial) {
  await Promise.all(nodes.map((node) => node.start()));
  await untilGraph(nodes, name);
  const load = startLoad(
    nodes.map(({ url }) => url),
    rate,
  );
  await sleep(WARM_MS);
  const [first] = nodes;
  assert.ok(first);
  const [from, before] = [await first.blockNumber(), countTimeouts(nodes)];
  const began = performance.now();
  await sleep(seconds * SECOND_MS);
  const blocks = (await first.blockNumber()) - from;
  const took = (performance.now() - began) / SECOND_MS;
  const timeouts = countTimeouts(nodes) - before;
  const { lost } = await load.stop();
  assert.deepEqual(lost, [], `transactions that were taken are in no block (${name})`);
  return { perSecond: blocks / took, timeouts };
}

/** `npm run soak -- graphs [--seconds N] [--rate N]`. */
export const graphsSoak: Soak = {
  about:
    "ring and star of four next to the full mesh: " +
    `[--seconds ${DEFAULT_SECONDS}] [--rate ${DEFAULT_RATE}]`,
  async run(args, say) {
    const seconds = numberOption(args, "seconds", DEFAULT_SECONDS);
    const rate = numberOption(args, "rate", DEFAULT_RATE);
    let mesh = 0;
    for (const name of ["mesh", "ring", "star"] as const) {
      const chain = await initProcessChain({ nodes: NODES, linked: true, pauseMs: PAUSE_MS });
      try {
        cutInto(chain, name);
        const { perSecond, timeouts } = await measure(chain, name, { seconds, rate });
        if (name === "mesh") mesh = perSecond;
        const share = Math.round((100 * perSecond) / mesh);
        say(`${name}: ${perSecond.toFixed(2)} blocks/s (${share} %), ${timeouts} views timed out`);
        assert.ok(perSecond >= LEAST_SHARE * mesh, `${name} makes ${share} % of the mesh's blocks`);
      } finally {
        await chain.close();
      }
    }
  },
};
