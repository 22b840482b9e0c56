/**
 * Swarm options: what may go wrong in a schedule, drawn from its seed. Some kinds of fault are off
 * in each.
 */
import { ALL_RULES, type Rules } from "../../core/consensus/pbft/state.ts";
import type { step } from "../../core/consensus/pbft/step.ts";
import { drawTwoLocks, type LossesOf, twoLocks } from "./losses.ts";
import { Random } from "./random.ts";
import { stepWith } from "./rows/added.ts";
import { CLIMBS_ALONE, SPEAKS_ON } from "./rows/forbidden.ts";

/** What a Byzantine sealer may do. Source: pbft 15 */
export const ACTS = [
  "equivocatingLeader",
  "silentLeader",
  "signReplayedAsCommit",
  "manySignatures",
  "farAheadViewChanges",
  "claimedHash",
  "withheldTransactions",
  "wrongSealerList",
  "staleVotes",
  "forgedCertificates",
  "forgedJustifications",
  "votesForEverything",
] as const;
/** What it may do besides: drawn apart, so that the rest stays what it was. */
export const LATER_ACTS = ["otherResults"] as const;
export type Act = (typeof ACTS)[number] | (typeof LATER_ACTS)[number];

/** Rules that can be switched off to show that the simulator notices. */
export const MUTATIONS = [
  "certificate",
  "justification",
  "durable",
  "silence",
  "index",
  "seal",
  "climb",
  "forward",
  "promise",
] as const;
export type Mutation = (typeof MUTATIONS)[number];

/** How one schedule behaves. */
export interface Options {
  /** How cores take inputs, when not by the plain dispatcher. */
  readonly take?: typeof step | undefined;
  readonly seed: number;
  readonly mutation: Mutation | undefined;
  readonly rules: Rules;
  /** Nodes that are sealers at genesis; the rest observe. */
  readonly sealers: number;
  readonly nodes: number;
  /** The Byzantine nodes: never more than the genesis list tolerates. */
  readonly byzantine: readonly number[];
  readonly acts: ReadonlySet<Act>;
  /** It goes on after the faults have stopped. */
  readonly byzantineStays: boolean;
  readonly chaosMs: number;
  readonly loss: number;
  readonly delayMs: number;
  readonly duplication: number;
  /** Nodes ahead are asked for blocks in vain: the others must decide by themselves. */
  readonly servesBlocks: boolean;
  /** Chance that a node hears no message of one kind in one round. */
  readonly deafness: number;
  /** Mean time between changes of the partition; 0: none. */
  readonly partitionMs: number;
  /** Mean time between crashes anywhere; 0: none. */
  readonly crashMs: number;
  /** Chance of dying between two effects. */
  readonly cut: number;
  /** Mean time between pauses of a node; 0: none. */
  readonly pauseMs: number;
  readonly persistMs: number;
  readonly executeMs: number;
  /** Chance that a block executes for longer than a view lasts. */
  readonly heavy: number;
  /** Chance that a proposal has transactions. */
  readonly busy: number;
  /** Chance that a node lacks transactions of a proposal. */
  readonly missing: number;
  /** Chance that a block changes the sealer list. */
  readonly roleChange: number;
  readonly clocksDiffer: boolean;
  /** Messages and records pass through the real codec. */
  readonly realCodec: boolean;
  /** How many empty rounds in a row share a record. */
  readonly roundsPerRecord: number;
  /** Mean time between pauses of a sealer, as of a hidden tab; 0: none. */
  readonly muteMs: number;
  /** What is lost besides. */
  readonly losses: LossesOf | undefined;
}

/** The options of a seed. */
export function drawOptions(seed: number, mutation?: Mutation): Options {
  const random = new Random(seed);
  const swarm = drawSwarm(random, seed);
  const byzantine = drawByzantine(random, swarm);
  const options = {
    ...swarm,
    ...byzantine,
    mutation,
    rules: rulesFor(mutation),
    take: mutation && TAKES[mutation],
    muteMs: mutation ? 0 : drawMuteMs(seed),
    losses: undefined,
  };
  return mutation ? bias(options, random, mutation) : withLater(options);
}

/** Drawn apart from the rest, which stays what it was. */
export function drawMuteMs(seed: number): number {
  const random = new Random(seed ^ 0x3c6ef372);
  return random.chance(0.3) ? random.between(1_000, 8_000) : 0;
}

/** With what was thought of later, drawn apart from the rest, which stays what it was. */
function withLater(options: Options): Options {
  const { seed, sealers, byzantine, acts, loss } = options;
  const random = new Random(seed ^ 0x2b7e1517);
  const lies = random.chance(0.5) && byzantine.length > 0;
  const isTorn = random.chance(0.2) && sealers >= 4;
  const later = lies ? { ...options, acts: new Set([...acts, ...LATER_ACTS]) } : options;
  if (!isTorn) return later;
  const losses = twoLocks(drawTwoLocks(random, sealers));
  // With much more of other faults it is seldom that the plan comes about.
  return { ...later, losses, loss: Math.min(loss, 0.1), partitionMs: 0, busy: 1 };
}

type Swarm = Omit<
  Options,
  "byzantine" | "acts" | "byzantineStays" | "mutation" | "rules" | "muteMs" | "losses"
>;

function drawSwarm(random: Random, seed: number): Swarm {
  const sealers = random.pick([1, 2, 3, 4, 4, 4, 4, 4, 5, 6, 7, 4]);
  const changesRoles = sealers > 1 && random.chance(0.3);
  const observers = changesRoles ? 1 + random.below(2) : random.chance(0.1) ? 1 : 0;
  const crashes = random.chance(0.5);
  return {
    seed,
    sealers,
    nodes: Math.min(sealers + observers, 8),
    chaosMs: 30_000,
    loss: random.chance(0.7) ? random.between(0, 0.6) : 0,
    delayMs: random.chance(0.7) ? random.between(5, 3_000) : random.between(1, 100),
    duplication: random.chance(0.3) ? random.between(0, 0.2) : 0,
    servesBlocks: random.chance(0.7),
    deafness: random.chance(0.3) ? random.between(0.1, 0.7) : 0,
    partitionMs: random.chance(0.4) ? random.between(1_000, 10_000) : 0,
    crashMs: crashes ? random.between(1_000, 20_000) : 0,
    cut: crashes ? random.between(0, 0.01) : 0,
    pauseMs: random.chance(0.3) ? random.between(2_000, 15_000) : 0,
    persistMs: random.chance(0.6) ? random.between(0, 40) : 0,
    executeMs: random.chance(0.6) ? random.between(0, 200) : 0,
    heavy: random.chance(0.3) ? random.between(0, 0.3) : 0,
    busy: random.chance(0.7) ? random.between(0.2, 1) : random.between(0, 0.2),
    missing: random.chance(0.4) ? random.between(0, 0.5) : 0,
    roleChange: changesRoles ? random.between(0.1, 0.6) : 0,
    clocksDiffer: random.chance(0.3),
    realCodec: random.chance(0.01),
    // Of the seed alone: what else is drawn stays as it was.
    roundsPerRecord: [1, 4, 32][seed % 3] ?? 1,
  };
}

function drawByzantine(
  random: Random,
  { sealers, roleChange }: Swarm,
): Pick<Options, "byzantine" | "acts" | "byzantineStays"> {
  const acts = new Set<Act>();
  if (sealers < 4 || !random.chance(0.75)) {
    return { byzantine: [], acts, byzantineStays: false };
  }
  const eagerness = random.between(0.4, 0.8);
  for (const act of ACTS) if (random.chance(eagerness)) acts.add(act);
  const first = random.below(sealers);
  // Two Byzantine nodes need seven sealers, and a list that does not shrink.
  const two = sealers === 7 && roleChange === 0 && random.chance(0.6);
  const byzantine = two ? [first, (first + 1 + random.below(6)) % 7] : [first];
  return { byzantine, acts, byzantineStays: random.chance(0.3) };
}

/** Mutations that are rows of the table, not switches of its functions. */
const TAKES: Partial<Record<Mutation, typeof step>> = {
  silence: stepWith(SPEAKS_ON),
  climb: stepWith(CLIMBS_ALONE),
};

function rulesFor(mutation: Mutation | undefined): Rules {
  return {
    ...ALL_RULES,
    certificateCheck: mutation !== "certificate",
    justificationCheck: mutation !== "justification",
    durableVote: mutation !== "durable",
    oneVotePerIndex: mutation !== "index",
    forwardJustification: mutation !== "forward",
    keptReservation: mutation !== "promise",
  };
}

/** Many rounds in which some get a quorum of votes and others do not. */
function lossy(random: Random): Partial<Options> {
  return {
    loss: random.between(0, 0.3),
    deafness: random.between(0.2, 0.6),
    servesBlocks: false,
    delayMs: random.between(5, 300),
    partitionMs: random.between(1_000, 6_000),
    crashMs: 0,
    cut: 0,
    heavy: 0,
    missing: 0,
  };
}

/** Options under which a missing rule shows soon. */
function bias(options: Options, random: Random, mutation: Mutation): Options {
  const base = { ...options, sealers: 4, nodes: 4, roleChange: 0, busy: random.between(0.6, 1) };
  const byzantine = [random.below(4)];
  switch (mutation) {
    case "certificate":
      return {
        ...base,
        ...lossy(random),
        byzantine,
        acts: new Set<Act>(["forgedCertificates", "votesForEverything"]),
      };
    case "justification":
      return {
        ...base,
        byzantine,
        acts: new Set<Act>(["forgedJustifications", "votesForEverything"]),
      };
    case "index":
      return { ...base, byzantine, acts: new Set<Act>(["manySignatures", "equivocatingLeader"]) };
    case "seal":
      return {
        ...base,
        byzantine,
        acts: new Set<Act>(["signReplayedAsCommit", "votesForEverything"]),
      };
    case "durable":
      return { ...base, crashMs: random.between(500, 3_000), byzantine: [] };
    case "promise":
      return {
        ...base,
        busy: random.between(0.2, 0.6),
        crashMs: random.between(500, 3_000),
        byzantine: [],
        roundsPerRecord: 32,
      };
    case "silence":
      return { ...base, byzantine: [] };
    case "climb":
    case "forward":
      return { ...base, byzantine: [], byzantineStays: false };
    default:
      return mutation satisfies never;
  }
}
