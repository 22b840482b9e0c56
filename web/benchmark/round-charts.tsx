/** The charts of a round over its time. */
import type {
  MonitorResult,
  MonitorSeries,
  RoundResult,
  SecondOfRound,
} from "../../runtimes/shared/benchmark/round-result.ts";
import { type ByteUnit, byteUnit } from "../../runtimes/shared/benchmark/monitor-table.ts";
import { text } from "../texts.ts";
import { DistributionChart } from "./charts/distribution-chart.tsx";
import { type Line, LineChart } from "./charts/line-chart.tsx";
import { tickText } from "./charts/scale.ts";
import { BarChart, type NamedValue, PolarChart } from "./charts/value-charts.tsx";
import { PlainTable } from "./plain-table.tsx";

/** More lines than this in one chart cannot be distinguished. */
const MOST_LINES = 12;
const COLOURS = 6;

function lineOf(
  seconds: readonly SecondOfRound[],
  key: "submitted" | "succeeded" | "failed" | "pending" | "p50Ms" | "p95Ms",
): Line["points"] {
  return seconds.map((one) => [one.second, one[key]] as const);
}

function SecondTable({ seconds }: Pick<RoundResult, "seconds">) {
  const keys = ["submitted", "succeeded", "failed", "pending"] as const;
  const names = ["submitted", "succeeded", "failures", "pending"];
  const ms = (value: number | null) => (value === null ? "-" : value.toFixed(1));
  const table = {
    titles: [
      text("bench.second"),
      ...names.map((name) => text(`bench.${name}`)),
      "p50 (ms)",
      "p95 (ms)",
    ],
    rows: seconds.map((one) => [
      String(one.second),
      ...keys.map((key) => String(one[key])),
      ms(one.p50Ms),
      ms(one.p95Ms),
    ]),
  };
  return (
    <details>
      <summary>{text("bench.figures")}</summary>
      <PlainTable caption={text("bench.figures")} table={table} />
    </details>
  );
}

/** TPS, latency and what was pending over time; the distribution of latencies; the figures. */
export function RoundCharts({ round }: { readonly round: RoundResult }) {
  const { seconds, distribution, latency } = round;
  if (seconds.length === 0) return null;
  const time = text("bench.axis.time");
  const counted: Line[] = [
    { name: text("bench.submitted"), points: lineOf(seconds, "submitted"), colour: 1 },
    {
      name: text("bench.succeeded"),
      points: lineOf(seconds, "succeeded"),
      colour: 0,
      isArea: true,
    },
    { name: text("bench.failures"), points: lineOf(seconds, "failed"), colour: "bad" },
  ];
  return (
    <>
      <div class="bench-charts">
        <LineChart
          title={text("bench.chart.tps")}
          xTitle={time}
          yTitle={text("bench.axis.tps")}
          lines={counted}
        />
        <LineChart
          title={text("bench.chart.latency")}
          xTitle={time}
          yTitle="ms"
          lines={[
            { name: "p50", points: lineOf(seconds, "p50Ms"), colour: 0 },
            { name: "p95", points: lineOf(seconds, "p95Ms"), colour: 2 },
          ]}
        />
        <DistributionChart buckets={distribution} summary={latency} />
        <LineChart
          title={text("bench.chart.pending")}
          xTitle={time}
          yTitle={text("bench.axis.count")}
          lines={[
            {
              name: text("bench.pending"),
              points: lineOf(seconds, "pending"),
              colour: 3,
              isArea: true,
            },
          ]}
        />
      </div>
      <SecondTable seconds={seconds} />
    </>
  );
}

function bytesText(value: number): string {
  const { name, divisor } = byteUnit([value]);
  return `${Number((value / divisor).toPrecision(3))} ${name}`;
}

function formatOf(unit: MonitorSeries["unit"]) {
  return unit === "bytes" ? bytesText : tickText;
}

/** What values are shown in: bytes in the one unit that suits them all. */
function scaleOf(unit: MonitorSeries["unit"], values: readonly number[]): ByteUnit {
  if (unit === "bytes") return byteUnit(values);
  return { name: { percent: "%", ms: "ms", perSecond: "/s" }[unit as string] ?? "", divisor: 1 };
}

/** One chart for each metric that a monitor followed, a line for each row. */
function SeriesCharts({ series }: Pick<MonitorResult, "series">) {
  const metrics = [...new Set(series.map(({ metric }) => metric))];
  return (
    <>
      {metrics.map((metric) => {
        const own = series.filter((one) => one.metric === metric && one.points.length > 0);
        const [first] = own;
        if (first === undefined) return null;
        const values = own.flatMap(({ points }) => points.map(([, value]) => value));
        const { name: unit, divisor } = scaleOf(first.unit, values);
        const lines = own.slice(0, MOST_LINES).map(({ row, points }, index) => ({
          name: row,
          points: points.map(([at, value]) => [at / 1000, value / divisor] as const),
          colour: index % COLOURS,
        }));
        return (
          <LineChart
            key={metric}
            title={metric}
            xTitle={text("bench.axis.time")}
            yTitle={unit}
            lines={lines}
          />
        );
      })}
    </>
  );
}

/** The figures of a chart that the file asked for; of Prometheus a metric is a row's label. */
function chartValues({ rows, columns }: MonitorResult, metric: string) {
  const column = columns.find(({ key }) => key === metric);
  const key = column?.key ?? "value";
  const own = column ? rows : rows.filter(({ labels }) => labels["Metric"] === metric);
  const values = own.flatMap(({ name, values: figures }): NamedValue[] => {
    const value = figures[key];
    return value === null || value === undefined ? [] : [{ name, value }];
  });
  return { title: column?.title ?? metric, values, format: formatOf(column?.unit ?? "none") };
}

/** The charts of a monitor: those over time, and those that the file asked for. */
export function MonitorCharts({ result }: { readonly result: MonitorResult }) {
  const asked = result.charts.flatMap(({ kind, metrics }) =>
    metrics.map((metric) => ({ kind, metric, ...chartValues(result, metric) })),
  );
  const shown = asked.filter(({ values }) => values.length > 0);
  if (result.series.length === 0 && shown.length === 0) return null;
  return (
    <div class="bench-charts">
      <SeriesCharts series={result.series} />
      {shown.map(({ kind, metric, title, values, format }) => {
        const Chart = kind === "bar" ? BarChart : PolarChart;
        return <Chart key={`${kind} ${metric}`} title={title} values={values} format={format} />;
      })}
    </div>
  );
}
