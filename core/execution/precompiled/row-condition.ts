/**
 * Which rows of a key a contract means: one range per column, and a limit.
 * Source: precompiles 5 (Condition)
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { version, type Version } from "../../model/version.ts";
import {
  isHashedColumn,
  type RowFilter,
  type RowView,
  type TableSchema,
} from "../../storage/table.ts";

interface Bound {
  readonly value: ByteString;
  readonly inclusive: boolean;
}

interface Range {
  lower: Bound | undefined;
  upper: Bound | undefined;
}

/** Which sides of a range an operator sets, and whether the value itself is inside. */
const SIDES = {
  eq: { lower: true, upper: true, inclusive: true },
  ne: { lower: true, upper: true, inclusive: false },
  gt: { lower: true, upper: false, inclusive: false },
  ge: { lower: true, upper: false, inclusive: true },
  lt: { lower: false, upper: true, inclusive: false },
  le: { lower: false, upper: true, inclusive: true },
} as const;

/** How a column is compared. */
export type ConditionOperator = keyof typeof SIDES;

/** Whether the name is that of an operator. */
export function isOperator(name: ByteString): name is ConditionOperator {
  return Object.hasOwn(SIDES, name);
}

/** The rows of a table that a condition means. */
export interface ConditionFilter extends RowFilter {
  /** Columns that are compared at most, next to the key. */
  readonly columns: number;
}

/** A condition as contracts build it up. */
export class RowCondition {
  readonly #ranges = new Map<ByteString, Range>();
  #part: { readonly offset: number; readonly count: number } | undefined;

  /** Columns of which something is reported. */
  get size(): number {
    return this.#ranges.size;
  }

  /** Sets the sides of the column's range that the operator means. */
  add(operator: ConditionOperator, column: ByteString, value: ByteString): void {
    // Internal columns are not compared.
    if (!isHashedColumn(column)) return;
    const range = this.#ranges.get(column) ?? { lower: undefined, upper: undefined };
    const { lower, upper, inclusive } = SIDES[operator];
    if (lower) range.lower = { value, inclusive };
    if (upper) range.upper = { value, inclusive };
    this.#ranges.set(column, range);
  }

  /** Leaves out `offset` rows and takes at most `count`; no limit when either is negative. */
  limit(offset: number, count: number): void {
    this.#part = offset < 0 || count < 0 ? undefined : { offset, count };
  }

  /**
   * The filter for rows of a key. That the key column equals the key stays in the condition, in
   * place of what was reported of that column.
   */
  filter({ keyField }: TableSchema, key: ByteString, chainVersion: Version): ConditionFilter {
    this.add("eq", keyField, key);
    const ranges = this.#ranges;
    const part = this.#part;
    const columns = ranges.size - (ranges.has(keyField) ? 1 : 0);
    if (columns === 0) return { columns, ...part };
    const test = ({ columns: values }: RowView): boolean => {
      for (const [column, range] of ranges) {
        // The table itself compares the key.
        if (column === keyField) continue;
        const value = values.get(column);
        if (value === undefined || !isWithin(value, range, chainVersion)) return false;
      }
      return true;
    };
    return { columns, test, ...part };
  }
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
  const limit = bound.value === "" ? undefined : readNumber(bound.value);
  if (limit === undefined) return false;
  return bound.inclusive ? (number - limit) * sign >= 0n : (number - limit) * sign > 0n;
}

/** A signed 64-bit decimal; an empty field counts as 0, an empty bound is no number. */
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
