/** How latencies are distributed, with the percentiles. */
import type {
  LatencyBucket,
  LatencySummary,
} from "../../../runtimes/shared/benchmark/round-result.ts";
import { text } from "../../texts.ts";
import { inColour } from "../colours.ts";
import { barsOf, logTicks } from "./distribution.ts";
import { axisOf, placeOn, tickText } from "./scale.ts";

const WIDTH = 480;
const HEIGHT = 222;
const LEFT = 44;
const RIGHT = 12;
const TOP = 54;
const BOTTOM = 40;
const PERCENTILES = [
  ["p50", "p50Ms"],
  ["p90", "p90Ms"],
  ["p95", "p95Ms"],
  ["p99", "p99Ms"],
] as const;
/** Two names closer than this would lie on each other: the next one stands above. */
const NAME_WIDTH = 26;
const NAME_HEIGHT = 12;

/** Names of percentiles where their lines are; those too near to one another in several rows. */
function placedNames(summary: LatencySummary, x: (ms: number) => number) {
  let lastX = Number.NEGATIVE_INFINITY;
  let row = 0;
  return PERCENTILES.flatMap(([name, key]) => {
    const ms = summary[key];
    if (ms === null) return [];
    const at = x(ms);
    row = at - lastX < NAME_WIDTH ? row + 1 : 0;
    lastX = at;
    return [{ name, ms, at, row }];
  });
}

/** Draws it; nothing without a success. */
export function DistributionChart(props: {
  readonly buckets: readonly LatencyBucket[];
  readonly summary: LatencySummary;
}) {
  const bars = barsOf(props.buckets);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return null;
  const axis = { from: Math.log(first.fromMs), to: Math.log(last.toMs) };
  const ys = axisOf(0, Math.max(...bars.map(({ count }) => count), 1), 4);
  const x = (ms: number) => LEFT + placeOn(axis, Math.log(ms)) * (WIDTH - LEFT - RIGHT);
  const y = (count: number) => HEIGHT - BOTTOM - placeOn(ys, count) * (HEIGHT - TOP - BOTTOM);
  const names = placedNames(props.summary, (ms) => x(Math.max(ms, first.fromMs)));
  const title = text("bench.chart.distribution");
  const spoken = names.map(({ name, ms }) => `${name} ${tickText(ms)} ms`).join(", ");
  return (
    <figure class="bench-chart">
      <h4>{title}</h4>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${spoken}`}>
        {ys.ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {tickText(tick)}
            </text>
          </g>
        ))}
        {bars.map(({ fromMs, toMs, count }) => (
          <rect
            key={fromMs}
            class="area"
            style={inColour(0)}
            x={x(fromMs) + 0.5}
            y={y(count)}
            width={Math.max(0.5, x(toMs) - x(fromMs) - 1)}
            height={y(0) - y(count)}
          />
        ))}
        {logTicks(first.fromMs, last.toMs).map((tick) => (
          <text key={tick} class="tick" x={x(tick)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
            {tickText(tick)}
          </text>
        ))}
        {names.map(({ name, at, row }) => (
          <g key={name}>
            <line class="mark" x1={at} x2={at} y1={TOP - 4 - row * NAME_HEIGHT} y2={y(0)} />
            <text
              class="mark-name"
              x={Math.min(at, WIDTH - RIGHT)}
              y={TOP - 8 - row * NAME_HEIGHT}
              text-anchor="middle"
            >
              {name}
            </text>
          </g>
        ))}
        <text class="axis" x={2} y={12}>
          {text("bench.axis.count")}
        </text>
        <text class="axis" x={WIDTH - RIGHT} y={HEIGHT - 6} text-anchor="end">
          {text("bench.axis.ms")}
        </text>
      </svg>
    </figure>
  );
}
