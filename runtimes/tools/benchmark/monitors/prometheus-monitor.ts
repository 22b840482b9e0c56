/** Figures that a Prometheus server has of the time of a round. Source: benchmark 7 */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import type {
  MonitorColumn,
  MonitorResult,
  MonitorRow,
  MonitorSeries,
} from "../../../shared/benchmark/round-result.ts";
import { type Credentials, getText } from "./http-text.ts";
import { type ChartOptions, type Monitor, reasonOf, Warnings } from "./monitor.ts";
import { chartsOf } from "./usage-table.ts";

/** What the values over the round become. */
export type Statistic = "min" | "max" | "avg" | "sum";

/** A question to the server. */
export interface PrometheusQuery {
  readonly name: string;
  readonly query: string;
  /** Seconds between values. */
  readonly step: number;
  /** The label whose value names a row; all labels when empty. */
  readonly label: string;
  readonly statistic: Statistic;
  readonly multiplier: number;
}

/** What a Prometheus monitor is made with. */
export interface PrometheusMonitorOptions {
  /** Of the server, without `/api`. */
  readonly url: string;
  /** Rows whose name hits one of these expressions are kept; all when empty. */
  readonly include: readonly string[];
  readonly queries: readonly PrometheusQuery[];
  readonly credentials: Credentials | undefined;
  readonly charts: readonly ChartOptions[];
  readonly clock: BenchClock;
}

const COLUMNS: readonly MonitorColumn[] = [{ key: "value", title: "Value", unit: "none" }];

interface Answered {
  readonly name: string;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

function labelsText(metric: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(metric).filter(([key]) => key !== "__name__");
  return pairs.map(([key, value]) => `${key}=${String(value)}`).join(", ");
}

/** The series of an answer to query_range. @throws Error what is wrong with it */
function readMatrix(text: string, label: string): Answered[] {
  const { status, error, data } = JSON.parse(text) as {
    status?: unknown;
    error?: unknown;
    data?: { result?: unknown };
  };
  if (status !== "success") throw new Error(String(error ?? "the answer says no success"));
  const { result } = data ?? {};
  if (!Array.isArray(result)) throw new Error("the answer has no result");
  return result.map((entry: { metric?: Record<string, unknown>; values?: [number, string][] }) => {
    const { metric = {}, values = [] } = entry;
    const own = label === "" ? undefined : metric[label];
    const points = values.map(([at, value]) => [Number(at), Number(value)] as const);
    const name = own === undefined ? labelsText(metric) : String(own);
    return { name, points: points.filter(([, value]) => Number.isFinite(value)) };
  });
}

/** The values of a series as one; null without values. */
export function statisticOf(values: readonly number[], statistic: Statistic): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((total, value) => total + value, 0);
  if (statistic === "sum") return sum;
  if (statistic === "avg") return sum / values.length;
  const pick = statistic === "min" ? Math.min : Math.max;
  return values.reduce((best, value) => pick(best, value));
}

/** A monitor of what a Prometheus server collects. */
export class PrometheusMonitor implements Monitor {
  readonly #options: PrometheusMonitorOptions;
  readonly #warnings = new Warnings();
  #startMs = 0;

  constructor(options: PrometheusMonitorOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#startMs = this.#options.clock.wallMs();
  }

  /** Asks once, at the end: the server has looked meanwhile. */
  async stop(): Promise<MonitorResult> {
    const { queries, charts, clock } = this.#options;
    const endMs = clock.wallMs();
    const rows: MonitorRow[] = [];
    const series: MonitorSeries[] = [];
    for (const query of queries) {
      try {
        for (const answered of await this.#ask(query, endMs)) {
          rows.push(this.#row(query, answered));
          series.push(this.#series(query, answered));
        }
      } catch (error) {
        const reason = reasonOf(error);
        this.#warnings.add(`${this.#options.url} did not answer "${query.name}": ${reason}`);
        rows.push(this.#row(query, { name: "N/A", points: [] }));
      }
    }
    if (queries.length === 0) this.#warnings.add("no queries are given: there is nothing to show");
    const asked = chartsOf(charts, this.#chartColumns(), this.#warnings);
    const warnings = this.#warnings.list();
    return { type: "prometheus", columns: COLUMNS, rows, series, charts: asked, warnings };
  }

  /** Charts are asked for by the names of queries; the page draws one for each. */
  #chartColumns(): MonitorColumn[] {
    return this.#options.queries.map(({ name }) => ({ key: name, title: name, unit: "none" }));
  }

  async #ask(query: PrometheusQuery, endMs: number): Promise<Answered[]> {
    const question = new URLSearchParams({
      query: query.query,
      start: String(this.#startMs / 1000),
      end: String(endMs / 1000),
      step: String(query.step),
    });
    const base = this.#options.url.replace(/\/+$/, "");
    const text = await getText(`${base}/api/v1/query_range?${question}`, this.#options.credentials);
    const patterns = this.#options.include.map((pattern) => new RegExp(pattern));
    const all = readMatrix(text, query.label);
    const kept = all.filter(
      ({ name }) => patterns.length === 0 || patterns.some((pattern) => pattern.test(name)),
    );
    if (kept.length > 0) return kept;
    const why = all.length === 0 ? "has no values of the round" : "has nothing that include names";
    this.#warnings.add(`"${query.name}" ${why}`);
    return [{ name: "N/A", points: [] }];
  }

  #row({ name, query, statistic, multiplier }: PrometheusQuery, answered: Answered): MonitorRow {
    const figure = statisticOf(
      answered.points.map(([, value]) => value),
      statistic,
    );
    const labels = { Metric: name, "Prometheus Query": query };
    const value = figure === null ? null : figure * multiplier;
    return { name: answered.name, labels, values: { value } };
  }

  #series({ name, multiplier }: PrometheusQuery, { name: row, points }: Answered): MonitorSeries {
    const moved = points.map(
      ([at, value]) => [Math.round(at * 1000 - this.#startMs), value * multiplier] as const,
    );
    return { row, metric: name, unit: "none", points: moved };
  }
}
