/** Kills nodes that run as processes, under load, twenty rounds if not told otherwise. */
import { createNodeSuite } from "../../runtimes/node/backends.ts";
import { Random } from "../simulation/random.ts";
import { runKillRounds } from "../support/kill-rounds.ts";
import { initProcessChain } from "../support/node-processes.ts";
import { untilConnected } from "../support/process-checks.ts";
import { numberOption, type Soak } from "./soak.ts";

const DEFAULT_ROUNDS = 20;
const PAUSE_MS = 100;

/** Half of the rounds kill one node, a quarter two, the rest all four; in random order. */
function plan(rounds: number, random: Random): readonly number[] {
  const kills = Array.from({ length: rounds }, (_, index) => [1, 2, 1, 4][index % 4] ?? 1);
  return kills
    .map((count) => ({ count, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ count }) => count);
}

/** `npm run soak -- rounds [--rounds N] [--seed S]`. */
export const roundsSoak: Soak = {
  about: `kill -9 of 1, 2 or 4 of four processes: [--rounds ${DEFAULT_ROUNDS}] [--seed 1]`,
  async run(args, say) {
    const rounds = numberOption(args, "rounds", DEFAULT_ROUNDS);
    const random = new Random(numberOption(args, "seed", 1));
    const suite = await createNodeSuite();
    const chain = await initProcessChain({ nodes: 4, pauseMs: PAUSE_MS });
    try {
      await Promise.all(chain.nodes.map((node) => node.start()));
      await untilConnected(chain.nodes);
      const kills = plan(rounds, random);
      const sights = await runKillRounds({ suite, nodes: chain.nodes, kills, random, say });
      const { fates, refused, ...rest } = sights;
      say(JSON.stringify({ ...rest, ...counts("fate", fates), ...counts("refused", refused) }));
    } finally {
      await chain.close();
    }
  },
};

function counts(name: string, map: ReadonlyMap<string, number>) {
  return { [name]: Object.fromEntries(map) };
}
