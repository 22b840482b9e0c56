/** Rounds of kills, or of cut links, over four processes under load. */
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { Random } from "../simulation/random.ts";
import {
  type Fault,
  killFault,
  linkFault,
  runFaultRounds,
  sightsText,
} from "../support/process/fault-rounds.ts";
import { initProcessChain, type ProcessChain } from "../support/process/node-processes.ts";
import { untilConnected } from "../support/process/process-checks.ts";
import { KEEN } from "../support/process/told-clients.ts";
import { numberOption, type Soak } from "./soak.ts";

const DEFAULT_ROUNDS = 20;
const PAUSE_MS = 100;
/** Longer than a silent session lives. */
const LONGEST_CUT_MS = 35_000;

interface Faults {
  /** Whether the nodes reach each other through proxies. */
  readonly linked: boolean;
  draw(chain: ProcessChain, random: Random): readonly (() => Fault)[];
}

async function run(args: readonly string[], say: (line: string) => void, { linked, draw }: Faults) {
  const seed = numberOption(args, "seed", 1);
  const random = new Random(seed);
  const suite = await createNodeSuite();
  const groups = args.includes("--raft") ? "1:raft" : "1:pbft";
  const chain = await initProcessChain({ nodes: 4, groups, linked, pauseMs: PAUSE_MS });
  try {
    const { nodes } = chain;
    await Promise.all(nodes.map((node) => node.start()));
    await untilConnected(nodes);
    const faults = draw(chain, random);
    say(sightsText(await runFaultRounds({ suite, pace: KEEN, nodes, faults, random, say })));
  } finally {
    await chain.close();
  }
}

/** Half of the rounds kill one node, a quarter two, the rest all four; in random order. */
function kills(rounds: number): Faults {
  const counts = Array.from({ length: rounds }, (_, index) => [1, 2, 1, 4][index % 4] ?? 1);
  return {
    linked: false,
    draw: ({ nodes }, random) =>
      counts
        .map((count) => ({ count, place: random.next() }))
        .sort((a, b) => a.place - b.place)
        .map((each) => () => killFault(nodes, each.count, random)),
  };
}

function cuts(rounds: number): Faults {
  return {
    linked: true,
    draw: ({ links }, random) =>
      Array.from({ length: rounds }, () => () => {
        if (!links) throw new RangeError("the nodes reach each other without proxies");
        return linkFault(links, LONGEST_CUT_MS, random);
      }),
  };
}

/** `npm run soak -- rounds [--rounds N] [--seed S] [--raft]`. */
export const roundsSoak: Soak = {
  about: `kill -9 of 1, 2, 4 of four processes: [--rounds ${DEFAULT_ROUNDS}] [--seed 1] [--raft]`,
  run: (args, say) => run(args, say, kills(numberOption(args, "rounds", DEFAULT_ROUNDS))),
};

/** `npm run soak -- cuts [--rounds N] [--seed S] [--raft]`. */
export const cutsSoak: Soak = {
  about: `links of four processes cut or slow: [--rounds ${DEFAULT_ROUNDS}] [--seed 1] [--raft]`,
  run: (args, say) => run(args, say, cuts(numberOption(args, "rounds", DEFAULT_ROUNDS))),
};
