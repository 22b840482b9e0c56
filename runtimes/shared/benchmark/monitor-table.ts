/** The table of a monitor: titles and cells as texts, alike in the terminal and in the page. */
import type { MonitorColumn, MonitorResult, MonitorRow } from "./round-result.ts";

/** A table of texts. */
export interface TextTable {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Significant digits of `caliper-report-precision`. Source: benchmark 1 */
const DEFAULT_PRECISION = 3;

const UNITS = ["B", "KB", "MB", "GB", "TB"];
const STEP = 1024;

/** A unit of bytes and what a figure is divided by. */
export interface ByteUnit {
  readonly name: string;
  readonly divisor: number;
}

/** The one unit in which the largest of several amounts is at least 1. */
export function byteUnit(amounts: readonly number[]): ByteUnit {
  const largest = amounts.reduce((most, one) => Math.max(most, one), 0);
  const power = largest < STEP ? 0 : Math.floor(Math.log(largest) / Math.log(STEP));
  const index = Math.min(power, UNITS.length - 1);
  return { name: UNITS[index] ?? "B", divisor: STEP ** index };
}

/**
 * A figure with this many significant digits and no exponent; `-` for none.
 * @param precision 1 to 15
 */
export function figureText(value: number | null | undefined, precision: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  return String(Number(value.toPrecision(precision)));
}

function amountsOf({ key }: MonitorColumn, rows: readonly MonitorRow[]): number[] {
  return rows.flatMap(({ values }) => values[key] ?? []);
}

/**
 * Texts next to the name come first, as in the reference: `Metric`, `Prometheus Query`, `Name`.
 * Bytes of a column have one unit, which stands in its title. Source: benchmark 7
 */
export function monitorTable(result: MonitorResult, precision = DEFAULT_PRECISION): TextTable {
  const { columns, rows } = result;
  const labels = [...new Set(rows.flatMap((row) => Object.keys(row.labels)))];
  const units = columns.map((column) =>
    column.unit === "bytes" ? byteUnit(amountsOf(column, rows)) : undefined,
  );
  const suffix = (column: MonitorColumn, index: number) => {
    if (column.unit === "ms") return " [ms]";
    const unit = units[index];
    return unit === undefined ? "" : ` [${unit.name}]`;
  };
  return {
    titles: [...labels, "Name", ...columns.map((one, i) => `${one.title}${suffix(one, i)}`)],
    rows: rows.map(({ name, labels: own, values }) => [
      ...labels.map((label) => own[label] ?? ""),
      name,
      ...columns.map(({ key }, index) => {
        const value = values[key];
        if (value === null || value === undefined) return "-";
        return figureText(value / (units[index]?.divisor ?? 1), precision);
      }),
    ]),
  };
}
