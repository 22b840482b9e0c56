/**
 * What a rate controller is: it is asked before each submission, and sleeps until that is due.
 * Source: benchmark 6
 */
import type { BenchClock } from "../bench-clock.ts";
import type { RoundProgress } from "../round-progress.ts";
import type { FilePath, Section } from "../section.ts";

/** A controller as files have it. */
export interface RateSpec {
  readonly type: string;
  readonly opts?: Readonly<Record<string, unknown>> | undefined;
}

/** The time by the clock at which a submission was due; undefined without a plan. */
export type Due = number | undefined;

/** Decides when the next transaction is sent. */
export interface RateController {
  /** Sleeps until the next submission is due. Gives a promise only when it has to sleep. */
  applyRateControl(): Due | Promise<Due>;
  /** The round is over. */
  end(): Promise<void>;
}

/** The part of a round's counters that controllers of this tool read. */
export type RateProgress = Pick<
  RoundProgress,
  "startMs" | "planned" | "finished" | "succeeded" | "successLatencyMs"
>;

/** The part of a round that one worker does. */
export interface RoundShare {
  readonly workerIndex: number;
  readonly workers: number;
  /** From 0. */
  readonly roundIndex: number;
  /** Transactions of this worker; undefined in a round by duration. */
  readonly number?: number | undefined;
  /** Undefined in a round by number. */
  readonly durationMs?: number | undefined;
}

/** Files and modules, where the runtime has any. */
export interface RateHost {
  readTrace(path: string): Promise<Uint8Array>;
  writeTrace(path: string, bytes: Uint8Array): Promise<void>;
  /** A controller of the user's; undefined when there is no module of the name. */
  custom(spec: RateSpec, context: RateContext): Promise<RateController | undefined>;
}

/** What a controller works with. */
export interface RateContext {
  readonly clock: BenchClock;
  /** Sleeps, at most until the round ends. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly progress: RateProgress;
  readonly share: RoundShare;
  readonly host: RateHost;
}

/** Makes a controller for a round. */
export type OpenRate = (context: RateContext) => RateController | Promise<RateController>;

/** What is known of a round when files are read. */
export interface RateTerms {
  /** Which of `txNumber` and `txDuration` ends it. */
  readonly endsBy: "number" | "duration";
  /** Whether a module of a name may be there. */
  hasModule(name: string): boolean;
  /** Told of each option that has no effect. */
  onUnasked?(path: FilePath): void;
}

/**
 * Reads the options of a controller, so that files are refused before anything is started.
 * @throws what the section's readers throw
 */
export type ReadRate = (opts: Section, terms: RateTerms) => OpenRate;

const MS_PER_SECOND = 1_000;

/** Milliseconds between submissions of one worker; 0 for no control. */
export function intervalMs(tps: number, { workers }: RoundShare): number {
  return tps === 0 ? 0 : (MS_PER_SECOND * workers) / tps;
}

/**
 * Shortest sleep of a fixed rate: what is due in between is sent in one burst, since waking up for
 * each transaction costs a generator more than sending it. Latency from the intended time has it.
 */
const BURST_MS = 10;

/** Sleeps until a time of the clock, if that is to come; gives it. */
export function sleepUntil(due: number, { clock, sleep }: RateContext): Due | Promise<Due> {
  const wait = due - clock.now();
  return wait > 0 ? sleep(wait).then(() => due) : due;
}

/** As {@link sleepUntil}, but never for less than a burst. */
export function sleepForBurst(due: number, { clock, sleep }: RateContext): Due | Promise<Due> {
  const wait = due - clock.now();
  return wait > 0 ? sleep(Math.max(wait, BURST_MS)).then(() => due) : due;
}

/** Nothing is left to do. */
export async function nothingToEnd(): Promise<void> {}
