/** The sums of tables in a store, as they are and as they become. Source: decision 30 */
import type { Store, StoreKey } from "../../../core/ports/store.ts";
import { type CheckedParts, damaged } from "./checked-reader.ts";
import { openValue, type SealedWrite, sealedWrite } from "./sealed-value.ts";
import { SUM_PREFIX } from "./store-format.ts";
import {
  decodeTableSum,
  encodeTableSum,
  NO_ROWS,
  type TableSum,
  tableOf,
  withEntry,
  withoutEntry,
} from "./table-sums.ts";

/** The sum that is stored of a table, which is named with its letter. @throws StoreFault corrupt */
export function storedSum(
  raw: Pick<Store, "get">,
  table: StoreKey,
  { checksum, place }: Omit<CheckedParts, "format">,
): TableSum {
  const key = `${SUM_PREFIX}${table}`;
  const record = raw.get(key);
  if (record === undefined) return NO_ROWS;
  const value = openValue(checksum, key, record);
  const sum = value && decodeTableSum(value);
  if (sum === undefined) throw damaged(place, key);
  return sum;
}

/** Sums as a commit changes them; a class because entries come one by one. */
export class SumChanges {
  readonly #raw: Pick<Store, "get">;
  readonly #parts: Omit<CheckedParts, "format">;
  readonly #sums = new Map<StoreKey, TableSum>();

  constructor(raw: Pick<Store, "get">, parts: Omit<CheckedParts, "format">) {
    this.#raw = raw;
    this.#parts = parts;
  }

  /** Takes the checksum of an entry before and after; undefined where there is none. */
  replace(key: StoreKey, before: number | undefined, after: number | undefined): void {
    const table = tableOf(key);
    if (table === undefined) return;
    let sum = this.#sums.get(table) ?? storedSum(this.#raw, table, this.#parts);
    if (before !== undefined) sum = withoutEntry(sum, before);
    if (after !== undefined) sum = withEntry(sum, after);
    this.#sums.set(table, sum);
  }

  writes(): SealedWrite[] {
    return [...this.#sums].map(([table, sum]) =>
      sealedWrite(this.#parts.checksum, `${SUM_PREFIX}${table}`, encodeTableSum(sum)),
    );
  }
}
