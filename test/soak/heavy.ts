/** Transactions that burn all the work that one may do: the chain goes on and answers meanwhile. */
import assert from "node:assert/strict";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { runHeavy } from "../support/process/heavy-load.ts";
import { numberOption, type Soak } from "./soak.ts";

const HEAVY = 10;
const ORDINARY = 100;
const LIMIT_MS = 300_000;

/** `npm run soak -- heavy [--heavy N] [--ordinary N] [--gas LIMIT]`. */
export const heavySoak: Soak = {
  about: `work at its bound: [--heavy ${HEAVY}] [--ordinary ${ORDINARY}] [--gas tx_gas_limit]`,
  async run(args, say) {
    const heavy = numberOption(args, "heavy", HEAVY);
    const ordinary = numberOption(args, "ordinary", ORDINARY);
    const gas = numberOption(args, "gas", 0);
    const suite = await createNodeSuite();
    const limit = gas > 0 ? { gasLimit: gas } : {};
    const sights = await runHeavy({ suite, heavy, ordinary, limitMs: LIMIT_MS, say, ...limit });
    say(JSON.stringify(sights));
    assert.equal(sights.slowReads, 0, `a read took ${sights.longestReadMs} ms`);
  },
};
