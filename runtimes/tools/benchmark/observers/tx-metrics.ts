/** The metrics of transactions under the names that dashboards know. Source: benchmark 7 */
import {
  Counter,
  collectDefaultMetrics,
  exponentialBuckets,
  Histogram,
  linearBuckets,
  Registry,
} from "prom-client";
import type { TxStatus } from "../../../shared/benchmark/tx-status.ts";
import type { ObservedRound } from "./observer.ts";

/** Bounds of the latency histogram, in seconds, as a file asks for them. */
export type BucketOptions =
  | { readonly kind: "explicit"; readonly bounds: readonly number[] }
  | {
      readonly kind: "linear";
      readonly start: number;
      readonly width: number;
      readonly count: number;
    }
  | {
      readonly kind: "exponential";
      readonly start: number;
      readonly factor: number;
      readonly count: number;
    };

/** What the reference has when nothing is asked for. Source: benchmark 7 */
export const DEFAULT_BUCKETS: BucketOptions = { kind: "linear", start: 0.1, width: 0.5, count: 10 };

/** What the metrics are made with. */
export interface TxMetricsOptions {
  readonly buckets: BucketOptions;
  /** Labels of every line. */
  readonly labels: Readonly<Record<string, string>>;
  /** CPU and memory of the worker too. */
  readonly hasProcessMetrics: boolean;
}

const ROUND_LABELS = ["workerIndex", "roundIndex", "roundLabel"];
const MS = 1000;

function boundsOf(buckets: BucketOptions): number[] {
  if (buckets.kind === "explicit") return [...buckets.bounds];
  const { start, count } = buckets;
  if (buckets.kind === "linear") return linearBuckets(start, buckets.width, count);
  return exponentialBuckets(start, buckets.factor, count);
}

/** The metrics of one worker. */
export class TxMetrics {
  readonly registry = new Registry();
  readonly #submitted: Counter;
  readonly #finished: Counter;
  readonly #latency: Histogram;
  #labels: Record<string, string> = {};

  constructor({ buckets, labels, hasProcessMetrics }: TxMetricsOptions) {
    const registers = [this.registry];
    this.registry.setDefaultLabels({ ...labels });
    if (hasProcessMetrics) collectDefaultMetrics({ register: this.registry });
    this.#submitted = new Counter({
      name: "caliper_tx_submitted",
      help: "Transactions that were sent",
      labelNames: ROUND_LABELS,
      registers,
    });
    const labelNames = [...ROUND_LABELS, "final_status"];
    this.#finished = new Counter({
      name: "caliper_tx_finished",
      help: "Transactions whose end is known",
      labelNames,
      registers,
    });
    this.#latency = new Histogram({
      name: "caliper_tx_e2e_latency",
      help: "Seconds from the sending to the known end",
      labelNames,
      buckets: boundsOf(buckets),
      registers,
    });
  }

  /** Lines of earlier rounds stay. */
  round({ workerIndex, roundIndex, roundLabel }: ObservedRound): void {
    const [worker, round] = [String(workerIndex), String(roundIndex)];
    this.#labels = { workerIndex: worker, roundIndex: round, roundLabel };
  }

  submitted(count: number): void {
    this.#submitted.inc(this.#labels, count);
  }

  finished(status: TxStatus): void {
    const labels = { ...this.#labels, final_status: status.GetStatus() };
    this.#finished.inc(labels);
    this.#latency.observe(labels, (status.GetTimeFinal() - status.GetTimeCreate()) / MS);
  }
}
