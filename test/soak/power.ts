/** Losses of power at any effect, over many seeds. */
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { runPowerLoss } from "../support/process/power-loss.ts";
import { numberOption, type Soak } from "./soak.ts";

const DEFAULT_SEEDS = 100;
const ROUNDS = 30;

/** `npm run soak -- power [--seeds N] [--from S]`; a PBFT and a Raft chain of each seed. */
export const powerSoak: Soak = {
  about: `losses of power at any effect: [--seeds ${DEFAULT_SEEDS}] [--from 1]`,
  async run(args, say) {
    const from = numberOption(args, "from", 1);
    const seeds = numberOption(args, "seeds", DEFAULT_SEEDS);
    const suite = await createNodeSuite();
    for (let seed = from; seed < from + seeds; seed++) {
      for (const consensusType of ["pbft", "raft"] as const) {
        const sights = await runPowerLoss({ suite, seed, rounds: ROUNDS, consensusType });
        say(`seed ${seed} ${consensusType}: ${JSON.stringify(sights)}`);
      }
    }
  },
};
