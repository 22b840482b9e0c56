/**
 * A finished round and a whole report, as data: what rounds leave behind and what every form of the
 * report is made from. All of it survives JSON; times are milliseconds, a value that does not exist
 * is `null` and never zero.
 */

/** Name and edition of the shape; a reader refuses what it does not know. */
export const REPORT_SCHEMA = "chain-node-benchmark-report/1";

/** Which generation of configuration files was read. Source: benchmark 4 */
export type FileGeneration = "G1" | "G2" | "mixed";

/**
 * How a round ended: `finished` as planned; `failed` by an error of the workload or of the tool;
 * `partial` when a worker, node or broker was lost and the figures are of what was seen.
 */
export type RoundStatus = "finished" | "failed" | "partial";

/** What the round was asked to do. Source: benchmark 4 */
export interface RoundConfiguration {
  /** The controller's `type` and `opts` as in the file. */
  readonly rateControl: {
    readonly type: string;
    readonly opts?: Readonly<Record<string, unknown>>;
  };
  /** Module path (of either generation: `callback` or `workload.module`) and arguments. */
  readonly workload: {
    readonly module: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  /** Transactions of all workers together; null in a round by duration. */
  readonly txNumber: number | null;
  /** Seconds; null in a round by number. */
  readonly txDurationSeconds: number | null;
  /** Results (by number) or seconds (by duration) left out of the statistics. */
  readonly trim: number;
  readonly workers: number;
  /** Rate of all workers together that the controller aims at; null when it has no such figure. */
  readonly targetTps: number | null;
}

/**
 * Transactions of a round, after trim. `submitted = succeeded + failed`: one without an answer at
 * the end of its time counts as failed and as unfinished.
 */
export interface RoundCounts {
  readonly submitted: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Those of `failed` that never had an answer. */
  readonly unfinished: number;
  /** Finished transactions that trim left out of every other figure. */
  readonly trimmed: number;
}

/** Rates by the formulas of the result table; null without transactions. Source: benchmark 2 */
export interface RoundRates {
  /** (succ + fail) / (last create - first create). */
  readonly sendTps: number | null;
  /** (succ + fail) / (last finish - first create). */
  readonly throughputTps: number | null;
  /** succ / (last finish - first create): failures do not flatter it. */
  readonly successTps: number | null;
}

/** Latencies of a set of transactions, milliseconds; null when the set is empty. */
export interface LatencySummary {
  readonly count: number;
  readonly minMs: number | null;
  readonly maxMs: number | null;
  readonly avgMs: number | null;
  /** Percentiles are exact to 1 %. */
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

/** One bar of the distribution: transactions above the lower and up to the upper bound. */
export interface LatencyBucket {
  readonly lowerMs: number;
  readonly upperMs: number;
  readonly count: number;
}

/** One second of a round, counted from the round's first submission. */
export interface SecondOfRound {
  /** 0 for the first second. */
  readonly second: number;
  readonly submitted: number;
  /** Succeeded and failed are counted in the second in which they finished. */
  readonly succeeded: number;
  readonly failed: number;
  /** Sent and not yet answered at the end of the second. */
  readonly pending: number;
  /** Of transactions that succeeded in this second; null when none did. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Why transactions failed: one row for each kind. */
export interface ErrorRow {
  /** Receipt status name (`RevertInstruction`), or what the transport said (`timeout`). */
  readonly name: string;
  readonly count: number;
  /** Message of the first one. */
  readonly example: string;
}

/** What one worker did, also when it was lost. Source: benchmark 8 */
export interface WorkerResult {
  readonly index: number;
  /** How the manager names it: process number, client id or address. */
  readonly id: string;
  readonly counts: RoundCounts;
  /** Its wall clock less the manager's, milliseconds; null when it is on the same machine. */
  readonly clockOffsetMs: number | null;
  /** CPU that it used in the round, milliseconds; null when the runtime does not tell. */
  readonly cpuMs: number | null;
  /** Why it ended before the round did; null when it did not. */
  readonly lost: string | null;
}

/** How a metric's figure is to be read. */
export type MetricUnit = "percent" | "bytes" | "count" | "ms" | "perSecond" | "none";

/** A column of a monitor's table. */
export interface MonitorColumn {
  /** Key in a row's `values`. */
  readonly key: string;
  /** Title as in the reference's table, `Memory(max)`; the unit of bytes is chosen on printing. */
  readonly title: string;
  readonly unit: MetricUnit;
}

/** A row: a process, a container, a series or a node. */
export interface MonitorRow {
  readonly name: string;
  /** Texts next to the name, by column title (`Prometheus Query`). */
  readonly labels: Readonly<Record<string, string>>;
  /** Figures by the column's key; null is what could not be seen. */
  readonly values: Readonly<Record<string, number | null>>;
}

/** A figure over the time of the round. */
export interface MonitorSeries {
  readonly row: string;
  readonly metric: string;
  readonly unit: MetricUnit;
  /** Milliseconds from the round's start, and the value then. */
  readonly points: readonly (readonly [atMs: number, value: number])[];
}

/** A chart that the file asked for with `charting`. Source: benchmark 9 */
export interface MonitorChart {
  readonly kind: "bar" | "polar";
  /** Column keys: one chart for each. */
  readonly metrics: readonly string[];
}

/** What one monitor saw of a round. Source: benchmark 7 */
export interface MonitorResult {
  /** `process`, `docker`, `prometheus` or `chain`. */
  readonly type: string;
  readonly columns: readonly MonitorColumn[];
  readonly rows: readonly MonitorRow[];
  readonly series: readonly MonitorSeries[];
  readonly charts: readonly MonitorChart[];
  /** What it could not see, each a sentence. */
  readonly warnings: readonly string[];
}

/** What the chain itself counted between a round's begin and end; the round must agree with it. */
export interface ChainCount {
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** Transactions that the blocks between carry. */
  readonly transactions: number;
}

/** A round (of a list-valued one: a sub-round) as it ended. */
export interface RoundResult {
  /** From 0, over all rounds and sub-rounds. */
  readonly index: number;
  readonly label: string;
  readonly description: string;
  readonly status: RoundStatus;
  /** Why it is not `finished`, and every warning of the run; each a sentence. */
  readonly remarks: readonly string[];
  readonly configuration: RoundConfiguration;
  /** Wall time of the round's start, milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Monotonic length from the first submission to the last end. */
  readonly durationMs: number;
  readonly counts: RoundCounts;
  readonly rates: RoundRates;
  /** From the actual sending to the receipt, transactions that succeeded. */
  readonly latency: LatencySummary;
  /** The same of those that failed. */
  readonly failedLatency: LatencySummary;
  /**
   * From the time at which the rate wanted the transaction to be sent: a generator that falls
   * behind shows it here (coordinated omission). Null where the controller has no intended time.
   */
  readonly intendedLatency: LatencySummary | null;
  /** Distribution of `latency`, rising, only bars with a count. */
  readonly distribution: readonly LatencyBucket[];
  readonly seconds: readonly SecondOfRound[];
  /** Most frequent first. */
  readonly errors: readonly ErrorRow[];
  readonly workers: readonly WorkerResult[];
  readonly monitors: readonly MonitorResult[];
  /** Null when the chain could not be asked. */
  readonly chain: ChainCount | null;
  /** CPU of manager and workers together, milliseconds; null when the runtime does not tell. */
  readonly generatorCpuMs: number | null;
}

/** Where the run took place; null for what cannot be known. */
export interface RunEnvironment {
  /** `node` or `browser`. */
  readonly runtime: string;
  /** `v20.19.0`, or the browser's own name. */
  readonly runtimeVersion: string;
  readonly platform: string;
  readonly cpuModel: string | null;
  readonly cpuCount: number | null;
  readonly memoryBytes: number | null;
  /** Version of this tool, and the commit it was built from. */
  readonly toolVersion: string;
  readonly toolCommit: string | null;
  /** What a node answered to getClientVersion, key by key; empty when it was not asked. */
  readonly node: Readonly<Record<string, string>>;
  /** Consensus, sealers, block limits and the like of the chain, key by key. */
  readonly chain: Readonly<Record<string, string>>;
}

/** An assertion of the command line after it was examined. Source: benchmark 1 */
export interface AssertionResult {
  /** As it was given: `transfer.p95 <= 2`. */
  readonly text: string;
  readonly holds: boolean;
  /** The figure that was compared, in the assertion's unit; null when there was none. */
  readonly actual: number | null;
  /** Why it does not hold; empty when it does. */
  readonly reason: string;
}

/** A whole run: what `report.json` is. */
export interface BenchmarkReport {
  readonly schema: typeof REPORT_SCHEMA;
  readonly generation: FileGeneration;
  readonly name: string;
  readonly description: string;
  /** The network file's `caliper.blockchain`. */
  readonly blockchain: string;
  /** How load was spread: `process`, `worker_threads`, `mqtt`, `websocket` or `inproc`. */
  readonly workers: { readonly type: string; readonly number: number };
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** The network file's `info` block, free keys. */
  readonly info: Readonly<Record<string, unknown>>;
  /** The files as they were understood; private keys are left out. */
  readonly configuration: { readonly benchmark: unknown; readonly network: unknown };
  readonly environment: RunEnvironment;
  readonly rounds: readonly RoundResult[];
  readonly assertions: readonly AssertionResult[];
  /** What went wrong outside of the rounds (start command, install, end command); sentences. */
  readonly remarks: readonly string[];
}
