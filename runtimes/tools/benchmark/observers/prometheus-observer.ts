/** Metrics of transactions for a Prometheus server: scraped, or pushed. Source: benchmark 7 */
import { createServer, type Server } from "node:http";
import { Gauge, Pushgateway, Registry } from "prom-client";
import type { TxStatus } from "../../../shared/benchmark/tx-status.ts";
import { authorization } from "../monitors/http-text.ts";
import { reasonOf } from "../monitors/monitor.ts";
import type { ObservedRound, ObserverTerms, TxObserver } from "./observer.ts";
import { TxMetrics, type TxMetricsOptions } from "./tx-metrics.ts";

/** What the scraped observer is made with. */
export interface ScrapedOptions extends TxMetricsOptions {
  /** The worker's index is added to it. */
  readonly port: number;
  /** Loopback unless the file says otherwise. */
  readonly host: string;
  /** `/metrics` unless the file says otherwise. */
  readonly path: string;
}

/** An observer that shows its metrics at a port. */
export class ScrapedObserver implements TxObserver {
  readonly #options: ScrapedOptions;
  readonly #metrics: TxMetrics;
  #server: Server | undefined;

  constructor(options: ScrapedOptions) {
    this.#options = options;
    this.#metrics = new TxMetrics(options);
  }

  async roundStarts(round: ObservedRound): Promise<void> {
    this.#metrics.round(round);
    this.#server ??= await this.#listen(round.workerIndex);
  }

  #listen(workerIndex: number): Promise<Server> {
    const { host, path, port } = this.#options;
    const { registry } = this.#metrics;
    const server = createServer(async (request, response) => {
      const isIt = new URL(request.url ?? "/", "http://host").pathname === path;
      if (!isIt) response.writeHead(404).end(`metrics are at ${path}\n`);
      else response.setHeader("content-type", registry.contentType).end(await registry.metrics());
    });
    return new Promise((resolve, reject) => {
      const place = `${host}:${port + workerIndex}`;
      server.once("error", (cause) =>
        reject(new Error(`metrics cannot be shown at ${place}: ${cause.message}`, { cause })),
      );
      server.listen(port + workerIndex, host, () => resolve(server));
    });
  }

  txSubmitted(count: number): void {
    this.#metrics.submitted(count);
  }

  txFinished(status: TxStatus): void {
    this.#metrics.finished(status);
  }

  async roundEnds(): Promise<void> {}

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What the pushing observer is made with. */
export interface PushedOptions extends TxMetricsOptions {
  readonly url: string;
  readonly intervalMs: number;
}

/** Under which names a push gateway keeps what is pushed. */
const JOB = "caliper";
const PUSH_PATIENCE_MS = 10_000;

/** Pushes a registry at intervals and says once when that fails. */
class Pushing {
  readonly #gateway: Pushgateway<"text/plain; version=0.0.4; charset=utf-8">;
  readonly #url: string;
  readonly #terms: ObserverTerms;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #hasTold = false;

  constructor(url: string, registry: Registry, terms: ObserverTerms) {
    const base = url.replace(/\/+$/, "");
    const headers = authorization(terms.gateway);
    this.#gateway = new Pushgateway(base, { timeout: PUSH_PATIENCE_MS, headers }, registry);
    this.#url = url;
    this.#terms = terms;
  }

  start(intervalMs: number): void {
    this.#timer = setInterval(() => void this.push(), intervalMs).unref();
  }

  /** Pushes one after the other. */
  push(groupings: Record<string, string> = {}): Promise<void> {
    this.#running = this.#running.then(async () => {
      try {
        await this.#gateway.pushAdd({ jobName: JOB, groupings });
      } catch (error) {
        if (!this.#hasTold) this.#terms.tell(`${this.#url} took no metrics: ${reasonOf(error)}`);
        this.#hasTold = true;
      }
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.push();
  }
}

/** An observer that pushes its metrics to a gateway. */
export class PushedObserver implements TxObserver {
  readonly #options: PushedOptions;
  readonly #metrics: TxMetrics;
  readonly #pushing: Pushing;

  constructor(options: PushedOptions, terms: ObserverTerms) {
    this.#options = options;
    this.#metrics = new TxMetrics(options);
    this.#pushing = new Pushing(options.url, this.#metrics.registry, terms);
  }

  async roundStarts(round: ObservedRound): Promise<void> {
    this.#metrics.round(round);
    this.#pushing.start(this.#options.intervalMs);
  }

  txSubmitted(count: number): void {
    this.#metrics.submitted(count);
  }

  txFinished(status: TxStatus): void {
    this.#metrics.finished(status);
  }

  async roundEnds(): Promise<void> {
    await this.#pushing.stop();
  }

  async close(): Promise<void> {}
}

/** Where a round of all workers stands: what the first generation pushes. */
export interface PushedProgress {
  readonly submitted: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Transactions that ended and that were sent in the last interval, each second. */
  readonly tps: number;
  readonly submitRate: number;
  /** Average of the last interval, seconds. */
  readonly latencySeconds: number;
}

const PROGRESS = {
  caliper_tps: "Transactions that ended, each second",
  caliper_latency: "Average latency, seconds",
  caliper_txn_submit_rate: "Transactions that were sent, each second",
  caliper_txn_success: "Transactions that succeeded",
  caliper_txn_failure: "Transactions that failed",
  caliper_txn_pending: "Transactions without an answer",
} as const;

/** The observer of the manager for files of the first generation. Source: benchmark 7 */
export class ProgressPusher {
  readonly #registry = new Registry();
  readonly #gauges: ReadonlyMap<string, Gauge>;
  readonly #pushing: Pushing;

  constructor(url: string, terms: ObserverTerms) {
    const registers = [this.#registry];
    this.#gauges = new Map(
      Object.entries(PROGRESS).map(([name, help]) => {
        return [name, new Gauge({ name, help, labelNames: ["round"], registers })];
      }),
    );
    this.#pushing = new Pushing(url, this.#registry, terms);
  }

  /** Pushes where the round stands. */
  async update(round: string, progress: PushedProgress): Promise<void> {
    const { submitted, succeeded, failed } = progress;
    const values: Record<keyof typeof PROGRESS, number> = {
      caliper_tps: progress.tps,
      caliper_latency: progress.latencySeconds,
      caliper_txn_submit_rate: progress.submitRate,
      caliper_txn_success: succeeded,
      caliper_txn_failure: failed,
      caliper_txn_pending: submitted - succeeded - failed,
    };
    for (const [name, value] of Object.entries(values))
      this.#gauges.get(name)?.set({ round }, value);
    await this.#pushing.push();
  }
}
