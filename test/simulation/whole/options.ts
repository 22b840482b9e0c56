/**
 * Swarm options of a whole-node schedule: what may go wrong, drawn from its seed. Some kinds of
 * fault are off in each.
 */
import { DEFAULT_TUNING } from "../../../core/model/config.ts";
import { Random } from "../random.ts";
import { drawGraph, FULL_GRAPH, type Graph } from "./graph.ts";
import { drawLaterFaults, type LaterFaults, NO_LATER_FAULTS } from "./later-faults.ts";

/** What a lying sealer may do. */
export const ACTS = [
  "doubleVote",
  "twoProposals",
  "lyingStatus",
  "lyingBlocks",
  "wrongSender",
  "relayedVotes",
  "noise",
  "silence",
] as const;
export type Act = (typeof ACTS)[number] | "ownList" | "otherBodies" | "lyingClock";
/** What a lying observer may do: it has no vote. */
const ACTS_OF_OBSERVERS = ["lyingStatus", "lyingBlocks", "noise", "silence"] as const;

/** What is broken on purpose, to show that the checkers notice. */
export const WHOLE_MUTATIONS = [
  "doubleVote",
  "unverifiedBlock",
  "lostEntry",
  "lostWord",
  "corruptState",
  "staleLeader",
  "forgottenPromise",
  "unnoticedBackup",
  "noTimeBound",
] as const;
export type WholeMutation = (typeof WHOLE_MUTATIONS)[number];

/** How one schedule behaves. Times are virtual milliseconds; a mean of 0 means never. */
export interface WholeOptions {
  readonly seed: number;
  readonly consensus: "pbft" | "raft";
  readonly mutation: WholeMutation | undefined;
  /** Sealers at genesis. */
  readonly sealers: number;
  readonly nodes: number;
  readonly later: LaterFaults;
  /** Who has a cable to whom. */
  readonly graph: Graph;
  /** The node that lies. */
  readonly byzantine: number | undefined;
  readonly acts: ReadonlySet<Act>;
  /** It goes on after the faults have stopped. */
  readonly staysByzantine: boolean;
  readonly chaosMs: number;
  readonly leastDelivered: number;
  readonly loss: number;
  readonly duplication: number;
  readonly delayMs: number;
  /** Mean time between changes of the partition. */
  readonly partitionMs: number;
  readonly crashMs: number;
  /** Mean time between orderly restarts. */
  readonly restartMs: number;
  readonly diskMs: number;
  readonly computeMs: number;
  readonly executeMs: number;
  /** Chance that an execution takes longer than a view. */
  readonly heavy: number;
  /** Mean time between transactions. */
  readonly transactionMs: number;
  readonly roleMs: number;
  /** Mean time between operations on groups. */
  readonly groupMs: number;
  readonly jumpMs: number;
  readonly clocksDiffer: boolean;
  /** Most pending transactions of a node. */
  readonly poolLimit: number;
  /** The invariants inside the nodes are checked too, which takes its time. */
  readonly inspected: boolean;
  /** How many empty rounds in a row share a record. */
  readonly roundsPerRecord: number;
}

/** Every this many schedules one is of a group of Raft. */
const RAFT_EVERY = 4;

/**
 * The options of a seed.
 *
 * @param protocol what decides in the first group; drawn where it is absent
 */
export function drawWholeOptions(
  seed: number,
  protocol?: "pbft" | "raft",
  mutation?: WholeMutation,
): WholeOptions {
  const consensus = mutation ? protocolOf(mutation) : (protocol ?? drawProtocol(seed));
  const random = new Random(seed);
  const swarm = drawSwarm(random, seed);
  // Raft is not made for lying sealers. Source: raft 8
  const honest = { byzantine: undefined, acts: new Set<Act>() };
  const rest = { consensus, mutation, graph: FULL_GRAPH };
  const base = { ...swarm, ...(consensus === "raft" ? honest : {}), ...rest };
  if (mutation) return bias({ ...base, later: NO_LATER_FAULTS }, random, mutation);
  const later = drawLaterFaults(base);
  if (later.ownList) base.acts.add("ownList");
  if (later.otherBodies) base.acts.add("otherBodies");
  if (later.lyingClock) base.acts.add("lyingClock");
  // A sealer without its votes next to one that waits out a reservation is a quorum missing for
  // long; reserves are for nodes that begin again together.
  const roundsPerRecord = later.backupMs > 0 ? 1 : base.roundsPerRecord;
  // With jumps of any clock no node could tell which ones are right.
  const jumpMs = later.clock === "none" && !later.lyingClock ? base.jumpMs : 0;
  const options = { ...base, later, roundsPerRecord, jumpMs };
  if (!later.observerLies) return options;
  const acts = new Set<Act>(ACTS_OF_OBSERVERS);
  return { ...options, byzantine: base.sealers, acts, roleMs: 0 };
}

function drawProtocol(seed: number): "pbft" | "raft" {
  return seed % RAFT_EVERY === 0 ? "raft" : "pbft";
}

function protocolOf(mutation: WholeMutation): "pbft" | "raft" {
  return mutation === "staleLeader" ? "raft" : "pbft";
}

/**
 * The options of a seed with some cables absent: PBFT among sealers that stay what they are. A
 * Byzantine node may be the only way between others, so it ends with the faults; observers pass
 * nothing on.
 * Source: pbft 11
 */
export function drawPartialOptions(seed: number): WholeOptions {
  const drawn = drawWholeOptions(seed, "pbft");
  const sealers = seed % 5 === 0 ? 7 : Math.max(3, drawn.sealers);
  const extras = drawn.nodes - drawn.sealers;
  const later = { ...drawn.later, sealerMs: 0, observerLies: false };
  const isByzantine = drawn.byzantine !== undefined && drawn.byzantine < drawn.sealers;
  const lies = isByzantine ? {} : { byzantine: undefined, acts: new Set<Act>() };
  const base = { ...drawn, ...lies, later, sealers, nodes: sealers + extras };
  const graph = drawGraph(seed, sealers);
  // A group is generated where all of its sealers have a session.
  return { ...base, graph, roleMs: 0, groupMs: 0, staysByzantine: false };
}

type Swarm = Omit<WholeOptions, "consensus" | "mutation" | "later" | "acts" | "graph"> & {
  acts: Set<Act>;
};

function drawSwarm(random: Random, seed: number): Swarm {
  const sealers = random.pick([4, 4, 4, 4, 4, 4, 3, 2]);
  const extras = random.chance(0.4) ? 1 : 0;
  const lies = sealers === 4 && random.chance(0.5);
  const acts = new Set<Act>();
  const eagerness = random.between(0.2, 0.7);
  for (const act of ACTS) if (lies && random.chance(eagerness)) acts.add(act);
  return {
    seed,
    sealers,
    nodes: sealers + extras,
    byzantine: lies ? random.below(sealers) : undefined,
    acts,
    staysByzantine: random.chance(0.3),
    chaosMs: 30_000,
    leastDelivered: 1_000,
    loss: random.chance(0.5) ? random.between(0, 0.3) : 0,
    duplication: random.chance(0.3) ? random.between(0, 0.2) : 0,
    delayMs: random.chance(0.3) ? random.between(50, 1_500) : random.between(2, 50),
    partitionMs: random.chance(0.5) ? random.between(3_000, 12_000) : 0,
    crashMs: random.chance(0.6) ? random.between(3_000, 15_000) : 0,
    restartMs: random.chance(0.3) ? random.between(5_000, 20_000) : 0,
    diskMs: random.chance(0.5) ? random.between(0, 40) : 0,
    computeMs: random.chance(0.3) ? random.between(0, 20) : 0,
    executeMs: random.chance(0.4) ? random.between(0, 200) : 0,
    heavy: random.chance(0.2) ? random.between(0, 0.1) : 0,
    transactionMs: random.between(300, 4_000),
    roleMs: extras > 0 && random.chance(0.8) ? random.between(2_000, 8_000) : 0,
    groupMs: random.chance(0.4) ? random.between(2_000, 8_000) : 0,
    jumpMs: random.chance(0.2) ? random.between(2_000, 10_000) : 0,
    clocksDiffer: random.chance(0.3),
    poolLimit: random.chance(0.2) ? random.pick([2, 5, 20]) : DEFAULT_TUNING.txPoolLimit,
    inspected: random.chance(0.2),
    // Of the seed alone: what else is drawn stays as it was.
    roundsPerRecord: [1, 4, 32][seed % 3] ?? 1,
  };
}

/** Options under which something broken shows soon. */
function bias(options: WholeOptions, random: Random, mutation: WholeMutation): WholeOptions {
  const base = { ...options, sealers: 4, nodes: 4, roleMs: 0, transactionMs: 400, poolLimit: 100 };
  const calm = { loss: 0, delayMs: 30, heavy: 0, partitionMs: 0 };
  const honest = { byzantine: undefined, acts: new Set<Act>() };
  switch (mutation) {
    case "unverifiedBlock":
      return {
        ...base,
        ...calm,
        crashMs: 4_000,
        byzantine: random.below(4),
        acts: new Set<Act>(["lyingBlocks"]),
      };
    case "lostEntry":
      return { ...base, ...calm, ...honest, crashMs: random.between(1_000, 4_000) };
    case "lostWord":
      return { ...base, ...calm, ...honest, groupMs: 2_000, crashMs: 4_000 };
    case "staleLeader":
      return {
        ...base,
        ...honest,
        loss: 0,
        delayMs: 30,
        heavy: 0,
        crashMs: 0,
        restartMs: 0,
        groupMs: 0,
        sealers: 3,
        nodes: 3,
        partitionMs: 3_000,
      };
    case "forgottenPromise":
      return {
        ...base,
        ...calm,
        ...honest,
        transactionMs: 1_500,
        crashMs: 2_000,
        roundsPerRecord: 32,
      };
    case "unnoticedBackup":
      return {
        ...base,
        ...calm,
        ...honest,
        crashMs: 3_000,
        transactionMs: 100,
        later: { ...NO_LATER_FAULTS, backupMs: 1_500 },
      };
    case "doubleVote":
    case "corruptState":
      return { ...base, ...calm, ...honest };
    case "noTimeBound":
      return {
        ...base,
        ...calm,
        ...honest,
        jumpMs: 0,
        later: { ...NO_LATER_FAULTS, clock: random.pick(["ahead", "eightHours", "fast"] as const) },
      };
    default:
      return mutation satisfies never;
  }
}
