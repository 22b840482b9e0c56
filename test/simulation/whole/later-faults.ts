/**
 * Faults of disks, backups and roles, drawn apart from the others: the schedules of a seed stay
 * what they were in everything else.
 */
import { Random } from "../random.ts";

/** Times are virtual milliseconds; a mean of 0 means never. */
export interface LaterFaults {
  /** Mean time between disks that are full for a while. */
  readonly fullDiskMs: number;
  /** Mean time until the one machine that gets an older state of its ledger back. */
  readonly backupMs: number;
  /** Mean time between changes of the role of a sealer of the first block. */
  readonly sealerMs: number;
  /** Chance that a group is told to stop in the middle of a write. */
  readonly stopInWrite: number;
  /** The extra node is an observer, and lies. */
  readonly observerLies: boolean;
  /** The lying sealer sends blocks under a list of sealers of its own. */
  readonly ownList: boolean;
  /** It sends blocks with transactions of its own under their true headers. */
  readonly otherBodies: boolean;
  /** What is wrong with the wall clock of one sealer. Source: decision 27 */
  readonly clock: ClockFault;
  /** The lying sealer says another time to each. */
  readonly lyingClock: boolean;
}

/** Kinds of wrong clocks. */
export const CLOCK_FAULTS = ["ahead", "behind", "eightHours", "jumping", "fast"] as const;
/** One of them, or none. */
export type ClockFault = (typeof CLOCK_FAULTS)[number] | "none";

/** None of them. */
export const NO_LATER_FAULTS: LaterFaults = {
  fullDiskMs: 0,
  backupMs: 0,
  sealerMs: 0,
  stopInWrite: 0,
  observerLies: false,
  ownList: false,
  otherBodies: false,
  clock: "none",
  lyingClock: false,
};

/** What a schedule is like otherwise. */
interface Rest {
  readonly seed: number;
  readonly consensus: "pbft" | "raft";
  readonly sealers: number;
  readonly nodes: number;
  readonly byzantine: number | undefined;
  readonly staysByzantine: boolean;
}

/**
 * The faults of a seed. A Byzantine node and a node without its votes are two faults of four, and
 * other fewer than four sealers tolerate no Byzantine node: only one of them in a schedule.
 */
export function drawLaterFaults(rest: Rest): LaterFaults {
  const { consensus, sealers, nodes, byzantine, staysByzantine } = rest;
  const random = new Random(rest.seed ^ 0x51ed270b);
  const isRestored = random.chance(0.4);
  const changes = random.chance(0.4);
  const mayRestore = sealers === 4 && (byzantine === undefined || !staysByzantine);
  const backupMs = isRestored && mayRestore ? random.between(6_000, 20_000) : 0;
  const sealerMs =
    changes && backupMs === 0 && byzantine === undefined ? random.between(3_000, 9_000) : 0;
  return {
    fullDiskMs: random.chance(0.4) ? random.between(4_000, 15_000) : 0,
    backupMs,
    sealerMs,
    stopInWrite: random.chance(0.3) ? random.between(0.002, 0.02) : 0,
    observerLies: consensus === "raft" && nodes > sealers && random.chance(0.7),
    ownList: consensus === "pbft" && byzantine !== undefined && random.chance(0.8),
    otherBodies: consensus === "pbft" && byzantine !== undefined && random.chance(0.9),
    ...drawClocks(rest, sealerMs > 0 || backupMs > 0),
  };
}

/**
 * The clock of one sealer of those that stay, where there is honest, or what a Byzantine node says
 * of its own. Of fewer than four sealers of PBFT some could not tell whose clock is right.
 *
 * @param isBusy sealers come and go, or one loses its votes
 */
function drawClocks(rest: Rest, isBusy: boolean): Pick<LaterFaults, "clock" | "lyingClock"> {
  const { seed, sealers, byzantine, consensus } = rest;
  const random = new Random(seed ^ 0x1b56c4e9);
  const isEnough = sealers === 4 || (consensus === "raft" && sealers > 1);
  const mayBeWrong = byzantine === undefined && isEnough && !isBusy;
  const isWrong = mayBeWrong && random.chance(0.9);
  return {
    clock: isWrong ? random.pick(CLOCK_FAULTS) : "none",
    lyingClock: byzantine !== undefined && random.chance(0.6),
  };
}
