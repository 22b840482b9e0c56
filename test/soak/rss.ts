/**
 * Memory of the process: bounded under 100,000 transactions, and flat over thousands of small
 * blocks.
 */
import { runRss } from "../support/process/rss-load.ts";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { numberOption, type Soak } from "./soak.ts";

const TRANSACTIONS = 100_000;
const SMALL_BLOCKS = 5_000;

/** `npm run soak -- rss [--transactions N] [--blocks N]`. */
export const rssSoak: Soak = {
  about: `resident memory: [--transactions ${TRANSACTIONS}] [--blocks ${SMALL_BLOCKS}]`,
  async run(args, say) {
    const transactions = numberOption(args, "transactions", TRANSACTIONS);
    const blocks = numberOption(args, "blocks", SMALL_BLOCKS);
    const suite = await createNodeSuite();
    say(JSON.stringify(await runRss({ suite, transactions, blocks, say })));
  },
};
