/** What a benchmark file asks for, whichever generation it is of. */
import type { RateSpec } from "../../../shared/benchmark/rate/rate-controller.ts";
import type { FileGeneration } from "../../../shared/benchmark/round-result.ts";
import type { MonitorSettings } from "../monitors/monitor-settings.ts";
import type { ObserverSettings, ProgressSettings } from "../observers/observer-settings.ts";

/** A round; of a list-valued one: a sub-round. */
export interface PlannedRound {
  readonly label: string;
  readonly description: string;
  /** Transactions of all workers; undefined in a round by duration. */
  readonly txNumber: number | undefined;
  readonly txDurationSeconds: number | undefined;
  readonly rateControl: RateSpec;
  /** Results, or seconds, that are left out of the statistics. */
  readonly trim: number;
  /** Path or package of the workload module. */
  readonly module: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A benchmark file. */
export interface BenchmarkPlan {
  readonly generation: FileGeneration;
  readonly name: string;
  readonly description: string;
  readonly workers: number;
  readonly rounds: readonly PlannedRound[];
  readonly monitors: readonly MonitorSettings[];
  readonly observers: readonly ObserverSettings[];
  /** How the first generation wants progress to be told. */
  readonly progress: ProgressSettings;
  /** What is odd and harmless; sentences. */
  readonly warnings: readonly string[];
  /** The file as it was parsed, for the report. */
  readonly value: unknown;
}
