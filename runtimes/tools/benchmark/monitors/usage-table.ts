/** Figures of processes and containers over a round, and the table that is made of them. */
import type {
  MetricUnit,
  MonitorChart,
  MonitorColumn,
  MonitorResult,
  MonitorRow,
  MonitorSeries,
} from "../../../shared/benchmark/round-result.ts";
import type { ChartOptions, Warnings } from "./monitor.ts";

/** What is examined over time. */
export type UsageKind = "memory" | "cpu";

/** Points of a series at most; of more, each second one is dropped, again and again. */
const MOST_POINTS = 600;

interface Track {
  count: number;
  sum: number;
  max: number;
  /** Only each `stride`-th value becomes a point. */
  stride: number;
  points: [number, number][];
}

function follow(track: Track, atMs: number, value: number): void {
  if (track.count % track.stride === 0) track.points.push([Math.round(atMs), value]);
  track.count += 1;
  track.sum += value;
  track.max = Math.max(track.max, value);
  if (track.points.length < MOST_POINTS) return;
  track.points = track.points.filter((_, index) => index % 2 === 0);
  track.stride *= 2;
}

const KINDS: Readonly<Record<UsageKind, { title: string; unit: MetricUnit }>> = {
  memory: { title: "Memory", unit: "bytes" },
  cpu: { title: "CPU%", unit: "percent" },
};

/** The reference's columns of processes and containers. Source: benchmark 7 */
const COLUMNS: readonly MonitorColumn[] = [
  { key: "memoryMax", title: "Memory(max)", unit: "bytes" },
  { key: "memoryAvg", title: "Memory(avg)", unit: "bytes" },
  { key: "cpuMax", title: "CPU%(max)", unit: "percent" },
  { key: "cpuAvg", title: "CPU%(avg)", unit: "percent" },
];

/** What containers have besides. Source: benchmark 7 */
export const TRAFFIC_COLUMNS: readonly MonitorColumn[] = [
  { key: "trafficIn", title: "Traffic In", unit: "bytes" },
  { key: "trafficOut", title: "Traffic Out", unit: "bytes" },
  { key: "discRead", title: "Disc Read", unit: "bytes" },
  { key: "discWrite", title: "Disc Write", unit: "bytes" },
];

/**
 * Charts of a monitor, with names as files have them (`Memory(avg)`) or as keys; unknown are told.
 */
export function chartsOf(
  charts: readonly ChartOptions[],
  columns: readonly MonitorColumn[],
  warnings: Warnings,
): MonitorChart[] {
  return charts.map(({ kind, metrics }) => {
    if (metrics === "all") return { kind, metrics: columns.map(({ key }) => key) };
    const keys = metrics.flatMap((name) => {
      const found = columns.find(({ key, title }) => title === name || key === name);
      if (found === undefined) {
        const known = columns.map(({ title }) => title).join(", ");
        warnings.add(`charting: there is no metric "${name}"; there are ${known}`);
      }
      return found === undefined ? [] : [found.key];
    });
    return { kind, metrics: keys };
  });
}

/** Collects, row by row, memory and CPU over time. */
export class UsageTable {
  readonly #rows = new Map<string, Map<UsageKind, Track>>();

  constructor(names: readonly string[]) {
    for (const name of names) this.row(name);
  }

  /** A row exists with empty cells from the moment it is named. */
  row(name: string): void {
    if (!this.#rows.has(name)) this.#rows.set(name, new Map());
  }

  /** @param atMs since the round's start */
  add(name: string, kind: UsageKind, atMs: number, value: number): void {
    this.row(name);
    const kinds = this.#rows.get(name) ?? new Map<UsageKind, Track>();
    const track = kinds.get(kind) ?? { count: 0, sum: 0, max: 0, stride: 1, points: [] };
    kinds.set(kind, track);
    follow(track, atMs, value);
  }

  /** Whether the row was ever given a figure. */
  isSeen(name: string): boolean {
    return (this.#rows.get(name)?.size ?? 0) > 0;
  }

  names(): readonly string[] {
    return [...this.#rows.keys()];
  }

  /**
   * The result, with figures that are not of this kind.
   * @param further values by row, for the further columns
   */
  result(
    head: { readonly type: string; readonly charts: readonly ChartOptions[] },
    warnings: Warnings,
    columns: readonly MonitorColumn[] = [],
    further: ReadonlyMap<string, MonitorRow["values"]> = new Map(),
  ): MonitorResult {
    const all = [...COLUMNS, ...columns];
    const none = Object.fromEntries(columns.map(({ key }) => [key, null]));
    const rows = [...this.#rows].map(([name, kinds]): MonitorRow => {
      const of = (kind: UsageKind) => kinds.get(kind);
      const average = (track: Track | undefined) => (track ? track.sum / track.count : null);
      const values = {
        memoryMax: of("memory")?.max ?? null,
        memoryAvg: average(of("memory")),
        cpuMax: of("cpu")?.max ?? null,
        cpuAvg: average(of("cpu")),
      };
      return { name, labels: {}, values: { ...values, ...none, ...further.get(name) } };
    });
    const charts = chartsOf(head.charts, all, warnings);
    const series = this.#series();
    return { type: head.type, columns: all, rows, series, charts, warnings: warnings.list() };
  }

  #series(): MonitorSeries[] {
    return [...this.#rows].flatMap(([row, kinds]) =>
      [...kinds].map(([kind, { points }]) => {
        const { title, unit } = KINDS[kind];
        return { row, metric: title, unit, points };
      }),
    );
  }
}
