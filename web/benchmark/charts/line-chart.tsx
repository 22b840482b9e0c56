/** Lines over time. */
import { inColour } from "../colours.ts";
import { axisOf, placeOn, tickText } from "./scale.ts";

/** A line: where it goes, and what it is called. */
export interface Line {
  readonly name: string;
  /** Rising in x; a null interrupts the line. */
  readonly points: readonly (readonly [x: number, y: number | null])[];
  /** Which colour of the page: 0 to 5, or the one of failures. */
  readonly colour: number | "bad";
  /** Filled down to the axis. */
  readonly isArea?: boolean;
}

interface LineChartProps {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly lines: readonly Line[];
}

const WIDTH = 480;
const HEIGHT = 210;
const LEFT = 44;
const RIGHT = 12;
const TOP = 28;
const BOTTOM = 40;

/** The coordinates of a chart's inside. */
interface Field {
  x(value: number): number;
  y(value: number): number;
}

function pathsOf(line: Line, { x, y }: Field): string {
  let isBroken = true;
  const parts = line.points.map(([at, value]) => {
    if (value === null) {
      isBroken = true;
      return "";
    }
    const part = `${isBroken ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    isBroken = false;
    return part;
  });
  return parts.join("");
}

function areaOf(line: Line, field: Field): string {
  const whole = line.points.flatMap(([at, value]) => (value === null ? [] : [[at, value]]));
  const [first, last] = [whole[0], whole.at(-1)];
  if (!first || !last) return "";
  const floor = field.y(0).toFixed(1);
  const top = pathsOf({ ...line, points: whole as [number, number][] }, field);
  const [start, end] = [field.x(first[0] ?? 0), field.x(last[0] ?? 0)];
  return `${top}L${end.toFixed(1)} ${floor}L${start.toFixed(1)} ${floor}Z`;
}

/** A line of a single point would not be seen. */
function LoneDots({ line, field }: { readonly line: Line; readonly field: Field }) {
  const { points } = line;
  return (
    <>
      {points.map(([at, value], index) => {
        const isAlone = (points[index - 1]?.[1] ?? null) === null;
        const isLast = (points[index + 1]?.[1] ?? null) === null;
        if (value === null || !isAlone || !isLast) return null;
        return <circle key={at} class="dot" cx={field.x(at)} cy={field.y(value)} r="3" />;
      })}
    </>
  );
}

/** The names of lines next to their colours. */
export function Legend({ lines }: { readonly lines: readonly Pick<Line, "name" | "colour">[] }) {
  return (
    <figcaption class="legend">
      {lines.map(({ name, colour }) => (
        <span key={name}>
          <i class="swatch" style={inColour(colour)} aria-hidden="true" />
          {name}
        </span>
      ))}
    </figcaption>
  );
}

/** What a chart says to those who do not see it. */
function spoken({ title, yTitle, lines }: LineChartProps): string {
  const parts = lines.map(({ name, points }) => {
    const values = points.flatMap(([, value]) => value ?? []);
    if (values.length === 0) return name;
    return `${name}: ${tickText(Math.min(...values))} – ${tickText(Math.max(...values))} ${yTitle}`;
  });
  return `${title}. ${parts.join("; ")}`;
}

/** Draws it. */
export function LineChart(props: LineChartProps) {
  const { title, xTitle, yTitle, lines } = props;
  const all = lines.flatMap(({ points }) => points);
  const xs = axisOf(0, Math.max(...all.map(([x]) => x), 1), 6);
  const ys = axisOf(0, Math.max(...all.map(([, y]) => y ?? 0)) || 1, 4);
  const field: Field = {
    x: (value) => LEFT + placeOn(xs, value) * (WIDTH - LEFT - RIGHT),
    y: (value) => HEIGHT - BOTTOM - placeOn(ys, value) * (HEIGHT - TOP - BOTTOM),
  };
  return (
    <figure class="bench-chart">
      <h4>{title}</h4>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={spoken(props)}>
        {ys.ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={field.y(tick)} y2={field.y(tick)} />
            <text class="tick" x={LEFT - 6} y={field.y(tick) + 4} text-anchor="end">
              {tickText(tick)}
            </text>
          </g>
        ))}
        {xs.ticks.map((tick) => (
          <text
            key={tick}
            class="tick"
            x={field.x(tick)}
            y={HEIGHT - BOTTOM + 16}
            text-anchor="middle"
          >
            {tickText(tick)}
          </text>
        ))}
        <text class="axis" x={2} y={12}>
          {yTitle}
        </text>
        <text class="axis" x={WIDTH - RIGHT} y={HEIGHT - 6} text-anchor="end">
          {xTitle}
        </text>
        {lines.map((line) => (
          <g key={line.name} style={inColour(line.colour)}>
            {line.isArea && <path class="area" d={areaOf(line, field)} />}
            <path class={line.colour === "bad" ? "line bad" : "line"} d={pathsOf(line, field)} />
            <LoneDots line={line} field={field} />
          </g>
        ))}
      </svg>
      <Legend lines={lines} />
    </figure>
  );
}
