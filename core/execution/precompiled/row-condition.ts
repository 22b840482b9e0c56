/**
 * Which rows of a key a contract means: one range per column, and a limit.
 * Source: precompiles 5 (Condition)
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { version, type Version } from "../../model/version.ts";
import { isHashedColumn, type RowFilter, type RowView } from "../../storage/table.ts";
import { PrecompiledFault } from "./contract.ts";

/** How a column is compared. */
export type ConditionOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le";

interface Bound {
  readonly value: ByteString;
  readonly inclusive: boolean;
}

interface Range {
  lower: Bound | undefined;
  upper: Bound | undefined;
}

/** Which sides of a range an operator sets, and whether the value itself is inside. */
const SIDES: Readonly<
  Record<ConditionOperator, { lower: boolean; upper: boolean; inclusive: boolean }>
> = {
  eq: { lower: true, upper: true, inclusive: true },
  ne: { lower: true, upper: true, inclusive: false },
  gt: { lower: true, upper: false, inclusive: false },
  ge: { lower: true, upper: false, inclusive: true },
  lt: { lower: false, upper: true, inclusive: false },
  le: { lower: false, upper: true, inclusive: true },
};

/** A condition as contracts build it up. */
export interface RowCondition {
  /** Columns that are compared at most. */
  readonly size: number;
  /** Sets the sides of the column's range that the operator means. */
  add(operator: ConditionOperator, column: ByteString, value: ByteString): void;
  /**
   * Leaves out `offset` rows and takes at most `count`.
   *
   * @throws PrecompiledFault for a negative number
   */
  limit(offset: number, count: number): void;
  /**
   * The filter for a table. What is said of the key column has no effect: a select adds that it
   * equals the key.
   */
  filter(keyField: ByteString, chainVersion: Version): RowFilter;
}

/** A condition that every row meets. */
export function createRowCondition(): RowCondition {
  const ranges = new Map<ByteString, Range>();
  let part: { readonly offset: number; readonly count: number } | undefined;
  return {
    get size() {
      return ranges.size;
    },
    add(operator, column, value) {
      const range = ranges.get(column) ?? { lower: undefined, upper: undefined };
      const { lower, upper, inclusive } = SIDES[operator];
      if (lower) range.lower = { value, inclusive };
      if (upper) range.upper = { value, inclusive };
      ranges.set(column, range);
    },
    limit(offset, count) {
      if (offset < 0 || count < 0) throw new PrecompiledFault("other", "negative limit");
      part = { offset, count };
    },
    filter(keyField, chainVersion) {
      if (ranges.size === 0) return { ...part };
      const checks = [...ranges].filter(
        ([column]) => column !== keyField && isHashedColumn(column),
      );
      const test = (row: RowView): boolean =>
        checks.every(([column, range]) => {
          const value = row.columns.get(column);
          return value !== undefined && isWithin(value, range, chainVersion);
        });
      return { test, ...part };
    },
  };
}

function isWithin(value: ByteString, { lower, upper }: Range, chainVersion: Version): boolean {
  if (lower !== undefined && upper !== undefined && lower.value === upper.value) {
    if (lower.inclusive && upper.inclusive) return value === lower.value;
    const excludes = !lower.inclusive && !upper.inclusive;
    if (excludes && chainVersion >= version(2, 3, 0)) return value !== lower.value;
  }
  const number = readNumber(value);
  if (number === undefined) return false;
  return isBeyond(number, lower, 1n) && isBeyond(number, upper, -1n);
}

/** Whether the number lies on the bound's inner side; `sign` is 1 for a lower bound. */
function isBeyond(number: bigint, bound: Bound | undefined, sign: bigint): boolean {
  if (bound === undefined) return true;
  const limit = readNumber(bound.value);
  if (limit === undefined) return false;
  return bound.inclusive ? (number - limit) * sign >= 0n : (number - limit) * sign > 0n;
}

/** A signed 64-bit decimal; empty text counts as 0. */
function readNumber(text: ByteString): bigint | undefined {
  if (text === "") return 0n;
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const digits = text.replace(/^\+/, "");
  // No number of 64 bits has more digits, whatever the zeros in front.
  if (digits.replace(/^-?0*/, "").length > MAX_DIGITS) return undefined;
  const value = BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const MAX_DIGITS = 19;
