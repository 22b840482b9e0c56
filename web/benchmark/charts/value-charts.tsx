/** Charts of one figure for each of several names: bars, and a polar chart. */
import { inColour } from "../colours.ts";
import { tickText } from "./scale.ts";

/** A name with its figure. */
export interface NamedValue {
  readonly name: string;
  readonly value: number;
}

interface ValueChartProps {
  readonly title: string;
  readonly values: readonly NamedValue[];
  readonly format?: (value: number) => string;
}

const WIDTH = 480;
const ROW = 26;
const LEFT = 170;
const RIGHT = 70;
const MOST_LETTERS = 24;
const COLOURS = 6;

function shortName(name: string): string {
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
}

function spoken({ title, values, format = tickText }: ValueChartProps): string {
  return `${title}. ${values.map(({ name, value }) => `${name}: ${format(value)}`).join("; ")}`;
}

function most(values: readonly NamedValue[]): number {
  return Math.max(...values.map(({ value }) => value), Number.MIN_VALUE);
}

/** Bars, the names at the left. */
export function BarChart(props: ValueChartProps) {
  const { title, values, format = tickText } = props;
  const height = values.length * ROW + 8;
  const full = WIDTH - LEFT - RIGHT;
  return (
    <figure class="bench-chart">
      <h4>{title}</h4>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={spoken(props)}>
        {values.map(({ name, value }, index) => {
          const width = (full * Math.max(0, value)) / most(values);
          const top = index * ROW + 6;
          return (
            <g key={`${index} ${name}`}>
              <text class="tick" x={LEFT - 8} y={top + 13} text-anchor="end">
                {shortName(name)}
                <title>{name}</title>
              </text>
              <rect
                class="area"
                style={inColour(index % COLOURS)}
                x={LEFT}
                y={top}
                width={Math.max(1, width)}
                height={ROW - 8}
                rx="2"
              />
              <text class="value" x={LEFT + width + 6} y={top + 13}>
                {format(value)}
              </text>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

const SIDE = 240;
const RADIUS = 100;

function sector(index: number, count: number, radius: number): string {
  const half = `A${radius} ${radius} 0 1 1`;
  if (count === 1) return `M${-radius} 0${half} ${radius} 0${half} ${-radius} 0Z`;
  const at = (part: number) => {
    const angle = (2 * Math.PI * part) / count - Math.PI / 2;
    return `${(radius * Math.cos(angle)).toFixed(1)} ${(radius * Math.sin(angle)).toFixed(1)}`;
  };
  return `M0 0L${at(index)}A${radius} ${radius} 0 0 1 ${at(index + 1)}Z`;
}

/** Sectors of equal angles whose areas stand for the figures. */
export function PolarChart(props: ValueChartProps) {
  const { title, values, format = tickText } = props;
  const half = SIDE / 2;
  return (
    <figure class="bench-chart polar">
      <h4>{title}</h4>
      <svg viewBox={`${-half} ${-half} ${SIDE} ${SIDE}`} role="img" aria-label={spoken(props)}>
        <circle class="grid" r={RADIUS} />
        <circle class="grid" r={RADIUS * Math.SQRT1_2} />
        {values.map(({ name, value }, index) => {
          const radius = RADIUS * Math.sqrt(Math.max(0, value) / most(values));
          const shape = sector(index, values.length, radius);
          const style = inColour(index % COLOURS);
          return <path key={name} class="area edge" style={style} d={shape} />;
        })}
      </svg>
      <figcaption class="legend">
        {values.map(({ name, value }, index) => (
          <span key={name}>
            <i class="swatch" style={inColour(index % COLOURS)} aria-hidden="true" />
            {name}: {format(value)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
