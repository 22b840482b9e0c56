/** Kills a chain under load, twenty times if not told otherwise. */
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { runKills } from "../support/process/kill-chain.ts";
import { numberOption, type Soak } from "./soak.ts";

const DEFAULT_KILLS = 20;

/** `npm run soak -- kill [--kills N] [--seed S]`. */
export const killSoak: Soak = {
  about: `SIGKILL under load and start again: [--kills ${DEFAULT_KILLS}] [--seed 1]`,
  async run(args, say) {
    const kills = numberOption(args, "kills", DEFAULT_KILLS);
    const seed = numberOption(args, "seed", 1);
    const suite = await createNodeSuite();
    say(JSON.stringify(await runKills({ suite, kills, seed, say })));
  },
};
