/** Whole-node schedules that reach one state each, whatever chance does. */
import { DEFAULT_TUNING } from "../../../core/model/config.ts";
import { FULL_GRAPH, type Graph } from "./graph.ts";
import { NO_LATER_FAULTS } from "./later-faults.ts";
import type { Machine } from "./machine.ts";
import type { Act, WholeOptions } from "./options.ts";
import { runWholeSchedule, type WholeOutcome } from "./schedule.ts";
import { FIRST_GROUP } from "./world.ts";

const BYZANTINE = 1;
const LAGGARD = 3;
/** When the laggard loses power: there are blocks. When it is back: there are more. */
const CRASH_MS = 2_000;
const BACK_MS = 4_000;

/** Four sealers; nothing goes wrong. */
const QUIET: WholeOptions = {
  seed: 1,
  consensus: "pbft",
  mutation: undefined,
  sealers: 4,
  nodes: 4,
  later: NO_LATER_FAULTS,
  graph: FULL_GRAPH,
  byzantine: undefined,
  acts: new Set(),
  staysByzantine: false,
  chaosMs: 8_000,
  leastDelivered: 0,
  loss: 0,
  duplication: 0,
  delayMs: 20,
  partitionMs: 0,
  crashMs: 0,
  restartMs: 0,
  diskMs: 0,
  computeMs: 0,
  executeMs: 0,
  heavy: 0,
  transactionMs: 400,
  roleMs: 0,
  groupMs: 0,
  jumpMs: 0,
  clocksDiffer: false,
  poolLimit: DEFAULT_TUNING.txPoolLimit,
  inspected: false,
  roundsPerRecord: 1,
};

/**
 * A sealer that was away hears one peer only, which serves true headers with other transactions.
 *
 * Should sync not compare the root, the proposal cache does when consensus is given the block
 * (ProposalCache.addWhole), and the Byzantine node is blamed; but every signature that it made up
 * was examined by then, which is what shows here. Behind the book the executor compares the root
 * once more (wrongTransactionsRoot), and then consensus the result with the certified one: no other
 * block is written, but both end the group on this node, for a Byzantine node's word.
 * Source: sync 4, 9
 */
export function runOtherBodies(write?: (line: string) => void): Promise<WholeOutcome> {
  const options = { ...QUIET, byzantine: BYZANTINE, acts: new Set<Act>(["otherBodies"]) };
  return runWholeSchedule(options, write, (world) => {
    const laggard = world.machines[LAGGARD] as Machine;
    world.agenda.after(CRASH_MS, () => {
      laggard.crash();
      for (const { number } of world.machines)
        if (number !== BYZANTINE && number !== LAGGARD) world.links.cut(LAGGARD, number);
    });
    world.agenda.after(BACK_MS, () => world.start(laggard));
  });
}

/** What a graph is tried with. */
export interface GraphTrial {
  readonly consensus?: "pbft" | "raft";
  /** The number of a machine that is off from the beginning. */
  readonly gone?: number;
}

/** What came of a graph. */
export interface GraphOutcome extends Pick<WholeOutcome, "failure"> {
  /** Blocks before the schedule looked whether all come together. */
  readonly blocks: number;
  /** Views that a sealer gave up on. */
  readonly timeouts: number;
}

/** When views may time out: the machines have found each other. */
const SETTLED_MS = 1_000;
const GRAPH_MS = 5_000;
/** When a machine that is to be off is: it has begun. */
const GONE_FROM_MS = 100;

/** Honest sealers on good cables, of which some are absent. Source: pbft 11 */
export async function runGraph(
  sealers: number,
  graph: Graph,
  { consensus = "pbft", gone }: GraphTrial = {},
): Promise<GraphOutcome> {
  const base = { ...QUIET, sealers, nodes: sealers, graph, consensus };
  // Time for two views without their leader.
  const chaosMs = gone === undefined ? GRAPH_MS : 3 * GRAPH_MS;
  const options = { ...base, chaosMs, transactionMs: 200 };
  let timeouts = 0;
  let blocks = 0;
  const write = (line: string): void => {
    if (Number.parseFloat(line) > SETTLED_MS && line.includes("ViewChangeWarning")) timeouts++;
  };
  const outcome = await runWholeSchedule(options, write, (world) => {
    world.agenda.after(chaosMs - 1, () => {
      blocks = world.chain(FIRST_GROUP).height;
    });
    const machine = gone === undefined ? undefined : world.machines[gone];
    if (!machine) return;
    world.agenda.after(GONE_FROM_MS, () => machine.crash());
    world.agenda.after(chaosMs, () => world.start(machine));
  });
  return { failure: outcome.failure, blocks, timeouts };
}
