/** Swarm options of a Raft schedule, drawn from its seed. Some kinds of fault are off in each. */
import type { step } from "../../../core/consensus/raft/step.ts";
import { ALL_RULES, type Rules } from "../../../core/consensus/raft/state.ts";
import { drawMuteMs } from "../options.ts";
import { Random } from "../random.ts";

/** Rules that can be switched off to show that the simulator notices. */
export const RAFT_MUTATIONS = [
  "durableVote",
  "oneVotePerTerm",
  "currentLeader",
  "durableEntry",
  "ownTermCounts",
  "upToDate",
] as const satisfies readonly (keyof Rules)[];
export type RaftMutation = (typeof RAFT_MUTATIONS)[number];

/** How one schedule behaves. */
export interface RaftOptions {
  /** How cores take inputs, when not by the plain dispatcher. */
  readonly take?: typeof step;
  readonly seed: number;
  readonly mutation: RaftMutation | undefined;
  readonly rules: Rules;
  /** Nodes that are sealers at genesis; the rest observe. */
  readonly sealers: number;
  readonly nodes: number;
  /** Faults last at least that long. */
  readonly chaosMs: number;
  /** And until this many messages were delivered. */
  readonly leastDelivered: number;
  /** Status of sync goes out this often. */
  readonly statusMs: number;
  readonly loss: number;
  readonly delayMs: number;
  readonly duplication: number;
  /** Nodes ahead are asked for blocks in vain. */
  readonly servesBlocks: boolean;
  /** Mean time between changes of the partition; 0: none. */
  readonly partitionMs: number;
  /** Mean time between crashes anywhere; 0: none. */
  readonly crashMs: number;
  /** Chance of dying between two effects. */
  readonly cut: number;
  /** Chance that a leader dies right after it stored an own block, or while it writes one. */
  readonly leaderCut: number;
  /** Mean time between pauses of a node; 0: none. */
  readonly pauseMs: number;
  readonly persistMs: number;
  readonly executeMs: number;
  /** How many times slower than the others one node is. */
  readonly slowness: number;
  /** Chance that a leader has transactions soon. */
  readonly busy: number;
  /** Chance that a node lacks transactions of a block. */
  readonly missing: number;
  /** Chance that a block changes the sealer list. */
  readonly roleChange: number;
  readonly clocksDiffer: boolean;
  /** Messages and records pass through the real codec. */
  readonly realCodec: boolean;
  /** Mean time between pauses of a sealer, as of a hidden tab; 0: none. */
  readonly muteMs: number;
}

/** The options of a seed. */
export function drawRaftOptions(seed: number, mutation?: RaftMutation): RaftOptions {
  const random = new Random(seed ^ 0x2a7f);
  const rules: Rules = mutation ? { ...ALL_RULES, [mutation]: false } : ALL_RULES;
  const muteMs = mutation ? 0 : drawMuteMs(seed);
  const options = { ...drawSwarm(random), seed, mutation, rules, muteMs };
  return mutation ? bias(options, random, mutation) : options;
}

function drawSwarm(random: Random): Omit<RaftOptions, "seed" | "mutation" | "rules" | "muteMs"> {
  const sealers = random.pick([1, 2, 3, 3, 3, 3, 4, 4, 5, 5, 7]);
  const changesRoles = sealers > 1 && random.chance(0.3);
  const observing = changesRoles ? 1 + random.below(2) : random.chance(0.1) ? 1 : 0;
  const observers = sealers === 1 ? 2 : observing;
  const crashes = random.chance(0.5);
  return {
    sealers,
    nodes: sealers + observers,
    chaosMs: 30_000,
    leastDelivered: 1_000,
    statusMs: sealers <= 2 ? 100 : 1_000,
    loss: random.chance(0.6) ? random.between(0, 0.5) : 0,
    delayMs: random.chance(0.4) ? random.between(100, 2_000) : random.between(1, 100),
    duplication: random.chance(0.3) ? random.between(0, 0.2) : 0,
    servesBlocks: random.chance(0.8),
    partitionMs: random.chance(0.5) ? random.between(1_000, 10_000) : 0,
    crashMs: crashes ? random.between(1_000, 15_000) : 0,
    cut: crashes ? random.between(0, 0.01) : 0,
    leaderCut: crashes && random.chance(0.3) ? random.between(0, 0.5) : 0,
    pauseMs: random.chance(0.3) ? random.between(2_000, 15_000) : 0,
    persistMs: random.chance(0.6) ? random.between(0, 40) : 0,
    executeMs: random.chance(0.6) ? random.between(0, 200) : 0,
    slowness: random.chance(0.15) ? 100 : 1,
    busy: random.chance(0.7) ? random.between(0.3, 1) : random.between(0, 0.3),
    missing: random.chance(0.4) ? random.between(0, 0.5) : 0,
    roleChange: changesRoles ? random.between(0.05, 0.4) : 0,
    clocksDiffer: random.chance(0.3),
    realCodec: random.chance(0.02),
  };
}

/** Options under which a missing rule shows soon. */
function bias(options: RaftOptions, random: Random, mutation: RaftMutation): RaftOptions {
  const base: RaftOptions = {
    ...options,
    sealers: 5,
    nodes: 5,
    roleChange: 0,
    busy: 1,
    slowness: 1,
    partitionMs: random.between(800, 4_000),
  };
  switch (mutation) {
    case "durableVote":
    case "durableEntry":
      return {
        ...base,
        sealers: 3,
        nodes: 3,
        crashMs: random.between(300, 2_000),
        delayMs: random.between(5, 600),
      };
    case "ownTermCounts":
      return {
        ...base,
        crashMs: 0,
        cut: 0,
        leaderCut: random.between(0.3, 0.9),
        pauseMs: 0,
        partitionMs: random.chance(0.5) ? random.between(1_000, 4_000) : 0,
        persistMs: random.between(0, 100),
        loss: random.between(0, 0.4),
        missing: random.between(0, 0.5),
        delayMs: random.between(5, 200),
        servesBlocks: false,
      };
    default:
      return { ...base, loss: random.between(0, 0.5), delayMs: random.between(5, 1_500) };
  }
}
